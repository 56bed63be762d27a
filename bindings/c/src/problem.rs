//! Bodies, contacts and rows of joints, and what hangs together.

use crate::fault::{Fault, Result, ds_status, guarded_alone};
use crate::memory::{Sized32, array, check_pointer, records, structure, write};
use bytemuck::{Pod, Zeroable};
use drystone::problem::{Body, Contact, FrictionCone, FrictionLaw, JointRow, ProblemRef, Velocity};
use std::borrow::Cow;

/// Mass and velocity of one body, in world axes at its centre of mass. One that does not move has `inverse_mass` and `inverse_inertia` 0.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct ds_body {
    /// Of the centre of mass [m/s]: for `ds_solve` with forces applied, for `ds_step` before them.
    pub linear_velocity: [f32; 3],
    /// One over the mass [1/kg].
    pub inverse_mass: f32,
    /// In world axes [rad/s].
    pub angular_velocity: [f32; 3],
    /// Unused.
    pub padding: f32,
    /// In world axes: xx, xy, xz, yy, yz, zz [1/(kg m^2)].
    pub inverse_inertia: [f32; 6],
    /// Unused.
    pub padding_2: [f32; 2],
}

/// One contact point between two bodies.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct ds_contact {
    /// Index of body A.
    pub body_a: u32,
    /// Index of body B. An engine whose normals point from A to B exchanges the two bodies, and leaves the normal as it is.
    pub body_b: u32,
    /// Contact point minus A's centre of mass, in world axes [m].
    pub arm_a: [f32; 3],
    /// Contact point minus B's centre of mass, likewise.
    pub arm_b: [f32; 3],
    /// Unit vector from B to A.
    pub normal: [f32; 3],
    /// Added to the relative normal velocity [m/s]; `ds_step` finds its own.
    pub bias: f32,
    /// Coulomb's coefficient, at least 0.
    pub friction: f32,
    /// Impulse to start from along the normal and the two tangents [N s]; see `ds_tangents`.
    pub impulse: [f32; 3],
}

/// One scalar constraint between two bodies: a joint is a run of them. Its Jacobian is (linear, angular_a) on A and (-linear, angular_b) on B.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct ds_joint_row {
    /// Index of body A.
    pub body_a: u32,
    /// Index of body B.
    pub body_b: u32,
    /// A unit vector, or zero for a row that only turns.
    pub linear: [f32; 3],
    /// Angular part on A, in world axes.
    pub angular_a: [f32; 3],
    /// Angular part on B, likewise.
    pub angular_b: [f32; 3],
    /// Added to the relative velocity [m/s] or [rad/s].
    pub bias: f32,
    /// Velocity that a unit impulse leaves, at least 0.
    pub softness: f32,
    /// Least impulse, -FLT_MAX for none.
    pub lower: f32,
    /// Largest impulse, FLT_MAX for none.
    pub upper: f32,
    /// Impulse to start from.
    pub impulse: f32,
}

/// A velocity, or a change of it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct ds_velocity {
    /// [m/s].
    pub linear: [f32; 3],
    /// In world axes [rad/s].
    pub angular: [f32; 3],
}

/// How far a body moves.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct ds_displacement {
    /// Of the centre of mass [m].
    pub linear: [f32; 3],
    /// Rotation vector in world axes [rad].
    pub angular: [f32; 3],
}

/// Coulomb's law.
pub const DS_LAW_COULOMB: u32 = 0;
/// The convex cone form.
pub const DS_LAW_CONVEX: u32 = 1;

