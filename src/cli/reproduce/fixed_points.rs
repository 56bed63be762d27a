//! What sweeping solvers converge to: each projection has a law of friction of its own.
//!
//! | projection of the tangential impulse | law | referee |
//! |---|---|---|
//! | regular polygon | Stewart–Trinkle with its corners | Lemke |
//! | box | Stewart–Trinkle with four corners at 45 degrees, at `sqrt(2) mu` | Lemke |
//! | disk | Coulomb | cone projection with De Saxcé's shift |
//! | disk, Jacobi with mass splitting | the same | the same |
//! | cone without the shift | a convex problem, `u_n = mu |u_t|` where it slides | its own conditions |
//!
//! Velocities are compared; impulses of redundant contacts are not unique.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::random_contacts::{Dense, pushed_box, random};
use super::sweep::{Projection, onto_cone, relative_velocity, sweep};
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::math::Vec3;
use drystone::problem::{FrictionCone, Problem};
use drystone::solver::nsgs::{self, Impulses, LocalRule, NsgsOptions};
use drystone::solver::reference::LemkeSolver;
use drystone::solver::{Method, Options, Solution, Solver};
use nalgebra::{DVector, Vector3};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4, FRAC_PI_8, PI, SQRT_2};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "fixed_points",
    title: "What each friction projection converges to",
    source: "Cline and Pai 2003, eq. 8 (Stewart and Trinkle 1996); De Saxcé and Feng 1998",
    run,
};

/// Random problems.
const SEEDS: u64 = 6;
/// Sweeps in f64, enough to reach round-off.
const SWEEPS: usize = 3_000;
/// Steps of a visit of the library's block Gauss–Seidel.
const LOCAL_STEPS: u32 = 50;
/// Sweeps in f32.
const SINGLE_SWEEPS: u32 = 2_000;
/// Angles of the push that are drawn.
const ANGLES: u32 = 360;
/// Where two answers in f64 count as one `[m/s]`.
const DOUBLE: f64 = 1e-10;
/// Where an answer in f32 counts as one in f64, over the largest speed.
const SINGLE: f64 = 1e-5;

fn run(context: &Context) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let parts = 6;
    context.progress.part("fixed_points", parts);
    for directions in [4, 8] {
        polygons(context, directions, &mut outcome)?;
        context.progress.step();
    }
    boxes(&mut outcome)?;
    context.progress.step();
    disks(context, &mut outcome)?;
    context.progress.step();
    cones(&mut outcome);
    context.progress.step();
    pushes(context, &mut outcome)?;
    context.progress.step();
    outcome.plots.push(convergence()?);
    outcome.plots.push(anisotropy());
    outcome.note(format!(
        "{SEEDS} random problems of 4 bodies and 7 contacts, mu = 0.5, with seeds. Rows in f32 are the \
         backend's sweeps (under lemke, those of the CPU), and their differences are over the \
         largest speed; the rest is computed here in f64."
    ));
    outcome.note(
        "Boxes and cones without the shift are projections that other engines use; drystone's solvers \
         have polygons and the disk.",
    );
    Ok(outcome)
}

/// Regular polygons against Lemke's method.
fn polygons(context: &Context, directions: u32, outcome: &mut Outcome) -> Result<()> {
    let (mut double, mut single): (f64, f64) = (0.0, 0.0);
    let mut solver = context.sweeping_solver()?;
    let mut lemke = LemkeSolver::new();
    for problem in problems(FrictionCone::Pyramid { directions }) {
        let mut solution = Solution::default();
        lemke.solve(&problem, &Options::default(), &mut solution)?;
        let referee = lemke_velocities(&lemke);
        let dense = Dense::new(&problem);
        let swept = sweep(
            &dense,
            Projection::Polygon { directions },
            SWEEPS,
            |_, _| {},
        );
        double = double.max((dense.velocities(&swept) - &referee).amax());
        let velocities = backend_velocities(&mut *solver, &problem, Method::GaussSeidel)?;
        single = single.max((velocities - &referee).amax() / referee.amax());
    }
    let name = format!("polygon of {directions} against Lemke");
    outcome.row(
        format!("{name}, f64"),
        "m/s",
        Expected::at_most(DOUBLE),
        double,
    );
    outcome.row(
        format!("{name}, f32"),
        "",
        Expected::at_most(SINGLE),
        single,
    );
    Ok(())
}

