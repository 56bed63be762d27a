//! Surfaces that are none, and surfaces of revolution.

use super::mesh;
use drystone::math::{Pose, Vec3};
use drystone::world::{Body, TriangleMesh};

#[test]
fn surfaces_that_are_none_are_refused() {
    let corners = [
        Vec3::zeros(),
        Vec3::x(),
        Vec3::y(),
        Vec3::new(1.0, 1.0, 0.0),
        Vec3::new(2.0, 0.0, 0.0),
    ];
    assert!(TriangleMesh::new(&corners, &[[0, 1, 2], [1, 3, 2]]).is_ok());
    let mut broken = corners;
    broken[2].y = f64::NAN;
    for (vertices, triangles, why) in [
        (&corners[..], &[][..], "there are no triangles"),
        (
            &corners,
            &[[0, 1, 2], [1, 2, 3]],
            "triangle 0: it faces the other way than its neighbour, triangle 1",
        ),
        (&corners, &[[0, 1, 4]], "triangle 0: it has no area"),
        (
            &corners,
            &[[0, 1, 2], [1, 1, 2]],
            "triangle 1: it has no area",
        ),
        (&corners, &[[0, 1, 9]], "triangle 0: it has vertex 9 of 5"),
        (&broken, &[[0, 1, 3]], "vertex 2 is not finite"),
    ] {
        let message = TriangleMesh::new(vertices, triangles)
            .unwrap_err()
            .to_string();
        assert!(message.contains(why), "{message}");
    }
    for (heights, cell, why) in [
        (vec![vec![0.0; 3]], [1.0, 1.0], "1 rows of 3 heights"),
        (
            vec![vec![0.0; 3], vec![0.0; 2]],
            [1.0, 1.0],
            "row 1 has 2 heights",
        ),
        (vec![vec![0.0; 3]; 2], [0.0, 1.0], "cells of 0 by 1 m"),
    ] {
        let message = TriangleMesh::height_field(&heights, cell)
            .unwrap_err()
            .to_string();
        assert!(message.contains(why), "{message}");
    }
    for (profile, sides, why) in [
        (vec![[1.0, 1.0], [1.0, 0.0]], 2, "2 sides"),
        (vec![[1.0, 1.0]], 8, "a profile of 1 points"),
        (vec![[1.0, 1.0], [-1.0, 0.0]], 8, "point 1 of the profile"),
        (vec![[1.0, 1.0], [1.0, 1.0]], 8, "points 0 and 1 are one"),
        (vec![[0.0, 1.0], [0.0, 0.0]], 8, "both on the axis"),
    ] {
        let message = TriangleMesh::revolution(&profile, sides)
            .unwrap_err()
            .to_string();
        assert!(message.contains(why), "{message}");
    }
    // A dynamic one is refused wherever it comes from.
    let shape = mesh(TriangleMesh::new(&corners, &[[0, 1, 2]]).unwrap());
    let message = Body::dynamic(shape, Pose::identity(), 1.0)
        .unwrap_err()
        .to_string();
    assert!(message.contains("without mass"), "{message}");
}

#[test]
fn profiles_face_the_axis_and_up() {
    let silo = TriangleMesh::revolution(&[[1.0, 2.0], [1.0, 0.0], [0.0, 0.0]], 24).unwrap();
    assert_eq!(silo.triangles().len(), 24 * 3);
    for (corners, normal) in silo.triangles().iter().zip(silo.normals()) {
        let middle = corners
            .iter()
            .map(|&at| silo.vertices()[at as usize])
            .sum::<Vec3>()
            / 3.0;
        if middle.z > 1e-9 {
            assert!(normal.dot(&Vec3::new(middle.x, middle.y, 0.0)) < -0.5);
        } else {
            assert!(normal.z > 0.99);
        }
    }
    assert!(!silo.is_closed());
    let ball = TriangleMesh::revolution(&[[0.0, 1.0], [1.0, 0.0], [0.0, -1.0]], 24).unwrap();
    assert!(ball.is_closed());
    let turned = ball.turned_inside_out();
    for (corners, normal) in turned.triangles().iter().zip(turned.normals()) {
        assert!(normal.dot(&turned.vertices()[corners[0] as usize]) > 0.0);
    }
}
