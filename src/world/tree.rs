//! A tree of boxes over the triangles of a mesh.

use super::facing::Facing;
use crate::math::{Aabb, Vec3};

/// Most triangles of a leaf.
const LEAF: usize = 4;

/// Most entries that wait while others are looked at: the tree halves its triangles at every level, and a level leaves one
/// waiting.
const WAITING: usize = 64;

/// Two halves of some triangles with their boxes, which fill a cache line.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
struct Node {
    /// Least and largest coordinates of the halves' boxes, by axis, rounded outward.
    min: [[f32; 2]; 3],
    max: [[f32; 2]; 3],
    halves: [Half; 2],
}

/// A leaf's triangles, or a node.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Half {
    /// First of its triangles, or its node.
    first: u32,
    /// Number of its triangles; 0 for a node.
    count: u32,
}

/// Boxes of triangles, in a box of all.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Directions in which the triangles of each node's halves can be touched, or nothing if that was not said.
    facings: Vec<[Facing; 2]>,
}

impl Node {
    /// Without halves: nothing is in it.
    const EMPTY: Self = Self {
        min: [[f32::INFINITY; 2]; 3],
        max: [[f32::NEG_INFINITY; 2]; 3],
        halves: [Half { first: 0, count: 0 }; 2],
    };

    /// Puts a box around a half.
    fn enclose(&mut self, half: usize, aabb: &Aabb) {
        for axis in 0..3 {
            self.min[axis][half] = below(aabb.min[axis]);
            self.max[axis][half] = above(aabb.max[axis]);
        }
    }

    /// Squares of the distances of a point from the boxes of the halves `[m^2]`; infinite for an empty one.
    #[inline(always)]
    fn squared_distances(&self, point: &Vec3) -> [f64; 2] {
        // Both at once, and without the care that `f64::max` takes of NaN, which there is none of.
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        let mut sums = [0.0; 2];
        for axis in 0..3 {
            let bounds = self.min[axis].into_iter().zip(self.max[axis]);
            for (sum, (min, max)) in sums.iter_mut().zip(bounds) {
                let before = f64::from(min) - point[axis];
                let behind = point[axis] - f64::from(max);
                let outside = larger(larger(before, behind), 0.0);
                *sum += outside * outside;
            }
        }
        sums
    }

    /// The middle of a half's box, and how far its corners are from it `[m]`.
    #[inline(always)]
    fn middle(&self, half: usize) -> (Vec3, f64) {
        let Aabb { min, max } = self.aabb(half);
        ((min + max) * 0.5, (max - min).norm() * 0.5)
    }

    /// The box of a half.
    #[inline(always)]
    fn aabb(&self, half: usize) -> Aabb {
        let of = |bounds: &[[f32; 2]; 3]| {
            Vec3::new(
                f64::from(bounds[0][half]),
                f64::from(bounds[1][half]),
                f64::from(bounds[2][half]),
            )
        };
        Aabb {
            min: of(&self.min),
            max: of(&self.max),
        }
    }
}

/// The next number of single precision that is not above.
fn below(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x {
        near.next_down()
    } else {
        near
    }
}

/// The next number of single precision that is not below.
fn above(x: f64) -> f32 {
    -below(-x)
}

impl Tree {
    /// Over some boxes, of which there is one at least, and the order in which their triangles are to be numbered from now on:
    /// leaf by leaf, so that those of a leaf are side by side in memory.
    pub(super) fn new(boxes: &[Aabb]) -> (Self, Vec<u32>) {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::with_capacity(boxes.len() / 2 + 1);
        if boxes.len() <= LEAF {
            let mut root = Node::EMPTY;
            root.enclose(0, &bounds(&order, boxes));
            root.halves[0].count = boxes.len() as u32;
            nodes.push(root);
        } else {
            split(&mut nodes, &mut order, 0, boxes);
        }
        let facings = Vec::new();
        (Self { nodes, facings }, order)
    }

    /// Says in which directions triangles can be touched.
    pub(super) fn set_facings(&mut self, triangles: &[Facing]) {
        let merged = |facings: &[Facing]| match facings {
            [first, others @ ..] => others.iter().fold(*first, |all, one| all.merged(one)),
            [] => Facing::ANY,
        };
        self.facings = vec![[Facing::ANY; 2]; self.nodes.len()];
        // The nodes below one come after it.
        for (at, node) in self.nodes.iter().enumerate().rev() {
            self.facings[at] = node.halves.map(|half| {
                let first = half.first as usize;
                if half.count > 0 {
                    merged(&triangles[first..first + half.count as usize])
                } else if first > at {
                    merged(&self.facings[first])
                } else {
                    Facing::ANY
                }
            });
        }
    }

    /// Multiplies all coordinates by a positive factor.
    pub(super) fn scale(&mut self, factor: f64) {
        for node in &mut self.nodes {
            for half in 0..2 {
                let mut aabb = node.aabb(half);
                aabb.min *= factor;
                aabb.max *= factor;
                node.enclose(half, &aabb);
            }
        }
    }

