//! Contact problems on arrays of the caller's.

use crate::error::{Failure, Result};
use crate::lent::{self, Lent};
use crate::options;
use crate::plan::Plan;
use crate::records::{BodyRecord, ProblemContact, RowRecord};
use crate::solution::Solution;
use crate::threads;
use drystone::problem::{
    FrictionCone, FrictionLaw, MovingSurfaces, ProblemRef, RollingFriction, Velocity,
};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::{self, Options, Solver as _};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Bodies, contacts and rows of joints: one contact problem, or a step in substeps, on numpy arrays of the caller's.
///
/// Nothing is copied of arrays whose memory is in one piece and, of bodies and contacts, aligned to 64 bytes: `new_bodies`, `new_contacts` and
/// `new_joint_rows` make such arrays, and ``copied`` names those that are none. The arrays are kept and read anew in every solve, so that a host
/// fills them in place from step to step. While a solve lasts, which is without the interpreter's lock, no other thread may write to them.
///
/// ``bodies``, ``contacts`` and ``rows`` are of `body_dtype`, `contact_dtype` and `joint_row_dtype`. A step in substeps (`step`) further needs ``increments``,
/// what forces add to each body's velocity over the step (``(n, 6)``, linear [m/s] then angular [rad/s], float32), and ``gaps``, the separation of each
/// contact [m]; ``restitutions``, ``loads`` [N] and ``sizes`` (`measure_sizes`), one a contact, are optional there. All of them are float32.
///
/// ``surface_velocities`` (``(n, 3)`` [m/s], float32, tangential) are of contacts on surfaces that move over their body, such as conveyor belts: A sticks where it moves so
/// relative to B; where one is not zero, A or B has to be immovable.
///
/// ``compliances`` (one a contact, float32, at least 0) are springs: in a step a contact that carries a force f in rest is c f deep, c in m/N; in a problem that is solved once they are what a unit of normal impulse leaves of the normal velocity [1/kg].
///
/// Normals point from body B to body A. ``friction_directions`` is the number of corners of a friction polygon, even, 4 to 16; the default is the
/// disk. ``friction_law`` is ``"coulomb"`` or ``"convex"``. ``contact_softness`` is over the contacts' own response; a plan has its own. A pair of bodies whose velocities the first visits of a sweep over soft contacts change by less than ``calm_change`` [m/s] is left for the rest of it; a plan has its own. ``threads`` is the number of threads, by default one a core; results do not depend on it.
#[pyclass(frozen, module = "drystone._drystone")]
pub(crate) struct Problem {
    inner: Mutex<Inner>,
    friction_cone: FrictionCone,
    friction_law: FrictionLaw,
    contact_softness: f32,
    calm_change: f32,
    threads: usize,
}

struct Inner {
    solver: CpuSolver,
    surfaces: MovingSurfaces,
    arrays: Arrays,
}

/// Arrays of a problem; `None` where there is none.
struct Arrays {
    bodies: Py<PyAny>,
    contacts: Py<PyAny>,
    rows: Option<Py<PyAny>>,
    surface_velocities: Option<Py<PyAny>>,
    increments: Option<Py<PyAny>>,
    gaps: Option<Py<PyAny>>,
    restitutions: Option<Py<PyAny>>,
    loads: Option<Py<PyAny>>,
    sizes: Option<Py<PyAny>>,
    compliances: Option<Py<PyAny>>,
}

/// The same on loan.
struct LentArrays<'py> {
    bodies: Lent<'py, BodyRecord>,
    contacts: Lent<'py, ProblemContact>,
    rows: Option<Lent<'py, RowRecord>>,
    surface_velocities: Option<Lent<'py, f32>>,
    increments: Option<Lent<'py, f32>>,
    gaps: Option<Lent<'py, f32>>,
    restitutions: Option<Lent<'py, f32>>,
    loads: Option<Lent<'py, f32>>,
    sizes: Option<Lent<'py, f32>>,
    compliances: Option<Lent<'py, f32>>,
}