/// Bodies, contacts and rows of joints. Begin with zeros and `struct_size`.
///
/// Bodies and contacts that stand without gaps in memory that is aligned to 64 bytes are not copied.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ds_problem {
    /// `sizeof(ds_problem)`.
    pub struct_size: u32,
    /// Corners of the friction polygon, even, 4 to 16; 0 for the disk.
    pub friction_directions: u32,
    /// `DS_LAW_COULOMB` or `DS_LAW_CONVEX`.
    pub friction_law: u32,
    /// Softness of contacts over their own response, at least 0; `ds_step` takes that of its plan.
    pub contact_softness: f32,
    /// Number of bodies.
    pub body_count: usize,
    /// Number of contacts.
    pub contact_count: usize,
    /// Number of rows of joints; `ds_step` takes none.
    pub joint_row_count: usize,
    /// The bodies.
    pub bodies: *const ds_body,
    /// The contacts; those of one pair of bodies should stand together.
    pub contacts: *const ds_contact,
    /// The rows; those of one pair of bodies should stand together.
    pub joint_rows: *const ds_joint_row,
    /// Velocity of the surface of each contact, normal to its normal, with which A sticks to B [m/s]; not zero only on immovable bodies, such as
    /// conveyor belts; null if none moves.
    pub surface_velocities: *const [f32; 3],
    /// For `ds_step`: what forces add to each body's velocity over the step.
    pub increments: *const ds_velocity,
    /// For `ds_step`: separation of each contact, negative when penetrating [m].
    pub gaps: *const f32,
    /// For `ds_step`: Newton's coefficient of each contact; null if nothing bounces.
    pub restitutions: *const f32,
    /// For `ds_step`: load of each contact [N], from `ds_warm_start_load`; null if none is known.
    pub loads: *const f32,
    /// For `ds_step`: size of the smaller body that moves at each contact over that of the smallest of all, at least 1, from `ds_sizes`;
    /// null if all bodies are of one size.
    pub sizes: *const f32,
    /// Compliance of each contact, at least 0: of a spring [m/N] for `ds_step`, and what a unit of normal impulse leaves of the normal velocity [1/kg] else,
    /// c / h^2 for such a spring at the end of a step h; null if all are as hard as the options and the plan make them.
    pub compliances: *const f32,
    /// For `ds_solve`: length [m] that times the normal impulse which a contact starts from bounds its moments against rolling; null if there are none.
    pub rolling_lengths: *const f32,
    /// The same of its moment about the normal, against spinning.
    pub spinning_lengths: *const f32,
    /// Bytes from one body to the next, where they are members of larger records: at least `sizeof(ds_body)`, a multiple of 4; 0 if they stand without gaps.
    pub body_stride: usize,
    /// The same of contacts.
    pub contact_stride: usize,
    /// The same of rows of joints.
    pub joint_row_stride: usize,
}

// SAFETY: it is `repr(C)` and begins with its size.
unsafe impl Sized32 for ds_problem {
    const NAME: &'static str = "ds_problem";
}

/// A problem whose arrays have been looked at.
pub(crate) struct Given<'a> {
    bodies: Cow<'a, [Body]>,
    contacts: Cow<'a, [Contact]>,
    joint_rows: Cow<'a, [JointRow]>,
    rest: ProblemRef<'a>,
    /// Empty if none moves.
    pub(crate) surface_velocities: &'a [[f32; 3]],
    /// Empty if nothing holds bodies back from rolling.
    pub(crate) rolling: &'a [f32],
    /// Likewise from spinning.
    pub(crate) spinning: &'a [f32],
}

impl Given<'_> {
    /// Checks the bodies only, for what asks for their sizes: contacts are checked by what solves them.
    ///
    /// # Errors
    /// `DS_INVALID` that names the first body with something wrong.
    pub(crate) fn validate_bodies(&self) -> Result<()> {
        let bodies = ProblemRef {
            bodies: &self.bodies,
            ..ProblemRef::default()
        };
        Ok(bodies.validate()?)
    }

    pub(crate) fn problem(&self) -> ProblemRef<'_> {
        ProblemRef {
            bodies: &self.bodies,
            contacts: &self.contacts,
            joint_rows: &self.joint_rows,
            ..self.rest
        }
    }
}

