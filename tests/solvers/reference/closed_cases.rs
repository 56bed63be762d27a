//! Cases with answers in closed form, and what is refused.

use super::{G, contact, flatten, largest, pyramid, solve};
use drystone::Error;
use drystone::internals::math::{V3, add, scale};
use drystone::problem::{Body, Contact, FrictionCone, Problem};
use drystone::solver::reference::{Fallback, LemkeSolver, judge};
use drystone::solver::{Options, Solution, Solver, Status};

/// A ball wedged between two immovable jaws that both push it: impossible, and said so.
#[test]
fn a_contradiction_is_softened_and_reported() {
    let ball = Body::dynamic(1.0, [2.5, 0.0, 0.0, 2.5, 0.0, 2.5], [0.0; 3], [0.0; 3]);
    let ground = Body::immovable([0.0; 3], [0.0; 3]);
    let mut problem = Problem {
        bodies: vec![ground, ball],
        ..Problem::default()
    };
    for normal in [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]] {
        let mut jaw = contact(1, 0, scale(normal, -1.0), [0.0; 3], normal, 0.0);
        jaw.bias = -0.01;
        problem.contacts.push(jaw);
    }
    let (report, solution, solver) = solve(&problem);
    assert_eq!(report.status, Status::Stalled);
    assert_eq!(solver.report().fallback, Fallback::Softened);
    assert!(report.residual_max > 1e-3, "{report:?}");
    // Both jaws push alike, and the ball stays.
    assert!(largest(flatten(&solution)) < 1e-5, "{solution:?}");
}

/// Box of `size` at rest on the ground `normal . x = 0` with contacts at its four lower corners.
fn box_on_plane(size: V3, mass: f32, friction: f32, linear: V3) -> Problem {
    let [x, y, z] = size;
    let inertia = |a: f32, b: f32| mass * (a * a + b * b) / 12.0;
    let inverse = [
        1.0 / inertia(y, z),
        0.0,
        0.0,
        1.0 / inertia(x, z),
        0.0,
        1.0 / inertia(x, y),
    ];
    let mut problem = Problem {
        bodies: vec![
            Body::immovable([0.0; 3], [0.0; 3]),
            Body::dynamic(1.0 / mass, inverse, linear, [0.0; 3]),
        ],
        contacts: Vec::new(),
        friction_cone: pyramid(4),
        ..Problem::default()
    };
    for (side, front) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let corner = [side * x / 2.0, front * y / 2.0, -z / 2.0];
        problem.contacts.push(contact(
            1,
            0,
            corner,
            add(corner, [0.0, 0.0, z / 2.0]),
            [0.0, 0.0, 1.0],
            friction,
        ));
    }
    problem
}

/// Incline of 30 degrees in the axes of the plane: slides with `g (sin - mu cos)` if `mu` is below
/// the tangent, and sticks above.
#[test]
fn a_box_slides_or_sticks_on_an_incline() {
    let h = 0.01;
    let (sin, cos) = 30.0_f32.to_radians().sin_cos();
    for directions in [4, 8] {
        for friction in [0.3, 0.6] {
            let mut problem = box_on_plane([0.2, 0.3, 0.1], 1.0, friction, [0.0; 3]);
            problem.friction_cone = pyramid(directions);
            for step in 1..=100 {
                let v = &mut problem.bodies[1].linear_velocity;
                v[0] += h * G * sin;
                v[2] -= h * G * cos;
                let (report, solution, _) = solve(&problem);
                assert_eq!(report.status, Status::Converged);
                problem.bodies[1].linear_velocity = solution.velocities[1].linear;
                problem.bodies[1].angular_velocity = solution.velocities[1].angular;
                let expected = step as f32 * h * G * (sin - friction * cos).max(0.0);
                let [vx, vy, vz] = solution.velocities[1].linear;
                assert!(
                    (vx - expected).abs() < 2e-6 * (1.0 + expected),
                    "{vx} {expected}"
                );
                assert!(vy.abs() < 1e-6 && vz.abs() < 1e-6);
            }
        }
    }
}

#[test]
fn a_pyramid_turned_against_the_slope_drags_less() {
    // Four directions at 45 degrees to the slope: the effective coefficient is mu cos 45.
    let (sin, cos) = 30.0_f32.to_radians().sin_cos();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let along = G * 0.01 * sin;
    let velocity = [along * half, along * half, -G * 0.01 * cos];
    let (_, solution, _) = solve(&box_on_plane([0.2, 0.2, 0.1], 1.0, 0.3, velocity));
    let [vx, vy, _] = solution.velocities[1].linear;
    let expected = 0.01 * 3.102_788;
    assert!(
        (vx.hypot(vy) - expected).abs() < 1e-6,
        "{vx} {vy} {expected}"
    );
}

#[test]
fn a_flat_box_lands_or_bounces() {
    let h = 0.01;
    let mut problem = box_on_plane([0.2, 0.3, 0.1], 2.0, 0.5, [0.0, 0.0, -3.0 - h * G]);
    let (_, solution, _) = solve(&problem);
    let sum: f32 = solution.impulses.iter().map(|r| r[0]).sum();
    assert!((sum - 2.0 * (3.0 + h * G)).abs() < 1e-5, "{sum}");
    assert!(largest(flatten(&solution)) < 1e-6);

    for contact in &mut problem.contacts {
        contact.bias = 0.5 * -3.0;
    }
    let (_, solution, _) = solve(&problem);
    assert!((solution.velocities[1].linear[2] - 1.5).abs() < 1e-6);
}

