//! Painlevé's rod: a contact that no acceleration-level law can solve, and the velocity LCP can.
//!
//! A rod of half length `l` stands on the ground by its lower end, at an angle of tangent 2, and
//! slides with that end first. With friction above 4/3 the sliding force would press the end further
//! into the ground than the normal force lifts it, so that no force satisfies Coulomb's law. The impulse of a time step does: it stops the end at once. With normal
//! and tangential impulse `p`, the contact at rest and no other force,
//!
//! ```text
//! [  1.6  -1.2 ] [p_n]   [ g h ]
//! [ -1.2   3.4 ] [p_t] = [ 2   ]      for m = l = 1, a sliding speed of 2
//! ```
//!
//! and so `p -> (0.6, 0.8)` as h vanishes.
//!
//! Source: Stewart and Trinkle 1996 and Anitescu and Potra 1997, as used by Cline and Pai 2003,
//! section III-B.3.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::simulate;
use crate::args::ExperimentBackend;
use crate::experiments::curve::{Curve, largest, largest_rise};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::math::Vec3;
use drystone::measure;
use drystone::problem::{Body, Contact, FrictionCone, Problem};
use drystone::scene::Scene;
use drystone::solver::{Options, Solution, Solver};
use drystone::world::World;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "painleve_rod",
    title: "Painlevé's rod: sliding jams, and the velocity LCP has a solution",
    source: "Cline and Pai 2003, section III-B.3 (Anitescu and Potra 1997)",
    run,
};

/// Acceleration of gravity `[m/s^2]`.
const GRAVITY: f64 = 9.81;
/// Half length `[m]` and mass `[kg]`.
const HALF_LENGTH: f64 = 1.0;
const MASS: f64 = 1.0;
/// Tangent of the angle to the ground.
const SLOPE: f64 = 2.0;
/// Speed at which the lower end slides `[m/s]`.
const SLIDING: f64 = 2.0;
/// Steps `[s]`, and the normal impulse of each `[N s]`: `0.6 + 0.85 g h`.
const CASES: [(f64, f64); 3] = [(1e-2, 0.683_385), (1e-3, 0.608_339), (1e-4, 0.600_834)];
/// Coefficients of friction, both above the critical 4/3.
const FRICTIONS: [f64; 2] = [1.5, 2.0];
/// Sweeps in place of pivots.
const SWEEPS: u32 = 400;

fn run(context: &Context) -> Result<Outcome> {
    let mut solver = context.solver()?;
    let options = Options {
        iterations: SWEEPS,
        ..Options::default()
    };
    let mut outcome = Outcome::default();
    for friction in FRICTIONS {
        for (h, normal) in CASES {
            let rod = Rod::sliding();
            let problem = rod.problem(h, friction);
            let mut solution = Solution::default();
            solver.solve(&problem, &options, &mut solution)?;
            let [n, t1, t2] = solution.impulses[0].map(f64::from);
            let case = format!("mu = {friction}, h = {h} s");
            outcome.row(
                format!("{case}: normal impulse"),
                "N s",
                Expected::percent(normal, 1e-3),
                n,
            );
            outcome.row(
                format!("{case}: tangential impulse"),
                "N s",
                Expected::percent(0.8 + 0.3 * GRAVITY * h, 1e-3),
                t1.hypot(t2),
            );
            outcome.row(
                format!("{case}: speed of the lower end after the step"),
                "m/s",
                Expected::at_most(1e-5),
                rod.end_speed(&solution),
            );
        }
    }
    let scene = simulate::scene("painleve_rod")?;
    let motion = motion(context, &scene, FRICTIONS)?;
    outcome.row(
        "both rods: largest growth of the energy in a step, h = 0.001 s",
        "J",
        Expected::at_most(1e-6),
        largest_rise(&motion.energy),
    );
    for (friction, curve) in FRICTIONS.into_iter().zip(&motion.sliding) {
        outcome.row(
            format!("mu = {friction}: largest speed of the lower end after the first step"),
            "m/s",
            Expected::at_most(1e-3),
            largest(&curve[1..]),
        );
    }
    outcome.plots.push(impulses(&mut *solver, &options)?);
    outcome.plots.push(sliding(context, &scene)?);
    outcome.note(
        "No figure is published. Expected impulses are those of a contact at rest after the step, in \
         closed form: 0.6 + 0.85 g h and 0.8 + 0.3 g h.",
    );
    if context.backend == ExperimentBackend::Lemke {
        outcome.note("Friction is a pyramid of four directions, one of them along the sliding.");
    }
    Ok(outcome)
}

/// Impulses of the first step over the length of the step.
fn impulses(solver: &mut dyn Solver, options: &Options) -> Result<Plot> {
    let (mut normal, mut tangential) = (Vec::new(), Vec::new());
    for i in 0..=40 {
        let h = 10_f64.powf(-5.0 + 0.1 * f64::from(i));
        let mut solution = Solution::default();
        solver.solve(
            &Rod::sliding().problem(h, FRICTIONS[0]),
            options,
            &mut solution,
        )?;
        let [n, t1, t2] = solution.impulses[0].map(f64::from);
        normal.push((h, n));
        tangential.push((h, t1.hypot(t2)));
    }
    Ok(Plot {
        name: "impulses",
        title: format!("Impulses of the first step, mu = {}", FRICTIONS[0]),
        x: Axis::logarithmic("time step h [s]"),
        y: Axis::linear("impulse [N s]"),
        series: vec![
            Series::new("normal", normal),
            Series::new("tangential", tangential),
        ],
        seen: "The impulses do not vanish with the step: they tend to 0.6 and 0.8 N s, which no finite \
               force could be."
            .into(),
    })
}

