//! Solvability of the velocity problem: for any contacts, as long as nothing is pushed apart by a negative bias.
//!
//! Source: Cline and Pai 2003, section III-B.3, after Anitescu and Potra 1997.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::random_contacts::random;
use drystone::Result;
use drystone::math::{Mat3, Vec3};
use drystone::problem::{Body, FrictionCone, JointRow, Problem};
use drystone::solver::reference::{Fallback, LemkeSolver};
use drystone::solver::{Options, Solution, Solver};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "solvability",
    title: "The velocity problem has a solution whatever the contacts, for biases that are not negative",
    source: "Cline and Pai 2003, section III-B.3, eq. 8",
    run: reproduce,
};

/// Random problems of each sort.
const SEEDS: u64 = 100;
/// Coefficients of friction.
const FRICTIONS: [f32; 3] = [0.5, 1.5, 5.0];

fn reproduce(context: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut gain: f64 = 0.0;
    context.progress.part("solvability", 18 * SEEDS);
    for directions in [4, 8] {
        for friction in FRICTIONS {
            let mut unsolved = 0;
            for seed in 0..SEEDS {
                for change in [|_: &mut Problem, _: &mut Pcg64| {}, repeat, join] {
                    let mut problem = random(seed, FrictionCone::Pyramid { directions });
                    let mut random = Pcg64::seed_from_u64(1_000 + seed);
                    for contact in &mut problem.contacts {
                        contact.friction = friction;
                        // A gap may close and not more; half of the contacts are shut.
                        contact.bias = random.random_range(-0.5_f32..0.5).max(0.0);
                    }
                    change(&mut problem, &mut random);
                    let mut lemke = LemkeSolver::new();
                    lemke.solve(&problem, &Options::default(), &mut Solution::default())?;
                    let report = lemke.report();
                    let is_solved =
                        matches!(report.fallback, Fallback::None | Fallback::GaussSeidel);
                    unsolved += u32::from(!is_solved);
                    let before = energy(&problem.bodies, &start(&problem));
                    let after = energy(&problem.bodies, &report.verdict.velocities);
                    gain = gain.max(after / before - 1.0);
                    context.progress.step();
                }
            }
            outcome.published_row(
                format!(
                    "section III-B.3, mu = {friction}, K = {directions}: problems without solution, of {}",
                    3 * SEEDS
                ),
                "",
                "always one",
                Expected::near(0.0, 0.0),
                f64::from(unsolved),
            );
        }
    }
    outcome.row(
        "largest gain of kinetic energy in any of them, over what there was",
        "",
        Expected::at_most(1e-6),
        gain,
    );
    outcome.note(format!(
        "{SEEDS} random problems of 4 bodies and 7 contacts of each sort: as they are, with every contact twice, and with a ball joint between two \
         bodies. Lemke's method on the whole mixed problem; solved means a residual of round-off in that problem. The proof holds for biases that are \
         not negative: contacts that are to be pushed apart may have no solution, which is why their errors are corrected apart."
    ));
    Ok(outcome)
}

/// Every contact twice.
fn repeat(problem: &mut Problem, _: &mut Pcg64) {
    let again = problem.contacts.clone();
    problem.contacts.extend(again);
}

/// A ball joint between the first two bodies.
fn join(problem: &mut Problem, random: &mut Pcg64) {
    let mut arm = || Vec3::from_fn(|_, _| random.random_range(-0.5..0.5));
    let (arm_a, arm_b) = (arm(), arm());
    for axis in 0..3 {
        let along = Vec3::ith(axis, 1.0);
        let narrow = |v: Vec3| [v.x as f32, v.y as f32, v.z as f32];
        problem.joint_rows.push(JointRow {
            body_a: 0,
            body_b: 1,
            linear: narrow(along),
            angular_a: narrow(arm_a.cross(&along)),
            angular_b: narrow(-arm_b.cross(&along)),
            bias: 0.0,
            softness: 0.0,
            lower: -JointRow::UNBOUNDED,
            upper: JointRow::UNBOUNDED,
            impulse: 0.0,
        });
    }
}

fn start(problem: &Problem) -> Vec<(Vec3, Vec3)> {
    let widen = |v: [f32; 3]| Vec3::from(v.map(f64::from));
    let of = |body: &Body| (widen(body.linear_velocity), widen(body.angular_velocity));
    problem.bodies.iter().map(of).collect()
}

/// Kinetic energy of what can move `[J]`.
fn energy(bodies: &[Body], velocities: &[(Vec3, Vec3)]) -> f64 {
    let of = |(body, (linear, angular)): (&Body, &(Vec3, Vec3))| {
        let [xx, xy, xz, yy, yz, zz] = body.inverse_inertia.map(f64::from);
        let inertia = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz).try_inverse();
        let turning = inertia.map_or(0.0, |inertia| angular.dot(&(inertia * angular)));
        let mass = if body.inverse_mass > 0.0 {
            1.0 / f64::from(body.inverse_mass)
        } else {
            0.0
        };
        0.5 * (mass * linear.norm_squared() + turning)
    };
    bodies.iter().zip(velocities).map(of).sum()
}
