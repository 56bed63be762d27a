//! Scenes.

use crate::error::{Failure, Result};
use crate::options;
use drystone::scene::{self, Overrides, with_values};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Value;

/// A scene: bodies, joints and loads about to be simulated, and how.
///
/// It comes from a file, `load`, or from its text, `parse`; a mistake in it is a `SceneError` that knows file, line and column. A scene does not change. It can be
/// pickled, as the text that ``toml`` gives.
#[pyclass(frozen, module = "drystone._drystone")]
pub(crate) struct Scene {
    pub(crate) scene: Arc<scene::Scene>,
}

#[pymethods]
impl Scene {
    /// Reads a scene from a TOML file.
    ///
    /// ``values`` gives keys of the file other values: names of tables and the key in the last of them with dots between, of an array of tables the
    /// ``name`` of one of them or its place counted from 0, as in ``{"materials.glass.friction": 0.2}``. The other arguments take the place of what the file says of
    /// the seed, the number of steps, the length of a step [s], substeps (0 for none), sweeps, tolerance [m/s], method and corners of a friction polygon.
    ///
    /// Raises `SceneError` for a mistake in the file, `OSError` if it cannot be read, `InvalidError` for an argument without meaning.
    #[classmethod]
    #[pyo3(signature = (path, *, values=None, seed=None, steps=None, time_step=None, substeps=None, iterations=None, tolerance=None, method=None, friction_directions=None))]
    fn load(
        _class: &Bound<'_, PyType>,
        path: PathBuf,
        values: Option<&Bound<'_, PyDict>>,
        seed: Option<u64>,
        steps: Option<u64>,
        time_step: Option<f64>,
        substeps: Option<u32>,
        iterations: Option<u32>,
        tolerance: Option<f32>,
        method: Option<&str>,
        friction_directions: Option<u32>,
    ) -> Result<Self> {
        let values = written(values)?;
        let overrides = Overrides {
            seed,
            steps,
            time_step,
            substeps,
            iterations,
            tolerance,
            method: method.map(options::method).transpose()?,
            friction_directions,
        };
        let scene = scene::Scene::load(&path, &overrides)?;
        if values.is_empty() {
            return Ok(Self::of(scene));
        }
        // Mistakes of the file itself were reported for it, not for a changed one.
        let text =
            std::fs::read_to_string(&path).map_err(|source| drystone::Error::io(&path, source))?;
        changed(&path, &text, &values, &overrides)
    }

