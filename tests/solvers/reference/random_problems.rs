//! Contacts anywhere in any direction.

use super::{contact, pyramid, random_vector, solve};
use crate::support::mechanisms::kinetic_energy;
use drystone::internals::math::{V3, add, dot, scale, sub, tangents};
use drystone::problem::{Body, Problem};
use drystone::solver::Status;
use drystone::solver::reference::{Fallback, judge};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn random_direction(random: &mut Pcg64) -> V3 {
    loop {
        let v = random_vector(random, 1.0);
        let length = dot(v, v).sqrt();
        if (0.1..1.0).contains(&length) {
            return scale(v, 1.0 / length);
        }
    }
}

/// An inverse inertia with unequal axes in general directions `[1/(kg m^2)]`.
fn random_inverse_inertia(random: &mut Pcg64, inverse_mass: f32) -> [f32; 6] {
    let axis = random_direction(random);
    let (second, third) = tangents(axis);
    let mut inverse = [0.0; 6];
    for axis in [axis, second, third] {
        let size = inverse_mass * random.random_range(5.0..20.0);
        let [x, y, z] = axis;
        for (sum, product) in inverse
            .iter_mut()
            .zip([x * x, x * y, x * z, y * y, y * z, z * z])
        {
            *sum += size * product;
        }
    }
    inverse
}

/// Contacts anywhere in any direction, some of them twice, some nearly so; every bias at least zero.
pub(super) fn random_problem(
    random: &mut Pcg64,
    bodies: usize,
    contacts: usize,
    friction: f32,
) -> Problem {
    let mut problem = Problem {
        bodies: vec![Body::immovable([0.0; 3], [0.0; 3])],
        contacts: Vec::new(),
        friction_cone: pyramid(if random.random::<bool>() { 4 } else { 8 }),
        ..Problem::default()
    };
    let mut centers = vec![[0.0; 3]];
    for _ in 1..bodies {
        let inverse_mass = 10.0_f32.powf(random.random_range(-1.0..1.0));
        let inverse_inertia = random_inverse_inertia(random, inverse_mass);
        let linear = random_vector(random, 1.0);
        let angular = random_vector(random, 1.0);
        let body = Body::dynamic(inverse_mass, inverse_inertia, linear, angular);
        problem.bodies.push(body);
        centers.push(random_vector(random, 1.0));
    }
    while problem.contacts.len() < contacts {
        let body_a = random.random_range(1..bodies);
        let body_b = random.random_range(0..body_a);
        let point = random_vector(random, 1.0);
        let mut new = contact(
            body_a as u32,
            body_b as u32,
            sub(point, centers[body_a]),
            sub(point, centers[body_b]),
            random_direction(random),
            random.random_range(0.0..friction),
        );
        if random.random::<f32>() < 0.3 {
            new.bias = random.random_range(0.0..0.5);
        }
        problem.contacts.push(new);
        if random.random::<f32>() < 0.3 {
            if random.random::<bool>() {
                new.arm_a = add(new.arm_a, [1e-4, 0.0, 0.0]);
            }
            problem.contacts.push(new);
        }
    }
    problem
}

#[test]
fn a_thousand_random_problems_are_solved_and_lose_energy() {
    let mut random = Pcg64::seed_from_u64(21);
    let (mut worst, mut pivots) = (0.0_f64, 0);
    for case in 0..1000 {
        let friction = [0.5, 1.5, 5.0][case % 3];
        let problem = random_problem(&mut random, 2 + case % 4, 1 + case % 7, friction);
        let (report, _, solver) = solve(&problem);
        let details = solver.report();
        assert_eq!(report.status, Status::Converged, "case {case}: {details:?}");
        assert_eq!(details.fallback, Fallback::None);
        assert!(
            details.verdict.residual_max <= 1e-9,
            "case {case}: {details:?}"
        );
        worst = worst.max(details.verdict.residual_max);
        pivots = pivots.max(details.pivots);
        let physical = &details.verdict.physical;
        for excess in [
            physical.approach,
            physical.adhesion,
            physical.cone_excess,
            physical.complementarity,
            physical.dissipation,
        ] {
            assert!(excess < 1e-7, "case {case}: {physical:?}");
        }
        let nothing = vec![[0.0; 3]; problem.contacts.len()];
        let before = kinetic_energy(
            &problem,
            &judge(&problem, &nothing, &[]).unwrap().velocities,
        );
        let after = kinetic_energy(&problem, &details.verdict.velocities);
        assert!(
            after <= before * (1.0 + 1e-9),
            "case {case}: {before} {after}"
        );
    }
    println!("largest residual {worst:e} m/s, most pivots {pivots}");
}

#[test]
fn pushing_apart_is_solved_or_reported() {
    let mut random = Pcg64::seed_from_u64(22);
    let mut counts = [0; 5];
    for case in 0..200 {
        let mut problem = random_problem(&mut random, 2 + case % 4, 2 + case % 6, 1.5);
        for contact in &mut problem.contacts {
            contact.bias = random.random_range(-0.5..0.0);
        }
        let (report, solution, solver) = solve(&problem);
        let details = solver.report();
        counts[details.fallback as usize] += 1;
        let honest = match details.fallback {
            Fallback::None | Fallback::GaussSeidel => {
                report.status == Status::Converged && details.verdict.residual_max <= 1e-9
            }
            Fallback::Softened | Fallback::NonnegativeBias => {
                report.status == Status::Stalled && details.verdict.residual_max > 1e-9
            }
            Fallback::Unsolved => {
                report.status != Status::Converged
                    && solution.impulses.iter().all(|r| *r == [0.0; 3])
            }
        };
        assert!(honest, "case {case}: {report:?} {details:?}");
    }
    println!("solved, swept, softened, without push, unsolved: {counts:?}");
    assert!(counts[0] >= 180 && counts[4] == 0, "{counts:?}");
}

/// Pebbles and boulders: with all masses scaled, impulses scale and velocities stay.
#[test]
fn the_unit_of_mass_does_not_matter() {
    let mut random = Pcg64::seed_from_u64(27);
    for case in 0..100 {
        let problem = random_problem(&mut random, 2 + case % 4, 1 + case % 7, 1.5);
        let (_, expected, _) = solve(&problem);
        for factor in [2.0_f32.powi(-30), 2.0_f32.powi(30)] {
            let mut scaled = problem.clone();
            for body in &mut scaled.bodies {
                body.inverse_mass *= factor;
                body.inverse_inertia = body.inverse_inertia.map(|x| x * factor);
            }
            let (report, found, _) = solve(&scaled);
            assert_eq!(report.status, Status::Converged, "case {case}");
            assert_eq!(found.velocities, expected.velocities, "case {case}");
        }
    }
}
