//! A scene of the lab on its way to a run: its file with other values of some keys.

use super::Lab;
use crate::files::scene_files;
use drystone::scene::{Overrides, Scene, with_values};
use drystone::world::World;
use drystone::{Error, Result};
use std::path::{Path, PathBuf};

/// Files of the scenes, as they are in the program.
const FILES: &[(&str, &str)] =
    scene_files!("lab": "haff", "beverloo", "janssen", "collapse", "repose", "packing", "drum");

/// A scene file and what is changed of it.
pub(super) struct Draft {
    path: PathBuf,
    text: String,
    overrides: Overrides,
}

impl Draft {
    /// The file of an experiment.
    ///
    /// # Errors
    /// [`Error::Io`] if there is no such file in the folder that was asked for.
    pub(super) fn load(lab: &Lab, name: &str) -> Result<Self> {
        let file = format!("{name}.toml");
        let (path, text) = match &lab.scenes {
            Some(folder) => {
                let path = folder.join(file);
                let text = std::fs::read_to_string(&path);
                let text = text.map_err(|source| Error::io(&path, source))?;
                (path, text)
            }
            None => {
                let found = FILES.iter().find(|known| known.0 == name);
                let text = found.map_or("", |known| known.1);
                (Path::new("scenes/lab").join(file), text.to_owned())
            }
        };
        Ok(Self {
            path,
            text,
            overrides: lab.overrides.clone(),
        })
    }

    /// Gives a key another value, in TOML's writing.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the key leads nowhere.
    pub(super) fn set(&mut self, key: &str, value: impl std::fmt::Display) -> Result<()> {
        self.text = with_values(&self.text, &[(key, &value.to_string())])?;
        Ok(())
    }

    /// The scene as it is now.
    ///
    /// # Errors
    /// Mistakes in the file.
    pub(super) fn scene(&self) -> Result<Scene> {
        Scene::parse(&self.path, &self.text, &self.overrides)
    }
}

/// Dynamic bodies of a world.
pub(super) struct Grains {
    pub(super) count: f64,
    /// `[kg]`
    pub(super) mass: f64,
    /// Mean diameter `[m]`.
    pub(super) diameter: f64,
    /// Mean volume, as of balls `[m^3]`.
    pub(super) volume: f64,
}

impl Grains {
    pub(super) fn of(world: &World) -> Self {
        let (mut count, mut mass, mut diameter, mut volume) = (0.0, 0.0, 0.0, 0.0);
        for body in world.bodies.iter().filter(|body| body.is_dynamic()) {
            let d = 2.0 * body.shape.bounding_radius();
            count += 1.0;
            mass += body.mass.mass;
            diameter += d;
            volume += std::f64::consts::PI / 6.0 * d.powi(3);
        }
        Self {
            count,
            mass,
            diameter: diameter / count,
            volume: volume / count,
        }
    }
}
