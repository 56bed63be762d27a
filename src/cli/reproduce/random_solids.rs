//! Pairs of random convex polyhedra, and what is drawn of them.

use drystone::Result;
use drystone::math::{Pose, Quat, Vec3};
use drystone::world::Polyhedron;
use rand::RngExt;
use rand_pcg::Pcg64;

/// A unit vector.
pub(crate) fn direction(random: &mut Pcg64) -> Vec3 {
    loop {
        let at = Vec3::from_fn(|_, _| random.random_range(-1.0..1.0));
        if (0.01..1.0).contains(&at.norm()) {
            return at.normalize();
        }
    }
}

fn rotation(random: &mut Pcg64) -> Quat {
    Quat::from_scaled_axis(direction(random) * random.random_range(0.0..3.0))
}

/// The hull of so many points on an ellipsoid of half axes of 0.4 to 1 m.
pub(crate) fn rock(points: usize, random: &mut Pcg64) -> Result<Polyhedron> {
    let axes = Vec3::from_fn(|_, _| random.random_range(0.4..1.0));
    let points: Vec<Vec3> = (0..points)
        .map(|_| direction(random).component_mul(&axes))
        .collect();
    Ok(Polyhedron::hull(&points)?.centered())
}

/// A regular solid, a prism or a rock of about 1 m.
fn solid(random: &mut Pcg64) -> Result<Polyhedron> {
    let solid = match random.random_range(0..4) {
        0 => Polyhedron::regular([4, 6, 8, 12, 20][random.random_range(0..5)], 0.7)?,
        1 => Polyhedron::prism(random.random_range(3..17), 0.5, 0.6)?,
        _ => return rock(random.random_range(4..34), random),
    };
    Ok(solid.centered())
}

/// Two polyhedra and where they are; about half of such pairs overlap.
pub(crate) struct Pair {
    pub(crate) solids: [Polyhedron; 2],
    pub(crate) poses: [Pose; 2],
}

impl Pair {
    pub(crate) fn random(random: &mut Pcg64) -> Result<Self> {
        let solids = [solid(random)?, solid(random)?];
        let distance = random.random_range(0.3..2.0);
        Ok(Self::at_distance(solids, distance, random))
    }

    /// Two solids, their centres so far apart `[m]`.
    pub(crate) fn at_distance(solids: [Polyhedron; 2], distance: f64, random: &mut Pcg64) -> Self {
        let first = Pose::new(direction(random) * 0.3, rotation(random));
        let away = direction(random) * distance;
        let second = Pose::new(first.position + away, rotation(random));
        Self {
            solids,
            poses: [first, second],
        }
    }

    pub(crate) fn solids(&self) -> [&Polyhedron; 2] {
        self.solids.each_ref()
    }

    pub(crate) fn poses(&self) -> [&Pose; 2] {
        self.poses.each_ref()
    }
}