/// The box against Lemke's method with the polygon that it is.
fn boxes(outcome: &mut Outcome) -> Result<()> {
    let mut worst: f64 = 0.0;
    for problem in problems(FrictionCone::Disk) {
        let dense = Dense::new(&problem);
        let referee = dense.velocities(&dense.stewart_trinkle(4, FRAC_PI_4, SQRT_2)?);
        let swept = sweep(&dense, Projection::Box, SWEEPS, |_, _| {});
        worst = worst.max((dense.velocities(&swept) - referee).amax());
    }
    outcome.row(
        "box against Lemke with 4 corners at 45°, √2 mu, f64",
        "m/s",
        Expected::at_most(DOUBLE),
        worst,
    );
    Ok(())
}

/// The disk against Coulomb's law in De Saxcé's form.
fn disks(context: &Context, outcome: &mut Outcome) -> Result<()> {
    let mut double: f64 = 0.0;
    let mut single = [0.0_f64; 2];
    let mut library = [0.0_f64; 2];
    let rules = [
        LocalRule::default(),
        LocalRule::Cone {
            iterations: LOCAL_STEPS,
        },
    ];
    let mut solver = context.sweeping_solver()?;
    for problem in problems(FrictionCone::Disk) {
        let dense = Dense::new(&problem);
        let referee = dense.velocities(&sweep(&dense, Projection::ShiftedCone, SWEEPS, |_, _| {}));
        let swept = sweep(&dense, Projection::Disk, SWEEPS, |_, _| {});
        double = double.max((dense.velocities(&swept) - &referee).amax());
        for (worst, method) in single.iter_mut().zip([Method::GaussSeidel, Method::Jacobi]) {
            let velocities = backend_velocities(&mut *solver, &problem, method)?;
            *worst = worst.max((velocities - &referee).amax() / referee.amax());
        }
        for (worst, local) in library.iter_mut().zip(rules) {
            let options = NsgsOptions {
                local,
                ..NsgsOptions::default()
            };
            let solved = nsgs::solve_from(&problem, &Impulses::zeros(&problem), &options)?;
            *worst = worst.max((stacked(&solved.velocities) - &referee).amax());
        }
    }
    let name = "disk against De Saxcé's cone";
    outcome.row(
        format!("{name}, f64"),
        "m/s",
        Expected::at_most(DOUBLE),
        double,
    );
    outcome.row(
        format!("{name}, f32"),
        "",
        Expected::at_most(SINGLE),
        single[0],
    );
    outcome.row(
        format!("{name}, f32, Jacobi with mass splitting"),
        "",
        Expected::at_most(SINGLE),
        single[1],
    );
    for (rule, worst) in ["product", "cone"].into_iter().zip(library) {
        outcome.row(
            format!("block Gauss-Seidel (nsgs), {rule} rule, against De Saxcé's cone, f64"),
            "m/s",
            Expected::at_most(DOUBLE),
            worst,
        );
    }
    Ok(())
}

