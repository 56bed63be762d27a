//! No setting is silently ignored: each changes the answer on every path of the step, or is refused.

#[cfg(feature = "gpu")]
use crate::support::adapter;
use drystone::collide::ContactModel;
use drystone::math::{Pose, Quat, Vec3};
use drystone::problem::{FrictionCone, FrictionLaw};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::NsgsSolver;
use drystone::solver::reference::LemkeSolver;
use drystone::solver::{Method, Solver};
use drystone::stabilize::Scheme;
use drystone::step::{Settings, Simulation};
use drystone::world::{Body, Material, Shape, World};

/// Boxes that fall onto each other and slide, and overlap a little.
fn world() -> World {
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    world.materials[0] = Material {
        friction: 0.3,
        restitution: 0.3,
    };
    let ground = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.0,
    };
    let pose = |x: f64, z: f64| Pose::new(Vec3::new(x, 0.0, z), Quat::identity());
    world.add(Body::fixed(ground, pose(0.0, 0.0))).unwrap();
    for (x, z) in [(0.0, 0.48), (0.3, 1.45), (-0.2, 2.5)] {
        let shape = Shape::Box {
            half_extents: Vec3::repeat(0.5),
        };
        let body = Body::dynamic(shape, pose(x, z), 1000.0).unwrap();
        let body = body.moving(Vec3::new(1.0 + x, 0.5, -2.0), Vec3::new(0.3, 0.2, 0.1));
        world.add(body).unwrap();
    }
    world
}

/// Positions after some steps.
fn outcome(settings: Settings) -> Vec<Vec3> {
    outcome_by(Box::new(CpuSolver::new()), settings)
}

fn outcome_by(solver: Box<dyn Solver>, settings: Settings) -> Vec<Vec3> {
    let mut run = Simulation::new(world(), settings, solver).unwrap();
    for _ in 0..10 {
        run.step().unwrap();
    }
    let bodies = &run.world().bodies;
    bodies.iter().map(|body| body.pose.position).collect()
}

/// A setting's name, and what sets it.
type Change = (&'static str, fn(&mut Settings));

/// The margin is not among them: it says which gaps are looked at, and not what they do.
const CHANGES: [Change; 10] = [
    ("time step", |s| s.time_step *= 0.5),
    ("method", |s| s.solver.method = Method::Jacobi),
    ("iterations", |s| s.solver.iterations += 1),
    ("warm start", |s| s.solver.warm_start = false),
    ("cone", |s| {
        s.friction_cone = FrictionCone::Pyramid { directions: 4 }
    }),
    ("law", |s| s.friction_law = FrictionLaw::Convex),
    ("restitution threshold", |s| {
        s.restitution_threshold = Some(50.0);
    }),
    ("softness", |s| {
        s.stabilization.contacts = Scheme::Soft { softness: 0.2 };
    }),
    ("contacts", |s| s.contacts = ContactModel::EVENTS),
    ("scheme", |s| s.stabilization.contacts = Scheme::Post),
];

/// Sees that changes change the answer, with every kind of division.
fn check_changes(name: &str, solver: impl Fn() -> Box<dyn Solver>, base: Settings, but: &[&str]) {
    for substeps in [None, Some(0), Some(1), Some(5)] {
        let base = Settings { substeps, ..base };
        let plain = outcome_by(solver(), base);
        for (what, change) in CHANGES {
            let mut changed = base;
            change(&mut changed);
            if changed.validate().is_err() {
                // Refused: a law that the base's cone does not go with.
                assert_eq!(what, "law");
                continue;
            }
            let is_same = plain == outcome_by(solver(), changed);
            let path = format!("{what}, {substeps:?} substeps, {name}");
            assert_eq!(is_same, but.contains(&what), "{path}");
        }
    }
}

#[test]
fn every_setting_changes_the_answer_on_every_path() {
    let base = Settings::default();
    check_changes("cpu", || Box::new(CpuSolver::new()), base, &[]);
    // Between numbers of substeps too.
    let counts = [None, Some(0), Some(1), Some(5)];
    let answers = counts.map(|substeps| {
        outcome(Settings {
            substeps,
            ..Settings::default()
        })
    });
    assert_ne!(answers[0], answers[1]);
    assert_ne!(answers[2], answers[3]);
}

#[cfg(feature = "gpu")]
#[test]
fn every_setting_changes_the_answer_on_a_gpu() {
    let base = Settings::default();
    check_changes("gpu", || Box::new(adapter::solver()), base, &[]);
}

#[test]
fn every_setting_but_those_of_sweeps_changes_the_answer_of_the_references() {
    let base = Settings {
        friction_cone: FrictionCone::Pyramid { directions: 8 },
        ..Settings::default()
    };
    // Of soft contacts the sweeps say how stiff they are, and the impulses they start from what they hold, whoever solves
    // them.
    let method = ["method"];
    check_changes("lemke", || Box::new(LemkeSolver::new()), base, &method);
    let base = Settings::default();
    check_changes("nsgs", || Box::new(NsgsSolver::new()), base, &method);
}

#[test]
fn the_slop_is_left_alone_in_substeps() {
    let with = |slop| {
        outcome(Settings {
            substeps: Some(4),
            slop,
            ..Settings::default()
        })
    };
    assert_ne!(with(None), with(Some(0.02)));
}
