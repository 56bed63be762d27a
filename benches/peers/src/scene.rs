//! The scene that all engines are given, and its file: plain text, one record a line.
//!
//! ```text
//! scene NAME / dt SECONDS / steps N / gravity X Y Z / friction MU / restitution E / every K
//! body ID dyn|fixed sphere|box A B C MASS PX PY PZ QW QX QY QZ
//! ```
//!
//! A sphere's A is its radius, a box's A, B and C are its half extents. `every` is for programs that keep
//! a trajectory. Joints and moving walls, which the format knows too, are not read here.

use std::fmt::Write as _;
use std::path::Path;

/// One body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Body {
    pub(crate) is_dynamic: bool,
    pub(crate) is_sphere: bool,
    /// Radius and zeros, or half extents `[m]`.
    pub(crate) size: [f64; 3],
    /// `[kg]`.
    pub(crate) mass: f64,
    /// Of the centre `[m]`.
    pub(crate) position: [f64; 3],
    /// `(w, x, y, z)`.
    pub(crate) orientation: [f64; 4],
}

/// Bodies, and how they are stepped.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Scene {
    pub(crate) name: String,
    /// `[s]`.
    pub(crate) time_step: f64,
    pub(crate) steps: usize,
    /// `[m/s^2]`.
    pub(crate) gravity: [f64; 3],
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    pub(crate) every: usize,
    /// Shape `[body_count]`; a body's number in the file is its index.
    pub(crate) bodies: Vec<Body>,
}

impl Scene {
    /// Indices of the dynamic bodies.
    pub(crate) fn dynamic(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bodies.len()).filter(|&index| self.bodies[index].is_dynamic)
    }

    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        let text =
            std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
        Self::parse(&text).map_err(|why| format!("{}: {why}", path.display()))
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut scene = Self::default();
        for (number, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            scene
                .read(&words)
                .ok_or_else(|| format!("line {}: `{line}` is not understood", number + 1))?;
        }
        if scene.name.is_empty() || scene.time_step <= 0.0 || scene.dynamic().next().is_none() {
            return Err("no name, no dt or no dynamic body".into());
        }
        Ok(scene)
    }

    fn read(&mut self, words: &[&str]) -> Option<()> {
        let number = |at: usize| words.get(at)?.parse::<f64>().ok();
        let three = |at: usize| Some([number(at)?, number(at + 1)?, number(at + 2)?]);
        let count = |at: usize| words.get(at)?.parse::<usize>().ok();
        match *words.first().unwrap_or(&"") {
            "" => {}
            "scene" => self.name = (*words.get(1)?).to_owned(),
            "dt" => self.time_step = number(1)?,
            "steps" => self.steps = count(1)?,
            "gravity" => self.gravity = three(1)?,
            "friction" => self.friction = number(1)?,
            "restitution" => self.restitution = number(1)?,
            "every" => self.every = count(1)?,
            "body" => {
                let is_sphere = *words.get(3)? == "sphere";
                let known = ["dyn", "fixed"].contains(words.get(2)?)
                    && (is_sphere || *words.get(3)? == "box");
                if count(1)? != self.bodies.len() || !known {
                    return None;
                }
                self.bodies.push(Body {
                    is_dynamic: words[2] == "dyn",
                    is_sphere,
                    size: three(4)?,
                    mass: number(7)?,
                    position: three(8)?,
                    orientation: [number(11)?, number(12)?, number(13)?, number(14)?],
                });
            }
            _ => return None,
        }
        Some(())
    }

    /// The file's text. Numbers are written so that reading them back gives the same ones.
    pub(crate) fn text(&self) -> String {
        let [x, y, z] = self.gravity;
        let mut text = format!(
            "scene {}\ndt {:?}\nsteps {}\ngravity {x} {y} {z}\nfriction {}\nrestitution {}\nevery {}\n",
            self.name, self.time_step, self.steps, self.friction, self.restitution, self.every
        );
        for (index, body) in self.bodies.iter().enumerate() {
            let kind = if body.is_dynamic { "dyn" } else { "fixed" };
            let shape = if body.is_sphere { "sphere" } else { "box" };
            let _ = write!(text, "body {index} {kind} {shape}");
            let numbers = body.size.iter().chain([&body.mass]);
            for number in numbers.chain(&body.position).chain(&body.orientation) {
                let _ = write!(text, " {number}");
            }
            text.push('\n');
        }
        text
    }
}
