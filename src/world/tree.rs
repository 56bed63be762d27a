//! A tree of boxes over the triangles of a mesh.

use crate::math::{Aabb, Vec3};

/// Most triangles of a leaf.
const LEAF: usize = 4;

/// Most nodes that wait while others are looked at: the tree halves its triangles at every level, and a level leaves one waiting.
const WAITING: usize = 64;

/// A box with triangles, or with two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    aabb: Aabb,
    /// First of its triangles, or its second node; the first one follows it.
    first: u32,
    /// Number of its triangles; 0 for a node of nodes.
    count: u32,
}

/// Boxes of triangles, in a box of all.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// Over some boxes, of which there is one at least, and the order in which their triangles are to be numbered from now on:
    /// leaf by leaf, so that those of a leaf are side by side in memory.
    pub(super) fn new(boxes: &[Aabb]) -> (Self, Vec<u32>) {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::with_capacity(boxes.len());
        split(&mut nodes, &mut order, 0, boxes);
        (Self { nodes }, order)
    }

    /// Multiplies all coordinates by a positive factor.
    pub(super) fn scale(&mut self, factor: f64) {
        for node in &mut self.nodes {
            node.aabb.min *= factor;
            node.aabb.max *= factor;
        }
    }

    /// Visits the triangles of all leaves that a box touches.
    #[inline]
    pub(super) fn visit(&self, aabb: &Aabb, visit: impl FnMut(u32)) {
        self.visit_where(|node| node.overlaps(aabb), visit);
    }

    /// Visits the triangles of all leaves that come within some distance of a point `[m]`.
    #[inline]
    pub(super) fn visit_ball(&self, center: &Vec3, radius: f64, visit: impl FnMut(u32)) {
        let squared = radius * radius;
        self.visit_where(|node| squared_distance(node, center) <= squared, visit);
    }

    #[inline(always)]
    fn visit_where(&self, is_near: impl Fn(&Aabb) -> bool, mut visit: impl FnMut(u32)) {
        let mut waiting = [0_u32; WAITING];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let at = waiting[count];
            let node = &self.nodes[at as usize];
            if !is_near(&node.aabb) {
                continue;
            }
            if node.count > 0 {
                (node.first..node.first + node.count).for_each(&mut visit);
            } else {
                waiting[count] = node.first;
                waiting[count + 1] = at + 1;
                count += 2;
            }
        }
    }

    /// The least distance of a point from a triangle, given its square, or `at_most` if all are farther `[m]`.
    pub(super) fn nearest(
        &self,
        point: &Vec3,
        at_most: f64,
        squared_distance: impl Fn(u32) -> f64,
    ) -> f64 {
        let squared_to = |node: u32| self::squared_distance(&self.nodes[node as usize].aabb, point);
        let mut best = at_most * at_most;
        let mut waiting = [(0_u32, 0.0); WAITING];
        waiting[0] = (0, squared_to(0));
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (at, squared) = waiting[count];
            if squared >= best {
                continue;
            }
            let node = &self.nodes[at as usize];
            if node.count > 0 {
                for triangle in node.first..node.first + node.count {
                    best = best.min(squared_distance(triangle));
                }
                continue;
            }
            let both = [at + 1, node.first].map(|node| (node, squared_to(node)));
            // The nearer one is looked at first.
            let near = usize::from(both[1].1 < both[0].1);
            waiting[count] = both[1 - near];
            waiting[count + 1] = both[near];
            count += 2;
        }
        if best < at_most * at_most {
            best.sqrt()
        } else {
            at_most
        }
    }
}

/// Square of the distance of a point from a box `[m^2]`.
#[inline(always)]
fn squared_distance(aabb: &Aabb, point: &Vec3) -> f64 {
    let along = |axis: usize| {
        let outside = (aabb.min[axis] - point[axis]).max(point[axis] - aabb.max[axis]);
        outside.max(0.0)
    };
    let [x, y, z] = [along(0), along(1), along(2)];
    x * x + y * y + z * z
}

/// Adds the node of some triangles, which begin at a place of the order, and those below it.
fn split(nodes: &mut Vec<Node>, order: &mut [u32], first: usize, boxes: &[Aabb]) {
    let aabb = order.iter().fold(Aabb::empty(), |all, &triangle| {
        all.merged(&boxes[triangle as usize])
    });
    let at = nodes.len();
    nodes.push(Node {
        aabb,
        first: first as u32,
        count: order.len() as u32,
    });
    if order.len() <= LEAF {
        return;
    }
    let axis = (aabb.max - aabb.min).imax();
    let middle = |triangle: u32| {
        let aabb = &boxes[triangle as usize];
        0.5 * aabb.min[axis] + 0.5 * aabb.max[axis]
    };
    let half = order.len() / 2;
    order.select_nth_unstable_by(half, |&a, &b| {
        middle(a).total_cmp(&middle(b)).then(a.cmp(&b))
    });
    let (low, high) = order.split_at_mut(half);
    split(nodes, low, first, boxes);
    nodes[at].first = nodes.len() as u32;
    nodes[at].count = 0;
    split(nodes, high, first + half, boxes);
}