/// The cone without the shift: the convex problem, and how far that is from Coulomb's law.
fn cones(outcome: &mut Outcome) {
    let (mut residual, mut lift): (f64, f64) = (0.0, 0.0);
    let mut least_difference = f64::INFINITY;
    for problem in problems(FrictionCone::Disk) {
        let dense = Dense::new(&problem);
        let swept = sweep(&dense, Projection::Cone, SWEEPS, |_, _| {});
        for contact in 0..dense.contacts() {
            let velocity = relative_velocity(&dense, contact, &swept);
            let impulse: Vector3<f64> = swept.fixed_rows::<3>(3 * contact).into_owned();
            let friction = dense.friction[contact];
            let moved = onto_cone(&(impulse - velocity), friction);
            residual = residual.max((impulse - moved).norm());
            let slip = velocity.yz().norm();
            let on_cone = impulse.yz().norm() > friction * impulse.x * (1.0 - 1e-9);
            if impulse.x > 1e-9 && on_cone && slip > 1e-9 {
                lift = lift.max((velocity.x - friction * slip).abs());
            }
        }
        let coulomb = sweep(&dense, Projection::ShiftedCone, SWEEPS, |_, _| {});
        let difference = dense.velocities(&swept) - dense.velocities(&coulomb);
        least_difference = least_difference.min(difference.amax());
    }
    outcome.row(
        "cone without shift: residual of the convex problem, f64",
        "m/s",
        Expected::at_most(DOUBLE),
        residual,
    );
    outcome.row(
        "cone without shift: |u_n - mu |u_t|| where it slides",
        "m/s",
        Expected::at_most(DOUBLE),
        lift,
    );
    outcome.row(
        "cone without shift: least distance from Coulomb's velocities",
        "m/s",
        Expected::at_least(0.1),
        least_difference,
    );
}

/// Friction on a pushed box over that of Coulomb, at each polygon's weakest angle.
fn pushes(context: &Context, outcome: &mut Outcome) -> Result<()> {
    let mut solver = context.solver()?;
    let mut sweeping = context.sweeping_solver()?;
    let diamond = FrictionCone::Pyramid { directions: 4 };
    let octagon = FrictionCone::Pyramid { directions: 8 };
    for (name, angle, cone, expected) in [
        ("4 corners at 45°", FRAC_PI_4, diamond, FRAC_1_SQRT_2),
        ("8 corners at 22.5°", FRAC_PI_8, octagon, FRAC_PI_8.cos()),
        ("disk at 45°", FRAC_PI_4, FrictionCone::Disk, 1.0),
    ] {
        let solver = if cone == FrictionCone::Disk {
            &mut sweeping
        } else {
            &mut solver
        };
        let mut solution = Solution::default();
        solver.solve(
            &pushed_box(angle, cone),
            &single_sweeps(Method::GaussSeidel),
            &mut solution,
        )?;
        let impulses = solution.impulses.iter().flatten().map(|&x| f64::from(x));
        outcome.row(
            format!("sliding box, {name}: |f_t| / (mu f_n)"),
            "",
            Expected::near(expected, 1e-5),
            ratio(&DVector::from_iterator(
                3 * solution.impulses.len(),
                impulses,
            )),
        );
    }
    outcome.row(
        "sliding box, box at 45°: |f_t| / (mu f_n)",
        "",
        Expected::near(SQRT_2, 1e-5),
        pushed_ratio(Projection::Box, FRAC_PI_4),
    );
    Ok(())
}

/// Distance from the fixed point over the sweeps, for the first random problem.
fn convergence() -> Result<Plot> {
    const SHOWN: usize = 160;
    let problem = random(0, FrictionCone::Disk);
    let dense = Dense::new(&problem);
    let polygon = |directions: u32| {
        (
            Projection::Polygon { directions },
            directions as usize,
            0.0,
            1.0,
        )
    };
    let mut series = Vec::new();
    for (label, (projection, directions, offset, scale)) in [
        ("polygon of 4 to Lemke", polygon(4)),
        ("polygon of 8 to Lemke", polygon(8)),
        ("box to Lemke", (Projection::Box, 4, FRAC_PI_4, SQRT_2)),
    ] {
        let referee = dense.velocities(&dense.stewart_trinkle(directions, offset, scale)?);
        series.push(approach(label, &dense, projection, &referee, SHOWN));
    }
    let coulomb = dense.velocities(&sweep(&dense, Projection::ShiftedCone, SWEEPS, |_, _| {}));
    for (label, projection) in [
        ("disk to Coulomb", Projection::Disk),
        ("De Saxcé's cone to Coulomb", Projection::ShiftedCone),
        ("cone without shift to Coulomb", Projection::Cone),
    ] {
        series.push(approach(label, &dense, projection, &coulomb, SHOWN));
    }
    Ok(Plot {
        name: "convergence",
        title: "Distance of the velocities from their referee".into(),
        x: Axis::linear("sweeps"),
        y: Axis::logarithmic("largest velocity difference [m/s]").within(1e-16, f64::INFINITY),
        series,
        seen: "Every projection reaches the solution of its own law to round-off; the cone without De \
               Saxcé's shift settles elsewhere."
            .into(),
    })
}