    /// Visits the triangles of all leaves that a box touches.
    #[inline]
    pub(super) fn visit(&self, aabb: &Aabb, visit: impl FnMut(u32)) {
        // In the nodes' precision, rounded outward: a leaf too many does no harm.
        let (min, max) = (aabb.min.map(below), aabb.max.map(above));
        self.visit_where(
            |_, node| {
                let mut overlap = [true; 2];
                for axis in 0..3 {
                    for (half, overlap) in overlap.iter_mut().enumerate() {
                        *overlap &= node.min[axis][half] <= max[axis];
                        *overlap &= min[axis] <= node.max[axis][half];
                    }
                }
                overlap
            },
            visit,
        );
    }

    /// Visits the triangles of all leaves that come within some distance of a point `[m]`.
    #[inline]
    pub(super) fn visit_ball(&self, center: &Vec3, radius: f64, visit: impl FnMut(u32)) {
        // An empty box is infinitely far away.
        let squared = (radius * radius).min(f64::MAX);
        self.visit_where(
            |_, node| node.squared_distances(center).map(|to| to <= squared),
            visit,
        );
    }

    /// The same without leaves that have nothing within this distance that can be touched from within `room` of the point `[m]`.
    #[inline]
    pub(super) fn visit_facing(
        &self,
        center: &Vec3,
        (radius, room): (f64, f64),
        visit: impl FnMut(u32),
    ) {
        let squared = (radius * radius).min(f64::MAX);
        self.visit_where(
            |at, node| {
                let to = node.squared_distances(center);
                [0, 1].map(|half| {
                    to[half] <= squared && {
                        let facing = &self.facings[at][half];
                        let (middle, extent) = node.middle(half);
                        let beside = facing.beside(&(middle - center)).norm_squared();
                        let most = extent + facing.width(radius) + room;
                        beside <= most * most
                    }
                })
            },
            visit,
        );
    }

    #[inline(always)]
    fn visit_where(
        &self,
        are_near: impl Fn(usize, &Node) -> [bool; 2],
        mut visit: impl FnMut(u32),
    ) {
        let mut waiting = [Half { first: 0, count: 0 }; WAITING];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let Half { first, count: size } = waiting[count];
            if size > 0 {
                (first..first + size).for_each(&mut visit);
                continue;
            }
            let node = &self.nodes[first as usize];
            let [low, high] = are_near(first as usize, node);
            if high {
                waiting[count] = node.halves[1];
                count += 1;
            }
            if low {
                waiting[count] = node.halves[0];
                count += 1;
            }
        }
    }

    /// The triangle nearest to a point and the square of its distance `[m^2]`, which is given; none that is not nearer than `at_most`. Ends with
    /// one that is nearer than `enough` `[m]`.
    pub(super) fn nearest(
        &self,
        point: &Vec3,
        [enough, at_most]: [f64; 2],
        squared_distance: impl Fn(u32) -> f64,
    ) -> Option<(f64, u32)> {
        let enough = enough * enough;
        let mut best = (at_most * at_most, None);
        let mut waiting = [(Half { first: 0, count: 0 }, 0.0); WAITING];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (Half { first, count: size }, squared) = waiting[count];
            if squared >= best.0 {
                continue;
            }
            if size > 0 {
                for triangle in first..first + size {
                    let squared = squared_distance(triangle);
                    if squared < best.0 {
                        best = (squared, Some(triangle));
                    }
                }
                if best.0 < enough {
                    break;
                }
                continue;
            }
            let node = &self.nodes[first as usize];
            let [low, high] = node.squared_distances(point);
            let both = [(node.halves[0], low), (node.halves[1], high)];
            // The nearer one is looked at first.
            let near = usize::from(both[1].1 < both[0].1);
            waiting[count] = both[1 - near];
            waiting[count + 1] = both[near];
            count += 2;
        }
        best.1.map(|triangle| (best.0, triangle))
    }
}

/// The box of some triangles.
fn bounds(order: &[u32], boxes: &[Aabb]) -> Aabb {
    order.iter().fold(Aabb::empty(), |all, &triangle| {
        all.merged(&boxes[triangle as usize])
    })
}

/// Adds the node of some triangles, more than a leaf holds, which begin at a place of the order, and those below it.
fn split(nodes: &mut Vec<Node>, order: &mut [u32], first: usize, boxes: &[Aabb]) {
    let aabb = bounds(order, boxes);
    let axis = (aabb.max - aabb.min).imax();
    let middle = |triangle: u32| {
        let aabb = &boxes[triangle as usize];
        0.5 * aabb.min[axis] + 0.5 * aabb.max[axis]
    };
    let half = order.len() / 2;
    order.select_nth_unstable_by(half, |&a, &b| {
        middle(a).total_cmp(&middle(b)).then(a.cmp(&b))
    });
    let at = nodes.len();
    nodes.push(Node::EMPTY);
    let (low, high) = order.split_at_mut(half);
    for (which, (part, first)) in [(low, first), (high, first + half)].into_iter().enumerate() {
        nodes[at].enclose(which, &bounds(part, boxes));
        nodes[at].halves[which] = if part.len() <= LEAF {
            Half {
                first: first as u32,
                count: part.len() as u32,
            }
        } else {
            let node = nodes.len() as u32;
            split(nodes, part, first, boxes);
            Half {
                first: node,
                count: 0,
            }
        };
    }
}
