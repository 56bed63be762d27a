//! The graph of a mechanism: its rows, and which of them share a body.

use super::components::{Joint, RowPlace, is_movable};
use crate::constants::{DIRECT_HUB_JOINTS, DIRECT_JOINTS_PER_COPY};
use crate::math::{self, Vec3};
use crate::problem::batches::{Batches, BodyVelocity};
use std::ops::Range;

/// Side of a row that nothing moves.
pub(super) const IMMOVABLE: u32 = u32::MAX;

/// A vector of six: linear, then angular.
pub(super) type Six = [f64; 6];

pub(super) fn dot(a: &Six, b: &Six) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A row of the Jacobian, scaled so that its own entry of the matrix is 1.
#[derive(Debug)]
pub(super) struct Row {
    /// Its block; none for a row of a weld.
    pub(super) block: Option<u32>,
    /// Impulse of a unit of the scaled unknown; 0 for a row that moves nothing.
    pub(super) scale: f64,
    /// Impulse at the start, scaled.
    pub(super) start: f64,
    /// `J V + bias` without any impulse, scaled.
    free_velocity: f64,
    /// Scaled.
    pub(super) softness: f64,
    /// The Jacobian on the node's two bodies, zero where nothing moves.
    pub(super) jacobian: [Six; 2],
    /// `M^-1 J^T` of the two bodies.
    pub(super) moved: [Six; 2],
}

/// The rows between two bodies, or the weld between two copies of a hub.
#[derive(Debug)]
pub(super) struct Node {
    /// Its rows in [`Component::rows`].
    pub(super) rows: Range<usize>,
    /// The two bodies in [`Component::bodies`], or [`IMMOVABLE`].
    pub(super) bodies: [u32; 2],
}

impl Node {
    pub(super) fn size(&self) -> usize {
        self.rows.len()
    }
}

/// A joint's row, before it has any numbers.
#[derive(Debug)]
struct JointRowPlace {
    /// Its index among the rows without bounds.
    row: u32,
    node: u32,
    /// True if the row's body A is the node's second one.
    swapped: bool,
}

/// A movable body, or one of the copies of a hub.
#[derive(Debug)]
struct BodyCopy {
    body: u32,
    /// Number of copies; each has one part of the mass.
    copies: f64,
    /// What the impulses at the start add to the velocity.
    start: Six,
}

/// A connected mechanism.
#[derive(Debug)]
pub(super) struct Component {
    /// Those of joints first, in the order of the nodes; then those of welds.
    pub(super) rows: Vec<Row>,
    /// Shape: the number of the joints' rows.
    joint_rows: Vec<JointRowPlace>,
    pub(super) nodes: Vec<Node>,
    /// Nodes that share a movable body with each node, in rising order.
    pub(super) neighbors: Vec<Vec<u32>>,
    /// Copies of one body stand together.
    bodies: Vec<BodyCopy>,
}

impl Component {
    /// Lists the rows of some joints, without their numbers, and splits the hubs among their bodies.
    pub(super) fn new(
        batches: &Batches,
        places: &[RowPlace],
        joints: &[Joint],
        members: &[u32],
    ) -> Self {
        let mut nodes: Vec<Node> = Vec::with_capacity(members.len());
        let mut ends: Vec<(u32, u32, usize)> = Vec::with_capacity(2 * members.len());
        let mut row_count = 0;
        for (node, &member) in members.iter().enumerate() {
            let joint = &joints[member as usize];
            nodes.push(Node {
                rows: row_count..row_count + joint.rows.len(),
                bodies: [IMMOVABLE; 2],
            });
            row_count += joint.rows.len();
            for (side, &body) in joint.bodies.iter().enumerate() {
                if is_movable(batches, body) {
                    ends.push((body, node as u32, side));
                }
            }
        }
        ends.sort_unstable();

        let mut bodies: Vec<BodyCopy> = Vec::new();
        let mut welds: Vec<Node> = Vec::new();
        let mut cliques: Vec<Vec<u32>> = Vec::new();
        for ends in ends.chunk_by(|a, b| a.0 == b.0) {
            let per_copy = if ends.len() > DIRECT_HUB_JOINTS {
                DIRECT_JOINTS_PER_COPY
            } else {
                ends.len()
            };
            let copies = ends.len().div_ceil(per_copy);
            for (copy, ends) in ends.chunks(per_copy).enumerate() {
                let here = bodies.len() as u32;
                let mut clique: Vec<u32> = Vec::with_capacity(ends.len() + 2);
                for &(_, node, side) in ends {
                    nodes[node as usize].bodies[side] = here;
                    clique.push(node);
                }
                if copy > 0 {
                    clique.push((members.len() + welds.len() - 1) as u32);
                }
                if copy + 1 < copies {
                    clique.push((members.len() + welds.len()) as u32);
                    welds.push(Node {
                        rows: row_count..row_count + 6,
                        bodies: [here, here + 1],
                    });
                    row_count += 6;
                }
                bodies.push(BodyCopy {
                    body: ends[0].0,
                    copies: copies as f64,
                    start: [0.0; 6],
                });
                cliques.push(clique);
            }
        }

        let mut joint_rows = Vec::with_capacity(row_count);
        for (node, &member) in (0_u32..).zip(members) {
            let joint = &joints[member as usize];
            joint_rows.extend(joint.rows.iter().map(|&row| JointRowPlace {
                row,
                node,
                swapped: places[row as usize].bodies[0] != joint.bodies[0],
            }));
        }
        nodes.append(&mut welds);
        let mut component = Self {
            rows: Vec::with_capacity(row_count),
            joint_rows,
            neighbors: vec![Vec::new(); nodes.len()],
            nodes,
            bodies,
        };
        for clique in &cliques {
            for &node in clique {
                let others = clique.iter().filter(|&&other| other != node);
                component.neighbors[node as usize].extend(others);
            }
        }
        for neighbors in &mut component.neighbors {
            neighbors.sort_unstable();
            neighbors.dedup();
        }
        component
    }

