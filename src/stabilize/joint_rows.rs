//! The rows of all joints of a world, in the order of the joints.

use crate::math::{self, Vec3};
use crate::parallel;
use crate::problem;
use crate::world::joint::Row;
use crate::world::{Body, World};
use std::ops::Range;

/// Joints whose rows one thread makes at a time.
const CHUNK: usize = 256;

/// The rows of a world's joints where its bodies are; keeps its memory from step to step.
#[derive(Debug, Default)]
pub(crate) struct JointRows {
    /// Shape `[row_count]`.
    rows: Vec<Row>,
    /// Bodies A and B of each row, shape `[row_count]`. The body after the world's last stands for
    /// the world.
    bodies: Vec<[u32; 2]>,
    /// Where each joint's rows begin, and where the last ones end; shape `[joint_count + 1]`.
    first: Vec<usize>,
}

impl JointRows {
    /// The rows of `world`'s joints, for a step of length `h` `[s]`.
    pub(crate) fn gather(&mut self, world: &World, h: f64) {
        self.rows.clear();
        self.bodies.clear();
        self.first.clear();
        self.first.push(0);
        let joints = &world.joints;
        let chunks = joints.len().div_ceil(CHUNK);
        if parallel::is_shared(chunks, 1) {
            let mut parts = Vec::new();
            parallel::fill(&mut parts, chunks, 1, |chunk| {
                let mut rows = Vec::new();
                let ends: Vec<usize> = joints[chunk * CHUNK..joints.len().min((chunk + 1) * CHUNK)]
                    .iter()
                    .map(|joint| {
                        joint.rows(&world.bodies, world.time, h, &mut rows);
                        rows.len()
                    })
                    .collect();
                (rows, ends)
            });
            for (rows, ends) in &parts {
                let before = self.rows.len();
                self.rows.extend_from_slice(rows);
                self.first.extend(ends.iter().map(|end| before + end));
            }
        } else {
            for joint in joints {
                joint.rows(&world.bodies, world.time, h, &mut self.rows);
                self.first.push(self.rows.len());
            }
        }
        let outside = world.bodies.len() as u32;
        for (joint, range) in world.joints.iter().zip(self.first.windows(2)) {
            let bodies = [joint.body_a, joint.body_b.unwrap_or(outside)];
            self.bodies
                .extend(std::iter::repeat_n(bodies, range[1] - range[0]));
        }
    }

    /// All rows, those of a joint together.
    #[must_use]
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Bodies A and B of each row; an index of the number of bodies stands for the world.
    #[must_use]
    pub(crate) fn bodies(&self) -> &[[u32; 2]] {
        &self.bodies
    }

    /// Which rows are those of a joint.
    #[must_use]
    pub(crate) fn of(&self, joint: usize) -> Range<usize> {
        self.first[joint]..self.first[joint + 1]
    }
}

/// The body that stands for the world in a problem: it comes after the world's own, if there are
/// joints.
pub(crate) fn push_outside(world: &World, bodies: &mut Vec<problem::Body>) {
    if !world.joints.is_empty() {
        bodies.push(problem::Body::immovable([0.0; 3], [0.0; 3]));
    }
}

impl Row {
    /// The row as the solvers see it, without bias and bounds.
    pub(crate) fn for_solver(&self, [body_a, body_b]: [u32; 2]) -> problem::JointRow {
        problem::JointRow {
            body_a,
            body_b,
            linear: math::narrow(&self.linear),
            angular_a: math::narrow(&self.angular_a),
            angular_b: math::narrow(&self.angular_b),
            bias: 0.0,
            softness: 0.0,
            lower: -problem::JointRow::UNBOUNDED,
            upper: problem::JointRow::UNBOUNDED,
            impulse: 0.0,
        }
    }
}

/// Velocities of a body before a step; zero of the world.
pub(crate) fn velocity_of(bodies: &[Body], body: u32) -> (Vec3, Vec3) {
    bodies
        .get(body as usize)
        .map_or((Vec3::zeros(), Vec3::zeros()), |body| {
            (body.linear_velocity, body.angular_velocity)
        })
}
