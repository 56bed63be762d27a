//! Simulations.

use crate::error::{Failure, Result};
use crate::plan::Plan;
use crate::problem::Problem;
use crate::records::{ContactRecord, JointRecord};
use crate::report;
use crate::scene::Scene;
use crate::stepping::Inner;
use crate::threads;
use crate::view;
use drystone::math::{Pose, Quat, Vec3};
use drystone::measure;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::gpu::{AdapterChoice, GpuSolver};
use drystone::solver::nsgs::NsgsSolver;
use drystone::solver::{self, Solver};
use drystone::step::Forces;
use drystone::world::{Body, Load};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::mem::offset_of;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// A scene that is stepped.
///
/// ``backend`` is ``"cpu"``, ``"gpu"`` (on the adapter whose name contains ``adapter``, else on a hardware one) or ``"nsgs"``, a slow referee in f64. ``threads`` is the
/// number of the CPU's threads, by default one a core; results do not depend on it.
///
/// Arrays of bodies (``positions``, ``velocities``, ``angular_velocities``, ``masses``) are read-only views of the simulation's own memory, made without a copy. Each shows
/// one state and never changes: where one is still there when bodies are about to change, it keeps that memory, and the simulation goes on in
/// a copy. So ask anew after each step. A view keeps all of its state's memory, some 400 bytes a body: what is to be kept for long is better
/// copied, ``positions.copy()``. All other arrays are made at each access.
///
/// Steps run without the interpreter's lock; another thread that asks for something meanwhile gets a ``RuntimeError``.
#[pyclass(frozen, module = "drystone._drystone")]
pub(crate) struct Simulation {
    inner: Mutex<Inner>,
    threads: usize,
    /// Bodies and joints stay the same.
    scene: Arc<drystone::scene::Scene>,
}

/// A body by its index or its name.
#[derive(FromPyObject)]
enum BodyName {
    Index(isize),
    Name(String),
}

