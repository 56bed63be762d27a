//! Some of the regimes of `benches/regimes`, most of them by the default step: what a user sees of it.

#[path = "../../benches/regimes/judge/mod.rs"]
#[allow(dead_code, reason = "the bench and other packages use the rest")]
mod judge;
mod recurrence;
#[path = "../../benches/regimes/scenes/mod.rs"]
#[allow(dead_code, reason = "the bench and other packages use the rest")]
mod scenes;

use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::NsgsSolver;
use drystone::solver::{Method, Solver};
use drystone::step::{Settings, Simulation};
use judge::{Seen, Trial, is_right};

/// The regimes of these names at a size `[m]`, stepped at most `time` `[s]` by 1/60 s.
fn outcomes(size: f64, time: f64, names: &[&str]) -> Vec<(String, bool, Seen)> {
    let solver = || -> Box<dyn Solver> { Box::new(CpuSolver::new()) };
    outcomes_by(Settings::default(), solver, size, time, names)
}

/// The same by other settings and solvers.
fn outcomes_by(
    settings: Settings,
    solver: impl Fn() -> Box<dyn Solver>,
    size: f64,
    time: f64,
    names: &[&str],
) -> Vec<(String, bool, Seen)> {
    let mut outcomes = Vec::new();
    for mut regime in scenes::all(size) {
        if !names.contains(&regime.name.as_str()) {
            continue;
        }
        regime.duration = regime.duration.min(time);
        let mut simulation = Simulation::new(regime.world.clone(), settings, solver()).unwrap();
        let mut trial = Trial::new(&regime, settings.time_step).unwrap();
        while !trial.is_over() {
            trial.advance(60, &mut simulation).unwrap();
        }
        let seen = trial.seen();
        let right = is_right(&regime, &seen);
        outcomes.push((format!("{} of {size} m", regime.name), right, seen));
    }
    assert_eq!(outcomes.len(), names.len());
    outcomes
}

#[test]
fn towers_stand_at_any_size() {
    let names = [
        "stack of 12",
        "stack of 20",
        "stack of 30",
        "2, top x 1000",
        "6, top x 100",
        "10, top x 30",
        "24 bricks beside a grain",
        "tower of 12 prisms",
        "8 thin plates on each other",
        "6 tables on each other",
        "table under ten times its weight",
    ];
    for size in [0.05, 1.0, 20.0] {
        for (name, right, seen) in outcomes(size, 12.0, &names) {
            assert!(right, "{name}: {seen:?}");
            assert!(seen.penetration < 2e-3, "{name}: {seen:?}");
            assert!(seen.gain < 1e-6, "{name}: {seen:?}");
        }
    }
}

#[test]
fn split_bodies_gain_no_energy() {
    let names = ["stack of 8", "stack of 20", "6, top x 100"];
    let mut settings = Settings::default();
    let solver = || -> Box<dyn Solver> { Box::new(CpuSolver::new()) };
    settings.solver.method = Method::Jacobi;
    for size in [0.05, 1.0] {
        for (name, right, seen) in outcomes_by(settings, solver, size, 10.0, &names) {
            assert!(right, "{name}: {seen:?}");
            assert!(seen.gain < 1e-6, "{name}: {seen:?}");
        }
    }
}

#[test]
fn one_sweep_of_blocks_in_a_substep_is_enough() {
    let names = ["2, top x 1000", "hanging chain", "rope bridge"];
    let solver = || -> Box<dyn Solver> { Box::new(NsgsSolver::new()) };
    for (name, right, seen) in outcomes_by(Settings::default(), solver, 1.0, 4.0, &names) {
        assert!(right, "{name}: {seen:?}");
    }
}

#[test]
fn long_steps_spin_no_rods_up() {
    let settings = Settings::post_stabilized();
    let solver = || -> Box<dyn Solver> { Box::new(CpuSolver::new()) };
    for (name, _, seen) in outcomes_by(settings, solver, 0.05, 2.0, &["300 rods"]) {
        assert!(seen.gain < 1e-3, "{name}: {seen:?}");
    }
}

#[test]
fn bounces_reach_the_square_of_restitution() {
    let names = ["bounce, e = 0.5", "bounce of a cube, e = 0.7"];
    for (name, right, seen) in outcomes(1.0, f64::INFINITY, &names) {
        assert!(right, "{name}: {seen:?}");
    }
}

#[test]
fn dropped_plates_come_to_rest() {
    for size in [0.05, 1.0] {
        for (name, right, seen) in outcomes(size, 10.0, &["200 plates"]) {
            assert!(right, "{name}: {seen:?}");
            assert!(seen.rms < 2e-3, "{name}: {seen:?}");
        }
    }
}

#[test]
fn what_overlaps_deeply_parts_gently() {
    for size in [0.05, 1.0] {
        for (name, right, seen) in outcomes(size, 2.0, &["spheres overlapping by 90 %"]) {
            assert!(right, "{name}: {seen:?}");
        }
    }
}

#[test]
fn piles_come_to_rest_without_gaining_energy() {
    let names = [
        "500 spheres",
        "500 spheres, mu = 0",
        "box x 600 on 500 spheres",
    ];
    for (name, right, seen) in outcomes(0.05, 10.0, &names) {
        assert!(right, "{name}: {seen:?}");
        assert!(seen.gain < 1e-6, "{name}: {seen:?}");
        assert!(seen.mean_penetration < 1e-3, "{name}: {seen:?}");
    }
}

#[test]
fn cards_stand_and_dominoes_fall_in_time() {
    let names = [
        "card house",
        "dominoes 8 mm apart at 48",
        "dominoes 16 mm apart at 48",
        "dominoes 24 mm apart at 48",
    ];
    for size in [0.05, 1.0, 20.0] {
        for (name, right, seen) in outcomes(size, f64::INFINITY, &names) {
            assert!(right, "{name}: {seen:?}");
        }
    }
}

#[test]
fn mechanisms_swing_and_spin_on() {
    let names = ["pendulum", "heavy top", "free dumbbell", "wrecking ball"];
    let many = ["hanging chain", "rope bridge", "12 dolls"];
    let all = [
        outcomes(1.0, f64::INFINITY, &names),
        outcomes(1.0, 8.0, &many),
    ];
    for (name, right, seen) in all.into_iter().flatten() {
        assert!(right, "{name}: {seen:?}");
    }
}

#[test]
fn a_gas_cools_by_the_square_of_time() {
    for (name, right, seen) in outcomes(1.0, f64::INFINITY, &["elastic gas", "gas, e = 0.9"]) {
        assert!(right, "{name}: {seen:?}");
    }
}

/// A loss of impulses shows here, and nowhere else: one that kept single bodies from hopping took a tenth off the throw.
#[test]
fn a_shaken_bed_is_thrown_as_high_as_it_should() {
    for (name, right, seen) in outcomes(0.05, f64::INFINITY, &["shaken bed"]) {
        assert!(right, "{name}: {seen:?}");
    }
}

#[test]
fn poured_spheres_pack_as_they_should() {
    for (name, right, seen) in outcomes(0.05, f64::INFINITY, &["packing, mu = 0.5"]) {
        assert!(right, "{name}: {seen:?}");
    }
}
