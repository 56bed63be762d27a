//! Bodies with many joints, and how the work grows.

use super::*;

/// A wheel: `spokes` links about a heavy body, each held by a ball joint.
fn wheel(spokes: u32) -> Problem {
    let mut bodies = vec![link(); spokes as usize + 1];
    bodies[0].inverse_mass = 0.1;
    bodies[0].inverse_inertia = [0.3, 0.01, 0.0, 0.3, 0.02, 0.2];
    bodies[0].angular_velocity = [0.2, 0.0, 3.0];
    let joint_rows = (1..=spokes)
        .flat_map(|spoke| {
            let angle = std::f32::consts::TAU * spoke as f32 / spokes as f32;
            let rim = [angle.cos(), angle.sin(), 0.01 * (spoke % 5) as f32];
            ball(
                spoke,
                0,
                [-0.5 * LINK * rim[0], -0.5 * LINK * rim[1], 0.0],
                rim,
            )
        })
        .collect();
    Problem {
        bodies,
        joint_rows,
        ..Problem::default()
    }
}

#[test]
fn a_hub_costs_no_more_than_its_spokes() {
    let problem = wheel(200);
    let expected = dense_solution(&problem);
    let (batches, start, impulses) = started(&problem);
    assert_eq!((start.rows, start.redundant_rows), (600, 0));
    let off = (&impulses - &expected).amax() / expected.amax();
    let left = largest_velocity(&batches);
    assert!(off < 1e-6, "{off:e}");
    assert!(left < 1e-5, "{left:e}");
    let ratio = started(&wheel(2_000)).1.products as f64 / start.products as f64;
    assert!((ratio - 10.0).abs() < 1.0, "{ratio}");
}

#[test]
fn hubs_in_loops_agree_with_dense_solutions() {
    // A wheel with a rim, on an axle.
    let mut problem = wheel(24);
    for spoke in 1..=24 {
        let next = spoke % 24 + 1;
        let rod = linear_row(
            spoke,
            next,
            [0.6, 0.8, 0.0],
            [0.0, 0.0, 0.03],
            [0.0, 0.0, -0.02],
        );
        problem.joint_rows.push(rod);
    }
    problem.bodies.push(Body::immovable([0.0; 3], [0.0; 3]));
    problem.joint_rows.extend(ball(0, 25, [0.0; 3], [0.0; 3]));
    let expected = dense_solution(&problem);
    let (batches, start, impulses) = started(&problem);
    assert_eq!((start.rows, start.redundant_rows), (99, 0));
    let off = (&impulses - &expected).amax() / expected.amax();
    assert!(off < 1e-6, "{off:e}");
    let left = largest_velocity(&batches) / largest_change(&batches);
    assert!(left < 1e-6, "{left:e}");
}

#[test]
fn work_grows_with_the_links() {
    let products = |links| started(&chain(links, [0.6, 0.0, -0.8])).1.products as f64;
    let ratio = products(10_000) / products(1_000);
    assert!((ratio - 10.0).abs() < 1.0, "{ratio}");
    let mut one = Problem::default();
    add_ragdoll(&mut one);
    let mut many = Problem::default();
    (0..50).for_each(|_| add_ragdoll(&mut many));
    assert_eq!(started(&many).1.products, 50 * started(&one).1.products);
}

#[test]
fn light_links_between_heavy_bodies_are_no_redundant_rows() {
    let mut problem = chain(20, [0.0, 0.0, -1.0]);
    for (index, body) in problem.bodies[..20].iter_mut().enumerate() {
        if index % 3 == 2 {
            body.inverse_mass *= 1e-6;
            body.inverse_inertia = body.inverse_inertia.map(|x| x * 1e-6);
        }
    }
    let (batches, start, _) = started(&problem);
    assert_eq!(start.redundant_rows, 0);
    let left = largest_velocity(&batches);
    assert!(left < 1e-6, "{left:e}");
}
