//! Pairs of random convex polyhedra, and what is drawn of them.

use super::bodies::solid_box;
use drystone::Result;
use drystone::collide::ratio_metric;
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

/// A solid of any proportions, of about 1 m.
fn extreme(random: &mut Pcg64) -> Result<Polyhedron> {
    let half = Vec3::from_fn(|_, _| random.random_range(0.2..1.0));
    let thin = 10_f64.powf(random.random_range(-3.0..-1.0));
    match random.random_range(0..7) {
        0 => solid_box(&half),
        1 => solid_box(&Vec3::new(1.0, half.y, 1e-3)),
        2 => solid_box(&Vec3::new(half.x, thin, thin)),
        3 => rock(4, random),
        4 => Polyhedron::prism(random.random_range(3..65), 0.5, 0.6),
        5 => Polyhedron::prism(random.random_range(3..65), 1.0, thin),
        _ => rock(random.random_range(5..35), random),
    }
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

    /// Boxes, plates and needles down to a thousandth, tetrahedra, rocks of up to 64 faces and cylinders, of 1 mm to 100 m, up to 10^4 times their
    /// size away from the origin: some overlap, some are apart, and a third touch.
    pub(crate) fn extreme(random: &mut Pcg64) -> Result<Self> {
        let size = 10_f64.powf(random.random_range(-3.0..2.0));
        let solids = [extreme(random)?.scaled(size), extreme(random)?.scaled(size)];
        let distance = size * random.random_range(0.05..2.0);
        let mut pair = Self::at_distance(solids, distance, random);
        let far = direction(random) * size * 10_f64.powf(random.random_range(-2.0..4.0));
        for pose in &mut pair.poses {
            pose.position += far;
        }
        if random.random_range(0..3) == 0 {
            // The ratio is proportional to the distance of the centres.
            let metric = ratio_metric(pair.solids(), pair.poses())?;
            let [first, second] = metric.centers;
            pair.poses[1].position += (second - first) * (1.0 / metric.ratio - 1.0);
        }
        Ok(pair)
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