    /// Reads a scene from the text of a file; ``path`` is named in messages, and other files are relative to its folder. The other arguments are those of
    /// `load`.
    #[classmethod]
    #[pyo3(signature = (text, path=PathBuf::from("scene.toml"), *, values=None, seed=None, steps=None, time_step=None, substeps=None, iterations=None, tolerance=None, method=None, friction_directions=None))]
    #[pyo3(
        text_signature = "(text, path='scene.toml', *, values=None, seed=None, steps=None, time_step=None, substeps=None, iterations=None, tolerance=None, method=None, friction_directions=None)"
    )]
    fn parse(
        _class: &Bound<'_, PyType>,
        text: &str,
        path: PathBuf,
        values: Option<&Bound<'_, PyDict>>,
        seed: Option<u64>,
        steps: Option<u64>,
        time_step: Option<f64>,
        substeps: Option<u32>,
        iterations: Option<u32>,
        tolerance: Option<f32>,
        method: Option<&str>,
        friction_directions: Option<u32>,
    ) -> Result<Self> {
        let values = written(values)?;
        let overrides = Overrides {
            seed,
            steps,
            time_step,
            substeps,
            iterations,
            tolerance,
            method: method.map(options::method).transpose()?,
            friction_directions,
        };
        let scene = scene::Scene::parse(&path, text, &overrides)?;
        if values.is_empty() {
            return Ok(Self::of(scene));
        }
        changed(&path, text, &values, &overrides)
    }

    /// Name of the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.scene.name
    }

    /// Its description.
    #[getter]
    fn description(&self) -> &str {
        &self.scene.description
    }

    /// The file that it was read from, as it was named.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.scene.path.clone()
    }

    /// Number of steps of a run.
    #[getter]
    fn steps(&self) -> u64 {
        self.scene.steps
    }

    /// Length of a step [s].
    #[getter]
    fn time_step(&self) -> f64 {
        self.scene.settings.time_step
    }

    /// Length of a run [s].
    #[getter]
    fn duration(&self) -> f64 {
        self.scene.steps as f64 * self.scene.settings.time_step
    }

    /// Seed of everything random.
    #[getter]
    fn seed(&self) -> u64 {
        self.scene.seed
    }

    /// Number of bodies.
    #[getter]
    fn body_count(&self) -> usize {
        self.scene.world.bodies.len()
    }

    /// Number of joints.
    #[getter]
    fn joint_count(&self) -> usize {
        self.scene.world.joints.len()
    }

    /// The scene as a file, with every default and override written out.
    #[getter]
    fn toml(&self) -> String {
        self.scene.resolved_toml()
    }

    fn __repr__(&self) -> String {
        format!(
            "<drystone.Scene `{}`: {} bodies, {} steps of {} s>",
            self.scene.name,
            self.body_count(),
            self.steps(),
            self.time_step()
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyTuple>> {
        let (py, scene) = (slf.py(), slf.get());
        let path = scene.path().unwrap_or_else(|| PathBuf::from("scene.toml"));
        let parse = slf.get_type().getattr("parse")?;
        Ok((parse, (scene.toml(), path)).into_pyobject(py)?)
    }
}

impl Scene {
    fn of(scene: scene::Scene) -> Self {
        Self {
            scene: Arc::new(scene),
        }
    }
}

/// A scene with other values of some keys.
fn changed(
    path: &Path,
    text: &str,
    values: &[(String, String)],
    overrides: &Overrides,
) -> Result<Scene> {
    let values: Vec<(&str, &str)> = values
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    let text = with_values(text, &values)?;
    Ok(Scene::of(scene::Scene::parse(path, &text, overrides)?))
}

/// Keys and values, as TOML writes them.
fn written(values: Option<&Bound<'_, PyDict>>) -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    for (key, value) in values.into_iter().flatten() {
        let key: String = key
            .extract()
            .map_err(|_| Failure::invalid("values", "a key is no string"))?;
        let value =
            toml_value(&value).map_err(|why| Failure::invalid(format!("value of `{key}`"), why))?;
        all.push((key, value.to_string()));
    }
    Ok(all)
}

/// A value of Python's or numpy's as one of TOML's.
fn toml_value(value: &Bound<'_, PyAny>) -> std::result::Result<Value, String> {
    // A truth value is an integer too, and an integer a float.
    if let Ok(truth) = value.extract::<bool>() {
        return Ok(Value::Boolean(truth));
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(Value::String(text));
    }
    if let Ok(table) = value.cast::<PyDict>() {
        let mut found = toml::Table::new();
        for (key, value) in table {
            let key = key.extract().map_err(|_| "a key is no string".to_owned())?;
            found.insert(key, toml_value(&value)?);
        }
        return Ok(Value::Table(found));
    }
    if value.cast::<PyList>().is_ok() || value.cast::<PyTuple>().is_ok() {
        let mut found = Vec::new();
        for item in value.try_iter().map_err(|why| why.to_string())? {
            found.push(toml_value(&item.map_err(|why| why.to_string())?)?);
        }
        return Ok(Value::Array(found));
    }
    if let Ok(whole) = value.extract::<i64>() {
        return Ok(Value::Integer(whole));
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(Value::Float(number));
    }
    let kind = value.get_type();
    Err(format!(
        "{} given; a truth value, number, string, list or dictionary is expected",
        kind.name()
            .map_or_else(|_| "something".into(), |name| name.to_string())
    ))
}