    /// Number of rows, welds included.
    pub(super) fn row_count(&self) -> usize {
        self.nodes.last().map_or(0, |node| node.rows.end)
    }

    /// Fills in the numbers; `blocks` are those of the rows without bounds.
    pub(super) fn refill(&mut self, batches: &Batches, blocks: &[u32]) {
        for copy in &mut self.bodies {
            copy.start_from(&batches.velocities[copy.body as usize]);
        }
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        rows.extend(
            self.joint_rows
                .iter()
                .map(|place| self.joint_row(batches, place, blocks[place.row as usize])),
        );
        let welds = self
            .nodes
            .iter()
            .skip_while(|node| node.rows.start < self.joint_rows.len());
        for weld in welds {
            rows.extend((0..6).map(|axis| self.weld_row(batches, weld, axis)));
        }
        self.rows = rows;
    }

    /// Takes these velocities and impulses for those of the start.
    pub(super) fn start_from(&mut self, velocities: &[BodyVelocity], impulses: &[f32]) {
        for copy in &mut self.bodies {
            copy.start_from(&velocities[copy.body as usize]);
        }
        for row in &mut self.rows {
            if let Some(block) = row.block
                && row.scale > 0.0
            {
                row.start = f64::from(impulses[block as usize]) / row.scale;
            }
        }
    }

    fn joint_row(&self, batches: &Batches, place: &JointRowPlace, block: u32) -> Row {
        let index = block as usize;
        let given = &batches.joints.blocks[index];
        let [linear, angular_a, angular_b] =
            [given.linear, given.angular_a, given.angular_b].map(math::widen);
        let mut sides = [six(linear, angular_a), six(-linear, angular_b)];
        if place.swapped {
            sides.swap(0, 1);
        }
        let bodies = self.nodes[place.node as usize].bodies;
        let softness = f64::from(given.softness);
        let mut row = self.scaled_row(batches, bodies, sides, softness);
        row.block = Some(block);
        if row.scale > 0.0 {
            row.start = f64::from(batches.joints.impulses[index]) / row.scale;
            row.free_velocity = f64::from(given.free_velocity) * row.scale;
        }
        row
    }

    /// A row that holds two copies of a body together.
    fn weld_row(&self, batches: &Batches, weld: &Node, axis: usize) -> Row {
        let mut sides = [[0.0; 6]; 2];
        sides[0][axis] = 1.0;
        sides[1][axis] = -1.0;
        self.scaled_row(batches, weld.bodies, sides, 0.0)
    }

    fn scaled_row(
        &self,
        batches: &Batches,
        bodies: [u32; 2],
        mut sides: [Six; 2],
        softness: f64,
    ) -> Row {
        let mut moved = [[0.0; 6]; 2];
        for ((side, moved), body) in sides.iter_mut().zip(&mut moved).zip(bodies) {
            match self.bodies.get(body as usize) {
                Some(copy) => *moved = copy.moved(batches, side),
                None => *side = [0.0; 6],
            }
        }
        let own = dot(&sides[0], &moved[0]) + dot(&sides[1], &moved[1]) + softness;
        let scale = if own > 0.0 { 1.0 / own.sqrt() } else { 0.0 };
        let scaled = |sides: [Six; 2]| sides.map(|side| side.map(|x| x * scale));
        Row {
            block: None,
            scale,
            start: 0.0,
            free_velocity: 0.0,
            softness: softness * scale * scale,
            jacobian: scaled(sides),
            moved: scaled(moved),
        }
    }

    /// `u_e` of a row, scaled, and the sum of the sizes of its terms; `velocity` is that of a copy.
    fn velocity(
        &self,
        node: &Node,
        row: &Row,
        velocity: impl Fn(u32) -> Option<Six>,
        impulse: f64,
    ) -> [f64; 2] {
        let mut terms = [row.free_velocity, row.softness * impulse, 0.0, 0.0];
        for ((term, side), body) in terms[2..].iter_mut().zip(&row.jacobian).zip(node.bodies) {
            *term = velocity(body).map_or(0.0, |velocity| dot(side, &velocity));
        }
        [
            terms.iter().sum(),
            terms.iter().map(|term| term.abs()).sum(),
        ]
    }