impl Arrays {
    fn lend<'py>(&self, py: Python<'py>) -> Result<LentArrays<'py>> {
        let numbers = |array: &Option<Py<PyAny>>, what: &str, rest: &[usize]| {
            let lent = array.as_ref().map(|a| Lent::of(a.bind(py), what, rest));
            lent.transpose()
        };
        let rows = self.rows.as_ref();
        Ok(LentArrays {
            bodies: Lent::of(self.bodies.bind(py), "bodies", &[])?,
            contacts: Lent::of(self.contacts.bind(py), "contacts", &[])?,
            rows: rows
                .map(|rows| Lent::of(rows.bind(py), "rows", &[]))
                .transpose()?,
            surface_velocities: numbers(&self.surface_velocities, "surface_velocities", &[3])?,
            increments: numbers(&self.increments, "increments", &[6])?,
            gaps: numbers(&self.gaps, "gaps", &[])?,
            restitutions: numbers(&self.restitutions, "restitutions", &[])?,
            loads: numbers(&self.loads, "loads", &[])?,
            sizes: numbers(&self.sizes, "sizes", &[])?,
            compliances: numbers(&self.compliances, "compliances", &[])?,
        })
    }
}

impl LentArrays<'_> {
    /// Name, address and whether it is a copy, of each that there is.
    fn places(&self) -> Vec<(&'static str, usize, bool)> {
        let mut places = vec![
            ("bodies", self.bodies.address(), self.bodies.is_copy),
            ("contacts", self.contacts.address(), self.contacts.is_copy),
        ];
        let rows = self.rows.as_ref();
        places.extend(rows.map(|rows| ("rows", rows.address(), rows.is_copy)));
        for (name, array) in [
            ("surface_velocities", &self.surface_velocities),
            ("increments", &self.increments),
            ("gaps", &self.gaps),
            ("restitutions", &self.restitutions),
            ("loads", &self.loads),
            ("sizes", &self.sizes),
            ("compliances", &self.compliances),
        ] {
            places.extend(array.as_ref().map(|a| (name, a.address(), a.is_copy)));
        }
        places
    }
}

fn numbers<'a>(lent: &'a Option<Lent<'_, f32>>) -> Result<&'a [f32]> {
    lent.as_ref().map_or(Ok(&[]), Lent::slice)
}

#[pymethods]
impl Problem {
    #[new]
    #[pyo3(signature = (bodies, contacts, rows=None, *, surface_velocities=None, increments=None, gaps=None, restitutions=None, loads=None, sizes=None, compliances=None, friction_directions=None, friction_law="coulomb", contact_softness=0.0, calm_change=0.0, threads=None))]
    fn new(
        py: Python<'_>,
        bodies: Py<PyAny>,
        contacts: Py<PyAny>,
        rows: Option<Py<PyAny>>,
        surface_velocities: Option<Py<PyAny>>,
        increments: Option<Py<PyAny>>,
        gaps: Option<Py<PyAny>>,
        restitutions: Option<Py<PyAny>>,
        loads: Option<Py<PyAny>>,
        sizes: Option<Py<PyAny>>,
        compliances: Option<Py<PyAny>>,
        friction_directions: Option<u32>,
        friction_law: &str,
        contact_softness: f32,
        calm_change: f32,
        threads: Option<usize>,
    ) -> Result<Self> {
        let arrays = Arrays {
            bodies,
            contacts,
            rows,
            surface_velocities,
            increments,
            gaps,
            restitutions,
            loads,
            sizes,
            compliances,
        };
        arrays.lend(py)?;
        let friction_cone = options::friction_cone(friction_directions)?;
        let friction_law = options::friction_law(friction_law)?;
        friction_law.validate(friction_cone)?;
        Ok(Self {
            inner: Mutex::new(Inner {
                solver: CpuSolver::new(),
                surfaces: MovingSurfaces::default(),
                arrays,
            }),
            friction_cone,
            friction_law,
            contact_softness,
            calm_change,
            threads: threads::count(threads)?,
        })
    }