/// The caller's problem; with `in_step`, one of a step.
///
/// # Safety
/// Its arrays are as long as their counts say, and nobody writes them while `'a` lasts.
pub(crate) unsafe fn given<'a>(problem: *const ds_problem, in_step: bool) -> Result<Given<'a>> {
    // SAFETY: the caller's promise.
    unsafe {
        let from = structure(problem)?;
        let (bodies, contacts) = (from.body_count, from.contact_count);
        let if_any = |given: bool, count: usize| if given && in_step { count } else { 0 };
        let optional =
            |from: *const f32, what| array(from, if_any(!from.is_null(), contacts), what);
        let rows = from.joint_row_count;
        let of_any_plan = |is_null: bool| if is_null { 0 } else { contacts };
        let surfaces = of_any_plan(from.surface_velocities.is_null());
        let of_contacts = |from: *const f32, what| array(from, of_any_plan(from.is_null()), what);
        let increments = if_any(!from.increments.is_null(), bodies);
        let increments: &[ds_velocity] = array(from.increments, increments, "increments")?;
        Ok(Given {
            bodies: records::<_, Body>(from.bodies, bodies, from.body_stride, "bodies")?,
            contacts: records::<_, Contact>(
                from.contacts,
                contacts,
                from.contact_stride,
                "contacts",
            )?,
            joint_rows: records::<_, JointRow>(
                from.joint_rows,
                rows,
                from.joint_row_stride,
                "joint rows",
            )?,
            surface_velocities: array(from.surface_velocities, surfaces, "surface_velocities")?,
            rolling: of_contacts(from.rolling_lengths, "rolling_lengths")?,
            spinning: of_contacts(from.spinning_lengths, "spinning_lengths")?,
            rest: ProblemRef {
                friction_cone: match from.friction_directions {
                    0 => FrictionCone::Disk,
                    directions => FrictionCone::Pyramid { directions },
                },
                friction_law: friction_law(from.friction_law)?,
                contact_softness: from.contact_softness,
                calm_change: 0.0,
                increments: bytemuck::cast_slice::<_, Velocity>(increments),
                gaps: array(from.gaps, if_any(true, contacts), "gaps")?,
                restitutions: optional(from.restitutions, "restitutions")?,
                loads: optional(from.loads, "loads")?,
                sizes: optional(from.sizes, "sizes")?,
                compliances: of_contacts(from.compliances, "compliances")?,
                ..ProblemRef::default()
            },
        })
    }
}

/// Writes the size of each contact for `ds_problem.sizes`, bodies taken for balls of their masses and mean inertias: for bodies of different
/// sizes, when contacts are new. `sizes` is of `contact_count` numbers.
///
/// # Safety
/// The problem's arrays are as long as its counts say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sizes(problem: *const ds_problem, sizes: *mut f32) -> ds_status {
    guarded_alone(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let given = given(problem, false)?;
            given.validate_bodies()?;
            let mut found = Vec::new();
            given.problem().measure_sizes(&mut found);
            write(sizes, &found, "sizes")
        }
    })
}

/// A law by its number.
pub(crate) fn friction_law(number: u32) -> Result<FrictionLaw> {
    match number {
        DS_LAW_COULOMB => Ok(FrictionLaw::Coulomb),
        DS_LAW_CONVEX => Ok(FrictionLaw::Convex),
        other => Err(Fault::invalid(format!("friction_law: {other} is none"))),
    }
}

/// Marks bodies that contacts and rows link, directly or by others, with the same number, that of the island's first body; one that does not
/// move gets UINT32_MAX. `islands` is of `body_count` numbers; `island_count` may be null.
///
/// # Safety
/// Pointers are to as many elements as the counts say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_islands(
    problem: *const ds_problem,
    islands: *mut u32,
    island_count: *mut usize,
) -> ds_status {
    guarded_alone(|| {
        // SAFETY: the caller's promise.
        let given = unsafe { given(problem, false)? };
        let problem = given.problem();
        problem.validate()?;
        if !problem.bodies.is_empty() {
            check_pointer(islands, "islands")?;
        }
        let mut found = Vec::new();
        let count = problem.islands(&mut found);
        // SAFETY: the caller's promise.
        unsafe {
            write(islands, &found, "islands")?;
            write(island_count, &[count], "island_count")
        }
    })
}