    /// `-(u_e + A x)`, scaled: what is left to solve for after a change of the impulses. `velocities`
    /// is memory.
    pub(super) fn residual(&self, change: &[f64], velocities: &mut Vec<Six>, left: &mut Vec<f64>) {
        self.velocities(change, velocities);
        left.clear();
        for node in &self.nodes {
            for index in node.rows.clone() {
                let row = &self.rows[index];
                let impulse = row.start + change[index];
                let velocity = |body: u32| velocities.get(body as usize).copied();
                left.push(-self.velocity(node, row, velocity, impulse)[0]);
            }
        }
    }

    /// What all impulses add to each copy's velocity after a change of those of this component.
    fn velocities(&self, change: &[f64], velocities: &mut Vec<Six>) {
        velocities.clear();
        velocities.extend(self.bodies.iter().map(|copy| copy.start));
        if change.iter().all(|&x| x == 0.0) {
            return;
        }
        for node in &self.nodes {
            for row in node.rows.clone() {
                for (moved, body) in self.rows[row].moved.iter().zip(node.bodies) {
                    if let Some(velocity) = velocities.get_mut(body as usize) {
                        for (velocity, moved) in velocity.iter_mut().zip(moved) {
                            *velocity += moved * change[row];
                        }
                    }
                }
            }
        }
    }

    /// The same in f32, with each hub's copies at their mean, to which welds add nothing.
    pub(super) fn rounded_velocities(
        &self,
        change: &[f64],
        velocities: &mut Vec<Six>,
        rounded: &mut Vec<[f32; 6]>,
    ) {
        self.velocities(change, velocities);
        rounded.clear();
        for copies in self.bodies.chunk_by(|a, b| a.body == b.body) {
            let first = rounded.len();
            let mut mean = [0.0; 6];
            for velocity in &velocities[first..first + copies.len()] {
                for (mean, velocity) in mean.iter_mut().zip(velocity) {
                    *mean += velocity / copies[0].copies;
                }
            }
            rounded.extend(copies.iter().map(|_| mean.map(|x| x as f32)));
        }
    }

    /// The joints' rows, with their blocks.
    pub(super) fn joint_rows(&self) -> impl Iterator<Item = (u32, &Row)> {
        let rows = self.rows.iter();
        rows.map_while(|row| Some((row.block?, row)))
    }

    /// Index of each movable body, beside its velocity in a list with one for each copy.
    pub(super) fn by_body<'a>(
        &'a self,
        velocities: &'a [[f32; 6]],
    ) -> impl Iterator<Item = (u32, [f32; 6])> + 'a {
        let mut last = None;
        self.bodies
            .iter()
            .zip(velocities)
            .filter(move |(copy, _)| last.replace(copy.body) != Some(copy.body))
            .map(|(copy, &velocity)| (copy.body, velocity))
    }

    /// True if the rows that are not redundant are nearer to zero than at the start, or zero up to
    /// round-off.
    pub(super) fn is_improved(
        &self,
        kept: &[bool],
        velocities: &[[f32; 6]],
        impulses: &[f32],
    ) -> bool {
        let start = |body: u32| self.bodies.get(body as usize).map(|copy| copy.start);
        let end = |body: u32| velocities.get(body as usize).map(|v| v.map(f64::from));
        let (mut before, mut after, mut round_off) = (0.0, 0.0, 0.0);
        for node in &self.nodes {
            for index in node.rows.clone() {
                let row = &self.rows[index];
                if row.block.is_none() || !kept[index] {
                    continue;
                }
                let impulse = f64::from(impulses[index]) / row.scale;
                before += self.velocity(node, row, start, row.start)[0].powi(2);
                let [velocity, terms] = self.velocity(node, row, end, impulse);
                after += velocity.powi(2);
                round_off += (terms * f64::from(f32::EPSILON)).powi(2);
            }
        }
        after <= before.max(round_off)
    }
}

impl BodyCopy {
    fn start_from(&mut self, velocity: &BodyVelocity) {
        self.start = six(math::widen(velocity.linear), math::widen(velocity.angular));
    }

    /// `M^-1 J^T` of a copy.
    fn moved(&self, batches: &Batches, side: &Six) -> Six {
        let body = self.body as usize;
        let inverse = math::widen_symmetric(&batches.inertias[body].inverse);
        let inverse_mass = f64::from(batches.velocities[body].inverse_mass);
        let [x, y, z, p, q, r] = *side;
        six(
            Vec3::new(x, y, z) * (inverse_mass * self.copies),
            inverse * Vec3::new(p, q, r) * self.copies,
        )
    }
}

fn six(linear: Vec3, angular: Vec3) -> Six {
    [
        linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
    ]
}