    /// Solves the problem once: bodies carry the velocities that they would end the step with, contacts and rows their biases.
    ///
    /// ``method`` is ``"pgs"``, ``"jacobi"``, ``"nesterov"`` or ``"cluster"``. Sweeps end after ``iterations``, or where the root mean square of the residual
    /// is at most ``tolerance`` [m/s], which is looked at every ``check_every`` sweeps; 0 makes all of them. With ``warm_start`` they start
    /// from the impulses in contacts and rows. With ``direct_joints`` the rows without bounds are solved all at once before the first
    /// sweep, ``direct_damping`` being added to the unit diagonal of their matrix.
    #[pyo3(signature = (*, method="pgs", iterations=30, tolerance=0.0, check_every=8, warm_start=true, direct_joints=true, direct_damping=0.0))]
    fn solve(
        &self,
        py: Python<'_>,
        method: &str,
        iterations: u32,
        tolerance: f32,
        check_every: u32,
        warm_start: bool,
        direct_joints: bool,
        direct_damping: f32,
    ) -> Result<Solution> {
        let options = Options {
            method: options::method(method)?,
            iterations,
            tolerance,
            check_every,
            warm_start,
            direct_joints,
            direct_damping,
        };
        self.run(py, &solver::Plan::Once(options))
    }

    /// Solves a step in substeps: bodies carry the velocities that they start with, biases follow from the gaps.
    fn step(&self, py: Python<'_>, plan: &Plan) -> Result<Solution> {
        self.run(py, &solver::Plan::Substeps(plan.plan))
    }

    /// Checks every number and index.
    ///
    /// Raises `InvalidError` that names the first body, contact or row with something wrong.
    fn validate(&self, py: Python<'_>) -> Result<()> {
        self.with_surfaces(py, |_, carried| Ok(carried.validate()?))
    }