fn solver(backend: &str, adapter: Option<String>) -> Result<Box<dyn Solver>> {
    if backend != "gpu" && adapter.is_some() {
        return Err(Failure::invalid(
            "adapter",
            format!("the {backend} backend has none; leave it out, or set backend=\"gpu\""),
        ));
    }
    Ok(match backend {
        "cpu" => Box::new(CpuSolver::new()),
        "nsgs" => Box::new(NsgsSolver::new()),
        "gpu" => Box::new(GpuSolver::new(&AdapterChoice {
            name: adapter,
            ..AdapterChoice::default()
        })?),
        _ => {
            return Err(Failure::invalid(
                "backend",
                format!("`{backend}` given; `cpu`, `gpu` or `nsgs` is expected"),
            ));
        }
    })
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, *, backend="cpu", adapter=None, threads=None))]
    fn new(
        py: Python<'_>,
        scene: &Scene,
        backend: &str,
        adapter: Option<String>,
        threads: Option<usize>,
    ) -> Result<Self> {
        let scene = Arc::clone(&scene.scene);
        let threads = threads::count(threads)?;
        let pool = threads::pool(threads)?;
        if scene.settings.event.is_some() && backend != "cpu" {
            return Err(Failure::invalid(
                "backend",
                "the scene's event stepper runs on the CPU and has no solver; leave it out",
            ));
        }
        let inner = py.detach(|| {
            let solver = solver(backend, adapter)?;
            pool.install(|| Inner::new(&scene, solver, threads))
        })?;
        Ok(Self {
            inner: Mutex::new(inner),
            threads,
            scene,
        })
    }

    /// Takes ``steps`` steps, without the interpreter's lock.
    ///
    /// Signals are looked at between steps, some twenty times a second: Ctrl-C ends it after a step, with all of the state of that step, and ``time`` says when.
    ///
    /// Raises `NonFiniteError` if a number stopped being finite, `DeviceError` if a GPU fails.
    #[pyo3(signature = (steps=1))]
    fn step(&self, py: Python<'_>, steps: u64) -> Result<()> {
        let mut inner = self.lock()?;
        let inner = &mut *inner;
        let pool = threads::pool(self.threads)?;
        inner.lender.renew(&mut inner.simulation);
        let mut left = steps;
        while left > 0 {
            left -= py.detach(|| pool.install(|| inner.take_steps(left, &self.scene)))?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// Takes the steps that are left of the scene's run.
    fn run(&self, py: Python<'_>) -> Result<()> {
        let taken = self.lock()?.summary.steps;
        self.step(py, self.scene.steps.saturating_sub(taken))
    }

    /// Simulated time [s].
    #[getter]
    fn time(&self) -> Result<f64> {
        Ok(self.lock()?.simulation.world().time)
    }

    /// Steps taken.
    #[getter]
    fn steps(&self) -> Result<u64> {
        Ok(self.lock()?.summary.steps)
    }

    /// Length of a step [s].
    #[getter]
    fn time_step(&self) -> f64 {
        self.scene.settings.time_step
    }

    /// Number of bodies.
    #[getter]
    fn body_count(&self) -> usize {
        self.scene.world.bodies.len()
    }

    /// Names of the bodies, ``None`` for those without one.
    #[getter]
    fn body_names(&self) -> Vec<Option<&str>> {
        let bodies = self.scene.world.bodies.iter();
        bodies.map(|body| body.name.as_deref()).collect()
    }

    /// Names of the joints, ``None`` for those without one.
    #[getter]
    fn joint_names(&self) -> Vec<Option<&str>> {
        let joints = self.scene.world.joints.iter();
        joints.map(|joint| joint.name.as_deref()).collect()
    }

    /// Index of the body of a name; of several the first. Raises ``KeyError`` if there is none.
    fn index(&self, name: &str) -> Result<usize> {
        let mut bodies = self.scene.world.bodies.iter();
        let found = bodies.position(|body| body.name.as_deref() == Some(name));
        found.ok_or_else(|| PyKeyError::new_err(format!("no body is called `{name}`")).into())
    }

    /// Bounding radius of each body about its centre of mass [m], infinite for half-spaces; shape ``(bodies,)``.
    #[getter]
    fn radii<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let bodies = self.scene.world.bodies.iter();
        PyArray1::from_iter(py, bodies.map(|body| body.shape.bounding_radius()))
    }

    /// True for bodies that contacts and forces move; shape ``(bodies,)``.
    #[getter]
    fn is_dynamic<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let bodies = self.scene.world.bodies.iter();
        PyArray1::from_iter(py, bodies.map(Body::is_dynamic))
    }

    /// Centre of mass of each body [m], shape ``(bodies, 3)``: a view, see the class.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        self.of_bodies(py, offset_of!(Body, pose.position))
    }

    /// Rotation of each body from its axes to the world's, a unit quaternion in the order ``(w, x, y, z)``; shape ``(bodies, 4)``, float64. Made at each access.
    #[getter]
    fn orientations<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        let inner = self.lock()?;
        let bodies = &inner.simulation.world().bodies;
        let numbers = bodies.iter().flat_map(|body| {
            let q = body.pose.orientation;
            [q.w, q.i, q.j, q.k]
        });
        let array = PyArray1::from_vec(py, numbers.collect()).reshape([bodies.len(), 4])?;
        Ok(view::read_only(array)?)
    }

    /// Velocity of each body's centre of mass [m/s], shape ``(bodies, 3)``: a view, see the class.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        self.of_bodies(py, offset_of!(Body, linear_velocity))
    }

    /// Angular velocity of each body in world axes [rad/s], shape ``(bodies, 3)``: a view, see the class.
    #[getter]
    fn angular_velocities<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        self.of_bodies(py, offset_of!(Body, angular_velocity))
    }

    /// Mass of each body [kg], infinite for those that contacts do not move; shape ``(bodies,)``: a view, see the class.
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f64>>> {
        let inner = self.lock()?;
        let owner = inner.lender.lend(py)?;
        let bodies = &inner.simulation.world().bodies;
        // SAFETY: the owner keeps the bodies, which change only where the lender is told before; a mass is an f64.
        Ok(unsafe { view::numbers(&owner, bodies, offset_of!(Body, mass.mass)) }?)
    }

    /// Contacts after the last step: an array of `contact_point_dtype`.
    ///
    /// Fields are ``bodies`` (A and B), ``feature`` (names the point among those of the pair), ``point`` midway between the surfaces [m], ``normal`` from B to A,
    /// ``separation`` (negative where they overlap) [m], and ``force`` on A in world axes, the mean over the last substep [N], zero of a contact that was not there
    /// then. Made at each access.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<ContactRecord>>> {
        let inner = self.lock()?;
        let simulation = &inner.simulation;
        let mut forces = Vec::new();
        simulation.contact_forces(&mut forces);
        let contacts = simulation.contacts().iter().zip(&forces);
        let records = contacts.map(|(contact, force)| ContactRecord {
            bodies: contact.bodies,
            feature: contact.feature,
            point: contact.position.into(),
            normal: contact.normal.into(),
            separation: contact.separation,
            force: (*force).into(),
        });
        Ok(view::read_only(PyArray1::from_vec(py, records.collect()))?)
    }

    /// Joints after the last step: an array of `joint_dtype`.
    ///
    /// Fields are ``body_a``, ``body_b`` (-1 for the world), ``force`` of the joint's linear rows on A [N] and ``torque`` of its angular rows [N m], in world axes, the mean over
    /// the last substep, and ``broken``. Made at each access.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<JointRecord>>> {
        let inner = self.lock()?;
        let mut loads = Vec::new();
        inner.simulation.joint_loads(&mut loads);
        let joints = inner.simulation.world().joints.iter().zip(&loads);
        let records = joints.map(|(joint, load)| JointRecord {
            body_a: joint.body_a as i32,
            body_b: joint.body_b.map_or(-1, |body| body as i32),
            force: load.force.into(),
            torque: load.torque.into(),
            broken: u8::from(joint.broken),
            padding: [0; 7],
        });
        Ok(view::read_only(PyArray1::from_vec(py, records.collect()))?)
    }

    /// Kinetic and potential energy of the dynamic bodies [J], an `Energy`; the potential one is zero at the world's origin.
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let energy = measure::energy(self.lock()?.simulation.world());
        let class = py.import("drystone.values")?.getattr("Energy")?;
        Ok(class.call1((energy.kinetic, energy.potential))?)
    }

    /// Values of the scene's probes now, by the names of their columns.
    #[getter]
    fn probes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let found = PyDict::new(py);
        let mut forces = Forces::default();
        let seen = inner.simulation.seen(&self.scene.probes, &mut forces);
        for probe in &self.scene.probes {
            let values = probe.values(&seen);
            for (name, value) in probe.columns().into_iter().zip(values) {
                found.set_item(name, value)?;
            }
        }
        Ok(found)
    }

    /// Report of the last step, a `StepReport`; ``None`` before the first.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, PyDict>>> {
        let inner = self.lock()?;
        let last = inner.last.as_ref();
        last.map(|last| report::of_step(py, last)).transpose()
    }

    /// All steps so far in numbers: what ``drystone run`` writes as ``summary.json``, expectations and their verdicts included.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        report::of_run(py, &inner.summary, &inner.judges, inner.wall)
    }

    /// The problem of the last part of the last step, copied, as the solver got it; of a world with joints, that of the last substep. With ``plan`` it is one in substeps, whose
    /// velocities lack the step's forces and whose biases mean nothing.
    fn problem(&self, py: Python<'_>) -> Result<Problem> {
        let inner = self.lock()?;
        Problem::copied_from(py, inner.simulation.velocity_problem(), self.threads)
    }

    /// Division of that problem; ``None`` if it was not.
    #[getter]
    fn plan(&self) -> Result<Option<Plan>> {
        let inner = self.lock()?;
        match inner.simulation.velocity_plan() {
            Some((solver::Plan::Substeps(plan), _)) => Plan::checked(plan).map(Some),
            _ => Ok(None),
        }
    }

    /// Impulses of that problem's contacts along their normals and tangents [N s], shape ``(contacts, 3)``, float32. Made at each access.
    #[getter]
    fn impulses<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f32>>> {
        let inner = self.lock()?;
        let impulses = inner.simulation.impulses();
        let flat = PyArray1::from_slice(py, impulses.as_flattened());
        Ok(view::read_only(flat.reshape([impulses.len(), 3])?)?)
    }

    /// Impulses of that problem's rows of joints [N s] or [N m s], shape ``(rows,)``, float32. Made at each access.
    #[getter]
    fn joint_impulses<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f32>>> {
        let inner = self.lock()?;
        Ok(view::read_only(PyArray1::from_slice(
            py,
            inner.simulation.joint_impulses(),
        ))?)
    }

    /// Pushes a dynamic body during the next step, or for ``duration`` [s] from now on.
    ///
    /// ``body`` is an index or a name; ``force`` [N] and ``torque`` [N m], about the centre of mass, are in world axes; ``point``, in world axes [m], is where the force attacks, by default the
    /// centre of mass. It moves with the body. Pushes add up.
    #[pyo3(signature = (body, force, point=None, *, torque=[0.0; 3], duration=None))]
    #[pyo3(
        text_signature = "($self, body, force, point=None, *, torque=(0.0, 0.0, 0.0), duration=None)"
    )]
    fn apply_force(
        &self,
        body: BodyName,
        force: [f64; 3],
        point: Option<[f64; 3]>,
        torque: [f64; 3],
        duration: Option<f64>,
    ) -> Result<()> {
        let index = self.find(body)?;
        let duration = duration.unwrap_or(self.scene.settings.time_step);
        if duration.is_nan() || duration <= 0.0 {
            return Err(Failure::invalid(
                "duration",
                format!("{duration} s is not positive"),
            ));
        }
        let mut inner = self.lock()?;
        let world = inner.simulation.world();
        let (now, pose) = (world.time, world.bodies[index].pose);
        inner.simulation.add_load(Load {
            body: index as u32,
            point: point.map_or_else(Vec3::zeros, |at| pose.inverse_point(&at.into())),
            force: force.into(),
            torque: torque.into(),
            from: now,
            until: now + duration,
            frequency: 0.0,
        })?;
        Ok(())
    }

    /// Gives a dynamic body another velocity of its centre of mass [m/s] or angular velocity [rad/s], in world axes. Contacts are found anew in the next step.
    #[pyo3(signature = (body, linear=None, angular=None))]
    fn set_velocity(
        &self,
        body: BodyName,
        linear: Option<[f64; 3]>,
        angular: Option<[f64; 3]>,
    ) -> Result<()> {
        let index = self.find(body)?;
        let given = linear.iter().chain(&angular).flatten();
        are_finite("velocity", given)?;
        if !self.scene.world.bodies[index].is_dynamic() {
            return Err(Failure::invalid(
                format!("body {index}"),
                "it is not dynamic, and no velocity moves it",
            ));
        }
        let mut inner = self.lock()?;
        let body = inner.body_mut(index);
        if let Some(linear) = linear {
            body.linear_velocity = linear.into();
        }
        if let Some(angular) = angular {
            body.angular_velocity = angular.into();
        }
        inner.watch_anew();
        Ok(())
    }

    /// Moves a body that is not kinematic: its centre of mass [m], its orientation, a quaternion ``(w, x, y, z)`` of length 1 (to 0.001), or both. Contacts are found anew in the next step.
    #[pyo3(signature = (body, position=None, orientation=None))]
    fn set_pose(
        &self,
        body: BodyName,
        position: Option<[f64; 3]>,
        orientation: Option<[f64; 4]>,
    ) -> Result<()> {
        let index = self.find(body)?;
        are_finite("position", position.iter().flatten())?;
        are_finite("orientation", orientation.iter().flatten())?;
        if self.scene.world.bodies[index].motion.is_some() {
            return Err(Failure::invalid(
                format!("body {index}"),
                "it is kinematic, and its motion says where it is",
            ));
        }
        let turned = orientation.map(|[w, x, y, z]| {
            let length = (w * w + x * x + y * y + z * z).sqrt();
            if (length - 1.0).abs() < 1e-3 {
                Ok(Quat::from_quaternion([x, y, z, w].into()))
            } else {
                let why = format!("the quaternion has length {length}, not 1");
                Err(Failure::invalid("orientation", why))
            }
        });
        let turned = turned.transpose()?;
        let mut inner = self.lock()?;
        let body = inner.body_mut(index);
        let Pose {
            position: at,
            orientation: turn,
        } = body.pose;
        body.pose = Pose::new(position.map_or(at, Into::into), turned.unwrap_or(turn));
        inner.watch_anew();
        Ok(())
    }

    fn __repr__(&self) -> Result<String> {
        let inner = self.lock()?;
        Ok(format!(
            "<drystone.Simulation of `{}`: {} bodies, {} steps, t = {} s>",
            self.scene.name,
            self.body_count(),
            inner.summary.steps,
            inner.simulation.world().time
        ))
    }
}