fn approach(
    label: &str,
    dense: &Dense,
    projection: Projection,
    referee: &DVector<f64>,
    sweeps: usize,
) -> Series {
    let mut points = Vec::with_capacity(sweeps);
    sweep(dense, projection, sweeps, |number, impulses| {
        let distance = (dense.velocities(impulses) - referee).amax();
        points.push((number as f64, distance.max(1e-16)));
    });
    Series::new(label, points)
}

/// Friction over Coulomb's, for every direction of the push.
fn anisotropy() -> Plot {
    let projections = [
        ("polygon of 4", Projection::Polygon { directions: 4 }),
        ("polygon of 8", Projection::Polygon { directions: 8 }),
        ("box", Projection::Box),
        ("disk", Projection::Disk),
    ];
    let series = projections.map(|(label, projection)| {
        let point = |i| {
            let angle = 0.5 * PI * f64::from(i) / f64::from(ANGLES);
            (angle.to_degrees(), pushed_ratio(projection, angle))
        };
        Series::new(label, (0..=ANGLES).map(point).collect())
    });
    Plot {
        name: "anisotropy",
        title: "Friction on a sliding box over that of Coulomb's law".into(),
        x: Axis::linear("angle of the push to the frame [degrees]"),
        y: Axis::linear("|f_t| / (mu f_n) [1]").within(0.6, 1.5),
        series: series.into(),
        seen: "Off the middle of its edges a polygon's friction takes a corner and has Coulomb's size, \
               though not its direction; near the middle, at 45 (22.5) degrees, it falls to cos 45 \
               (cos 22.5) of it. The box has up to √2 too much, the disk is the same everywhere."
            .into(),
    }
}

fn pushed_ratio(projection: Projection, angle: f64) -> f64 {
    let dense = Dense::new(&pushed_box(angle, FrictionCone::Disk));
    ratio(&sweep(&dense, projection, 500, |_, _| {}))
}

/// `|f_t| / (mu f_n)` of impulses on one box, mu being 0.5.
fn ratio(impulses: &DVector<f64>) -> f64 {
    let total = (0..impulses.len() / 3).fold(Vector3::zeros(), |sum: Vector3<f64>, contact| {
        sum + impulses.fixed_rows::<3>(3 * contact)
    });
    total.yz().norm() / (0.5 * total.x)
}

fn problems(cone: FrictionCone) -> impl Iterator<Item = Problem> {
    (0..SEEDS).map(move |seed| random(seed, cone))
}

fn single_sweeps(method: Method) -> Options {
    Options {
        method,
        iterations: SINGLE_SWEEPS,
        ..Options::default()
    }
}

fn backend_velocities(
    solver: &mut dyn Solver,
    problem: &Problem,
    method: Method,
) -> Result<DVector<f64>> {
    let mut solution = Solution::default();
    solver.solve(problem, &single_sweeps(method), &mut solution)?;
    let numbers = solution
        .velocities
        .iter()
        .flat_map(|v| v.linear.iter().chain(&v.angular))
        .map(|&x| f64::from(x));
    Ok(DVector::from_iterator(
        6 * solution.velocities.len(),
        numbers,
    ))
}

fn lemke_velocities(solver: &LemkeSolver) -> DVector<f64> {
    stacked(&solver.report().verdict.velocities)
}

/// Linear and angular velocities, six a body.
fn stacked(velocities: &[(Vec3, Vec3)]) -> DVector<f64> {
    let numbers = velocities
        .iter()
        .flat_map(|(linear, angular)| linear.iter().chain(angular.iter()).copied());
    DVector::from_iterator(6 * velocities.len(), numbers)
}