    /// Which bodies hang together: the number of islands, and for each body the index of its island's first (uint32, shape ``(bodies,)``).
    ///
    /// A body that cannot move links nothing and gets 2**32 - 1; one that nothing touches is an island.
    fn islands<'py>(&self, py: Python<'py>) -> Result<(usize, Bound<'py, PyArray1<u32>>)> {
        let (count, islands) = self.with(py, |problem| {
            let mut islands = Vec::new();
            let count = problem.islands(&mut islands);
            Ok((count, islands))
        })?;
        Ok((count, PyArray1::from_vec(py, islands)))
    }

    /// Where the solver reads each array: the address of its first number.
    fn addresses<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        for (name, address, _) in self.lock()?.arrays.lend(py)?.places() {
            found.set_item(name, address)?;
        }
        Ok(found)
    }

    /// Names of the arrays that every solve has to copy.
    #[getter]
    fn copied(&self, py: Python<'_>) -> Result<Vec<&'static str>> {
        let places = self.lock()?.arrays.lend(py)?.places();
        let copied = places.into_iter().filter(|place| place.2);
        Ok(copied.map(|(name, ..)| name).collect())
    }

    /// The bodies.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> Result<Py<PyAny>> {
        Ok(self.lock()?.arrays.bodies.clone_ref(py))
    }

    #[setter]
    fn set_bodies(&self, py: Python<'_>, array: Py<PyAny>) -> Result<()> {
        Lent::<BodyRecord>::of(array.bind(py), "bodies", &[])?;
        self.lock()?.arrays.bodies = array;
        Ok(())
    }

    /// The contacts.
    #[getter]
    fn contacts(&self, py: Python<'_>) -> Result<Py<PyAny>> {
        Ok(self.lock()?.arrays.contacts.clone_ref(py))
    }

    #[setter]
    fn set_contacts(&self, py: Python<'_>, array: Py<PyAny>) -> Result<()> {
        Lent::<ProblemContact>::of(array.bind(py), "contacts", &[])?;
        self.lock()?.arrays.contacts = array;
        Ok(())
    }

    /// Rows of joints, or ``None``.
    #[getter]
    fn rows(&self, py: Python<'_>) -> Result<Option<Py<PyAny>>> {
        let inner = self.lock()?;
        Ok(inner.arrays.rows.as_ref().map(|rows| rows.clone_ref(py)))
    }

    #[setter]
    fn set_rows(&self, py: Python<'_>, array: Option<Py<PyAny>>) -> Result<()> {
        if let Some(array) = &array {
            Lent::<RowRecord>::of(array.bind(py), "rows", &[])?;
        }
        self.lock()?.arrays.rows = array;
        Ok(())
    }

    /// Velocity of the surface of each contact, tangential [m/s], or ``None`` if none moves.
    #[getter]
    fn surface_velocities(&self, py: Python<'_>) -> Result<Option<Py<PyAny>>> {
        self.optional(py, |arrays| &mut arrays.surface_velocities)
    }

    #[setter]
    fn set_surface_velocities(&self, py: Python<'_>, array: Option<Py<PyAny>>) -> Result<()> {
        let what = ("surface_velocities", &[3][..]);
        self.exchange(py, array, what, |a| &mut a.surface_velocities)
    }

    /// Velocity that forces add to each body over a step in substeps, or ``None``.
    #[getter]
    fn increments(&self, py: Python<'_>) -> Result<Option<Py<PyAny>>> {
        self.optional(py, |arrays| &mut arrays.increments)
    }

    #[setter]
    fn set_increments(&self, py: Python<'_>, array: Option<Py<PyAny>>) -> Result<()> {
        self.exchange(py, array, ("increments", &[6]), |a| &mut a.increments)
    }

    /// Separation of each contact at the start of a step in substeps [m], or ``None``.
    #[getter]
    fn gaps(&self, py: Python<'_>) -> Result<Option<Py<PyAny>>> {
        self.optional(py, |arrays| &mut arrays.gaps)
    }

    #[setter]
    fn set_gaps(&self, py: Python<'_>, array: Option<Py<PyAny>>) -> Result<()> {
        self.exchange(py, array, ("gaps", &[]), |arrays| &mut arrays.gaps)
    }

    /// Newton's coefficient of each contact in substeps, or ``None`` if nothing bounces.
    #[getter]
    fn restitutions(&self, py: Python<'_>) -> Result<Option<Py<PyAny>>> {
        self.optional(py, |arrays| &mut arrays.restitutions)
    }

    #[setter]
    fn set_restitutions(&self, py: Python<'_>, array: Option<Py<PyAny>>) -> Result<()> {
        self.exchange(py, array, ("restitutions", &[]), |a| &mut a.restitutions)
    }

    /// Force that each contact has carried in the mean over the last moments [N], or ``None`` if none is known.
    #[getter]
    fn loads(&self, py: Python<'_>) -> Result<Option<Py<PyAny>>> {
        self.optional(py, |arrays| &mut arrays.loads)
    }

    #[setter]
    fn set_loads(&self, py: Python<'_>, array: Option<Py<PyAny>>) -> Result<()> {
        self.exchange(py, array, ("loads", &[]), |arrays| &mut arrays.loads)
    }

    /// Size of the smaller body that moves at each contact over that of the smallest of all, at least 1, in substeps; or ``None`` if all
    /// bodies are of one size.
    #[getter]
    fn sizes(&self, py: Python<'_>) -> Result<Option<Py<PyAny>>> {
        self.optional(py, |arrays| &mut arrays.sizes)
    }

    #[setter]
    fn set_sizes(&self, py: Python<'_>, array: Option<Py<PyAny>>) -> Result<()> {
        self.exchange(py, array, ("sizes", &[]), |arrays| &mut arrays.sizes)
    }

    /// Compliance of each contact, in m/N in a step and in 1/kg in a problem that is solved once; or ``None`` without springs.
    #[getter]
    fn compliances(&self, py: Python<'_>) -> Result<Option<Py<PyAny>>> {
        self.optional(py, |arrays| &mut arrays.compliances)
    }

    #[setter]
    fn set_compliances(&self, py: Python<'_>, array: Option<Py<PyAny>>) -> Result<()> {
        self.exchange(py, array, ("compliances", &[]), |arrays| {
            &mut arrays.compliances
        })
    }

    /// Rows that hold bodies back from rolling and from spinning on each other, for ``rows``, behind those that there are: two about the tangents of each contact whose
    /// ``rolling`` length is above 0, and one about its normal for ``spinning`` (float32, one a contact [m]). Moments are at most the length times the normal impulse
    /// that the contact starts from, so that rows are made anew in every step. Rows are of problems that are solved once.
    #[pyo3(signature = (rolling=None, spinning=None))]
    fn rolling_rows<'py>(
        &self,
        py: Python<'py>,
        rolling: Option<Bound<'py, PyAny>>,
        spinning: Option<Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyArray1<RowRecord>>> {
        let lend = |array: &Option<Bound<'py, PyAny>>, what: &str| {
            let lent = array.as_ref().map(|array| Lent::of(array, what, &[]));
            lent.transpose()
        };
        let (rolling, spinning) = (lend(&rolling, "rolling")?, lend(&spinning, "spinning")?);
        let (rolling, spinning) = (numbers(&rolling)?, numbers(&spinning)?);
        let rows = self.with(py, |problem| {
            let contacts = ProblemRef {
                contacts: problem.contacts,
                ..ProblemRef::default()
            };
            let mut memory = RollingFriction::default();
            let held = memory.hold(&contacts, rolling, spinning)?;
            Ok(held.joint_rows.iter().copied().map(RowRecord).collect())
        })?;
        Ok(PyArray1::from_vec(py, rows))
    }

    /// Sets ``sizes``, each body taken for a ball of its mass and mean inertia: to be called for bodies of different sizes when contacts are
    /// new.
    fn measure_sizes(&self, py: Python<'_>) -> Result<()> {
        let sizes = self.with(py, |problem| {
            let mut sizes = Vec::new();
            problem.measure_sizes(&mut sizes);
            Ok(sizes)
        })?;
        self.lock()?.arrays.sizes = Some(PyArray1::from_vec(py, sizes).into_any().unbind());
        Ok(())
    }
}