/// Sliding speed of the lower end over time, with frictions on both sides of the critical one.
fn sliding(context: &Context, scene: &Scene) -> Result<Plot> {
    let mut series = Vec::new();
    for frictions in [[0.5, 1.0], [1.3, FRICTIONS[0]]] {
        let motion = motion(context, scene, frictions)?;
        for (friction, curve) in frictions.into_iter().zip(motion.sliding) {
            series.push(Series::new(format!("mu = {friction}"), curve));
        }
    }
    Ok(Plot {
        name: "sliding",
        title: "Sliding speed of the lower end".into(),
        x: Axis::linear("time [s]").within(0.0, 0.2),
        y: Axis::linear("speed [m/s]"),
        series,
        seen: "Below the critical friction of 4/3 the end is braked over time, the faster the nearer; \
               above it, it stops within the first step."
            .into(),
    })
}

/// The rod in its plane, at the instant of its paradox: leaning to the right, its lower end on the
/// ground and sliding to the left.
#[derive(Debug, Clone, Copy)]
struct Rod {
    /// From the centre to the lower end, along x and z `[m]`.
    arm: (f64, f64),
}

impl Rod {
    fn sliding() -> Self {
        let (sin, cos) = SLOPE.atan().sin_cos();
        Self {
            arm: (-HALF_LENGTH * cos, -HALF_LENGTH * sin),
        }
    }

    /// Speed of the lower end with the velocities of a solution: that of `v + w x r`, w along y.
    fn end_speed(&self, solution: &Solution) -> f64 {
        let after = &solution.velocities[0];
        let spin = f64::from(after.angular[1]);
        let x = f64::from(after.linear[0]) + spin * self.arm.1;
        let z = f64::from(after.linear[2]) - spin * self.arm.0;
        x.hypot(z)
    }

    /// The velocity problem of a step.
    fn problem(&self, h: f64, friction: f64) -> Problem {
        let (arm_x, arm_z) = self.arm;
        let inverse_inertia = (3.0 / (MASS * HALF_LENGTH * HALF_LENGTH)) as f32;
        let rod = Body::dynamic(
            (1.0 / MASS) as f32,
            [
                inverse_inertia,
                0.0,
                0.0,
                inverse_inertia,
                0.0,
                inverse_inertia,
            ],
            [-SLIDING as f32, 0.0, (-GRAVITY * h) as f32],
            [0.0; 3],
        );
        let contact = Contact {
            body_a: 0,
            body_b: 1,
            arm_a: [arm_x as f32, 0.0, arm_z as f32],
            arm_b: [0.0; 3],
            normal: [0.0, 0.0, 1.0],
            bias: 0.0,
            friction: friction as f32,
            impulse: [0.0; 3],
        };
        Problem {
            bodies: vec![rod, Body::immovable([0.0; 3], [0.0; 3])],
            contacts: vec![contact],
            friction_cone: FrictionCone::Pyramid { directions: 4 },
            ..Problem::default()
        }
    }
}

/// What is watched while the rods of the scene slide, jam and fall over.
struct Motion {
    /// Speed of each rod's lower end along the ground `[m/s]` over time `[s]`.
    sliding: Vec<Curve>,
    /// Kinetic and potential energy of both `[J]`.
    energy: Curve,
}

/// Steps the scene with other frictions on its floors.
fn motion(context: &Context, scene: &Scene, frictions: [f64; 2]) -> Result<Motion> {
    let mut world = scene.world.clone();
    let rods: Vec<usize> = (0..world.bodies.len())
        .filter(|&body| world.bodies[body].is_dynamic())
        .collect();
    for (&rod, friction) in rods.iter().zip(frictions) {
        // A rod and its floor share a material.
        let material = world.bodies[rod].material as usize;
        world.materials[material].friction = friction;
    }
    let settings = simulate::settings(context, scene, scene.settings.stabilization);
    let label = format!("painleve_rod: mu = {} and {}", frictions[0], frictions[1]);
    let duration = scene.steps as f64 * settings.time_step;
    let speed = |world: &World, rod: usize| {
        let body = &world.bodies[rod];
        let end = body.pose.point(&Vec3::new(0.0, 0.0, -HALF_LENGTH));
        body.velocity_at(&end).x.abs()
    };
    let energy = measure::energy(&world);
    let mut motion = Motion {
        sliding: rods
            .iter()
            .map(|&rod| vec![(0.0, speed(&world, rod))])
            .collect(),
        energy: vec![(0.0, energy.kinetic + energy.potential)],
    };
    context.run(&label, &world, &settings, duration, |moment| {
        let time = moment.world.time;
        for (curve, &rod) in motion.sliding.iter_mut().zip(&rods) {
            curve.push((time, speed(moment.world, rod)));
        }
        let energy = moment.report.energy;
        motion
            .energy
            .push((time, energy.kinetic + energy.potential));
    })?;
    Ok(motion)
}