/// A tower of cubes, four contacts an interface, after one step of gravity.
fn tower(cubes: usize, h: f32) -> Problem {
    let mut problem = box_on_plane([1.0; 3], 1.0, 0.5, [0.0, 0.0, -h * G]);
    let (cube, first) = (problem.bodies[1], problem.contacts.clone());
    for above in 2..=cubes as u32 {
        problem.bodies.push(cube);
        for contact in &first {
            let mut arm_b = contact.arm_a;
            arm_b[2] = 0.5;
            problem.contacts.push(Contact {
                body_a: above,
                body_b: above - 1,
                arm_b,
                ..*contact
            });
        }
    }
    problem
}

#[test]
fn a_tower_carries_its_weight() {
    let h = 0.01;
    for cubes in [5, 10] {
        let (report, solution, solver) = solve(&tower(cubes, h));
        assert_eq!(report.status, Status::Converged);
        assert!(
            solver.report().pivots <= 6 * cubes,
            "{}",
            solver.report().pivots
        );
        for (level, interface) in solution.impulses.chunks(4).enumerate() {
            let sum: f32 = interface.iter().map(|r| r[0]).sum();
            let expected = (cubes - level) as f32 * G * h;
            assert!(
                (sum - expected).abs() < 1e-6 * expected.max(1.0),
                "level {level}: {sum}"
            );
        }
        assert!(largest(flatten(&solution)) < 1e-7);
    }
}

#[test]
fn a_heavy_top_is_carried() {
    let h = 0.01;
    for heavy in [1e2_f32, 1e4] {
        let mut problem = tower(5, h);
        let top = &mut problem.bodies[5];
        top.inverse_mass /= heavy;
        top.inverse_inertia = top.inverse_inertia.map(|x| x / heavy);
        let (report, solution, _) = solve(&problem);
        assert_eq!(report.status, Status::Converged);
        for (level, interface) in solution.impulses.chunks(4).enumerate() {
            let sum: f32 = interface.iter().map(|r| r[0]).sum();
            let expected = (heavy + 4.0 - level as f32) * G * h;
            assert!((sum - expected).abs() < 1e-6 * expected, "{sum} {expected}");
        }
        assert!(largest(flatten(&solution)) < 1e-7);
    }
}

/// Painleve's rod, of half length 1 and mass 1 at the angle atan 2: where no sliding force exists the
/// impulse is finite, (0.6, 0.8) in the limit of no time step.
#[test]
fn painleve_s_rod_jams() {
    let (cos, sin) = (1.0 / 5.0_f32.sqrt(), 2.0 / 5.0_f32.sqrt());
    let rod = |friction: f32, h: f32| Problem {
        bodies: vec![
            Body::immovable([0.0; 3], [0.0; 3]),
            Body::dynamic(
                1.0,
                [3.0, 0.0, 0.0, 3.0, 0.0, 3.0],
                [-2.0, 0.0, -G * h],
                [0.0; 3],
            ),
        ],
        contacts: vec![contact(
            1,
            0,
            [-cos, 0.0, -sin],
            [0.0; 3],
            [0.0, 0.0, 1.0],
            friction,
        )],
        friction_cone: pyramid(4),
        ..Problem::default()
    };
    for (h, expected) in [(1e-2, 0.683_385), (1e-3, 0.608_339), (1e-4, 0.600_834)] {
        for friction in [1.5, 2.0] {
            let (report, solution, _) = solve(&rod(friction, h));
            assert_eq!(report.status, Status::Converged);
            let [normal, tangential, _] = solution.impulses[0];
            assert!((normal - expected).abs() < 2e-6, "{normal} {expected}");
            assert!((tangential - (2.0 + 1.2 * normal) / 3.4).abs() < 1e-5);
        }
    }
    // Below the critical 4/3 it slides: 1 + 3 cos (cos - mu sin) = 0.16.
    let (_, solution, _) = solve(&rod(1.2, 1e-2));
    let [normal, tangential, _] = solution.impulses[0];
    assert!((normal - 0.0981 / 0.16).abs() < 1e-5, "{normal}");
    assert!((tangential - 1.2 * normal).abs() < 1e-6);
}

#[test]
fn what_it_cannot_hold_or_express_is_refused() {
    let mut solver = LemkeSolver::new();
    let mut solution = Solution::default();
    let mut solve = |problem: &Problem| solver.solve(problem, &Options::default(), &mut solution);
    let mut disk = box_on_plane([1.0; 3], 1.0, 0.5, [0.0; 3]);
    disk.friction_cone = FrictionCone::Disk;
    assert!(solve(&disk).unwrap_err().to_string().contains("pyramid"));
    for contact in &mut disk.contacts {
        contact.friction = 0.0;
    }
    assert!(solve(&disk).is_ok());
    // 26 cubes: 104 contacts of six rows.
    match solve(&tower(26, 0.01)) {
        Err(Error::Capacity { needed, .. }) => assert_eq!(needed, 624),
        other => panic!("{other:?}"),
    }
    assert!(judge(&disk, &[[0.0; 3]], &[]).is_err());
}

#[test]
fn contacts_between_immovable_bodies_are_left_alone() {
    let mut problem = box_on_plane([1.0; 3], 1.0, 0.5, [0.0, 0.0, -1.0]);
    problem
        .bodies
        .push(Body::immovable([0.0, 0.0, -1.0], [0.0; 3]));
    let up = [0.0, 0.0, 1.0];
    problem
        .contacts
        .insert(0, contact(2, 0, [0.0; 3], [0.0; 3], up, 0.5));
    let (report, solution, _) = solve(&problem);
    assert_eq!(report.status, Status::Converged);
    assert_eq!(solution.impulses[0], [0.0; 3]);
    assert_eq!(solution.velocities[2].linear, [0.0, 0.0, -1.0]);
    assert!(solution.impulses[1..].iter().map(|r| r[0]).sum::<f32>() > 0.99);
}