/// Surfaces of a problem that move.
struct Surfaces<'a> {
    memory: &'a mut MovingSurfaces,
    velocities: &'a [[f32; 3]],
}

impl<'a> Surfaces<'a> {
    fn carried(self, problem: &ProblemRef<'a>) -> Result<ProblemRef<'a>> {
        Ok(self.memory.carry(problem, self.velocities)?)
    }
}

type Slot = fn(&mut Arrays) -> &mut Option<Py<PyAny>>;

impl Problem {
    /// A problem of the library's, copied.
    pub(crate) fn copied_from(
        py: Python<'_>,
        problem: &drystone::problem::Problem,
        threads: usize,
    ) -> Result<Self> {
        let bodies = problem.bodies.iter().copied().map(BodyRecord).collect();
        let contacts = problem.contacts.iter().copied().map(ProblemContact);
        let rows: Vec<RowRecord> = problem.joint_rows.iter().copied().map(RowRecord).collect();
        let increments: &[f32] = bytemuck::cast_slice(&problem.increments);
        let increments =
            PyArray1::from_slice(py, increments).reshape([problem.increments.len(), 6])?;
        let optional = |numbers: &[f32]| {
            let array = (!numbers.is_empty()).then(|| PyArray1::from_slice(py, numbers));
            array.map(|array| array.into_any().unbind())
        };
        Ok(Self {
            inner: Mutex::new(Inner {
                solver: CpuSolver::new(),
                surfaces: MovingSurfaces::default(),
                arrays: Arrays {
                    bodies: PyArray1::from_vec(py, bodies).into_any().unbind(),
                    contacts: PyArray1::from_vec(py, contacts.collect())
                        .into_any()
                        .unbind(),
                    rows: (!rows.is_empty())
                        .then(|| PyArray1::from_vec(py, rows).into_any().unbind()),
                    surface_velocities: None,
                    increments: Some(increments.into_any().unbind()),
                    gaps: Some(PyArray1::from_slice(py, &problem.gaps).into_any().unbind()),
                    restitutions: optional(&problem.restitutions),
                    loads: optional(&problem.loads),
                    sizes: optional(&problem.sizes),
                    compliances: optional(&problem.compliances),
                },
            }),
            friction_cone: problem.friction_cone,
            friction_law: problem.friction_law,
            contact_softness: problem.contact_softness,
            calm_change: problem.calm_change,
            threads,
        })
    }