impl Simulation {
    fn lock(&self) -> Result<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::WouldBlock) => Err(Failure::busy("simulation")),
            Err(TryLockError::Poisoned(_)) => {
                let why = "a step of this simulation panicked, and its state is none; make it anew";
                Err(PyRuntimeError::new_err(why).into())
            }
        }
    }

    /// Three numbers of each body, where they are.
    fn of_bodies<'py>(&self, py: Python<'py>, offset: usize) -> Result<Bound<'py, PyArray2<f64>>> {
        let inner = self.lock()?;
        let owner = inner.lender.lend(py)?;
        let bodies = &inner.simulation.world().bodies;
        // SAFETY: the owner keeps the bodies, which change only where the lender is told before; offsets are of vectors of f64.
        Ok(unsafe { view::triples(&owner, bodies, offset) }?)
    }

    /// Index of a body.
    fn find(&self, body: BodyName) -> Result<usize> {
        let count = self.body_count();
        match body {
            BodyName::Name(name) => self.index(&name),
            BodyName::Index(index) => usize::try_from(index)
                .ok()
                .filter(|&index| index < count)
                .ok_or_else(|| {
                    PyIndexError::new_err(format!("body {index} of {count} does not exist")).into()
                }),
        }
    }
}

fn are_finite<'a>(what: &str, mut numbers: impl Iterator<Item = &'a f64>) -> Result<()> {
    if numbers.all(|number| number.is_finite()) {
        return Ok(());
    }
    Err(Failure::invalid(what, "every number must be finite"))
}