    fn lock(&self) -> Result<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            // A panic leaves the solver's memory only, which the next solve overwrites.
            Err(TryLockError::Poisoned(inner)) => Ok(inner.into_inner()),
            Err(TryLockError::WouldBlock) => Err(Failure::busy("problem")),
        }
    }

    /// Calls something with the problem where it is, without the interpreter's lock; surfaces that move are left out.
    pub(crate) fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&ProblemRef<'_>) -> Result<R> + Send,
    ) -> Result<R> {
        self.with_solver(py, |_, problem, _| work(problem))
    }

    /// The same, and with the problem as it is solved: surfaces that move have bodies of their own behind the others.
    pub(crate) fn with_surfaces<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&ProblemRef<'_>, &ProblemRef<'_>) -> Result<R> + Send,
    ) -> Result<R> {
        self.with_solver(py, |_, problem, surfaces| {
            work(problem, &surfaces.carried(problem)?)
        })
    }

    fn with_solver<R: Send>(
        &self,
        py: Python<'_>,
        work: impl for<'a> FnOnce(&mut CpuSolver, &ProblemRef<'a>, Surfaces<'a>) -> Result<R> + Send,
    ) -> Result<R> {
        let mut inner = self.lock()?;
        let Inner {
            solver,
            surfaces,
            arrays,
        } = &mut *inner;
        let lent = arrays.lend(py)?;
        let increments: &[Velocity] = bytemuck::cast_slice(numbers(&lent.increments)?);
        let rows = lent.rows.as_ref().map_or(Ok(&[][..]), Lent::slice)?;
        let problem = ProblemRef {
            bodies: BodyRecord::peel(lent.bodies.slice()?),
            contacts: ProblemContact::peel(lent.contacts.slice()?),
            joint_rows: RowRecord::peel(rows),
            friction_cone: self.friction_cone,
            friction_law: self.friction_law,
            contact_softness: self.contact_softness,
            calm_change: self.calm_change,
            increments,
            gaps: numbers(&lent.gaps)?,
            restitutions: numbers(&lent.restitutions)?,
            loads: numbers(&lent.loads)?,
            sizes: numbers(&lent.sizes)?,
            compliances: numbers(&lent.compliances)?,
        };
        let surfaces = Surfaces {
            memory: surfaces,
            velocities: bytemuck::cast_slice(numbers(&lent.surface_velocities)?),
        };
        let pool = threads::pool(self.threads)?;
        py.detach(|| pool.install(|| work(solver, &problem, surfaces)))
    }

    fn run(&self, py: Python<'_>, plan: &solver::Plan) -> Result<Solution> {
        self.with_solver(py, |solver, problem, surfaces| {
            let mut found = solver::Solution::default();
            let report = solver.step(&surfaces.carried(problem)?, plan, &mut found)?;
            Solution::new(problem, plan, found, report.velocity)
        })
    }

    /// Calls something with the contacts, to be written where they are, and exchanges the loads for those that it gives.
    ///
    /// # Errors
    /// `InvalidError` for contacts that are not in one piece, not aligned, read-only or in use.
    pub(crate) fn write_contacts(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut [ProblemContact]) -> Result<Vec<f32>>,
    ) -> Result<()> {
        let mut inner = self.lock()?;
        let array = lent::typed::<ProblemContact>(inner.arrays.contacts.bind(py), "contacts", &[])?;
        if !lent::is_in_place(&array) {
            return Err(Failure::invalid(
                "contacts",
                "the array is a copy in every solve, and its impulses would be lost; make it with new_contacts",
            ));
        }
        let mut array = array
            .try_readwrite()
            .map_err(|why| Failure::invalid("contacts", why.to_string()))?;
        let contacts = array
            .as_slice_mut()
            .map_err(|why| Failure::invalid("contacts", why.to_string()))?;
        let loads = work(contacts)?;
        inner.arrays.loads = Some(PyArray1::from_vec(py, loads).into_any().unbind());
        Ok(())
    }

    fn optional(&self, py: Python<'_>, slot: Slot) -> Result<Option<Py<PyAny>>> {
        let mut inner = self.lock()?;
        let array = slot(&mut inner.arrays).as_ref();
        Ok(array.map(|array| array.clone_ref(py)))
    }

    fn exchange(
        &self,
        py: Python<'_>,
        array: Option<Py<PyAny>>,
        (what, rest): (&str, &[usize]),
        slot: Slot,
    ) -> Result<()> {
        if let Some(array) = &array {
            Lent::<f32>::of(array.bind(py), what, rest)?;
        }
        *slot(&mut self.lock()?.arrays) = array;
        Ok(())
    }
}
