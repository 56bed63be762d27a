//! What the factorization can know of its fronts before it sees a number.

use super::graph::{Component, IMMOVABLE, Node};
use super::order::Order;
use std::ops::Range;

/// The fronts of all nodes, in the order of elimination.
#[derive(Debug, Default)]
pub(super) struct Fronts {
    pub(super) fronts: Vec<Front>,
    /// Rows of all fronts, one front after the other: those of the node, then those of the later nodes.
    pub(super) rows: Vec<u32>,
    /// Beside the rows of the later nodes: their places in the front that they are left to.
    pub(super) places: Vec<u32>,
    /// What the fronts are gathered from.
    pub(super) links: Vec<Link>,
    /// Fronts that leave something to each front, one list after the other.
    pub(super) children: Vec<u32>,
    /// Entries of the largest front.
    pub(super) largest: usize,
    /// Entries of everything that fronts have left and no other front has taken yet, at most.
    pub(super) waiting: usize,
}

/// The front of a node; ranges are those of the lists in [`Fronts`].
#[derive(Debug)]
pub(super) struct Front {
    pub(super) node: u32,
    /// Number of the node's own rows.
    pub(super) own: usize,
    pub(super) rows: Range<usize>,
    pub(super) links: Range<usize>,
    pub(super) children: Range<usize>,
    /// First entry of what it leaves, among all that waits.
    pub(super) left: usize,
    /// True if there is a later front to leave something to.
    pub(super) has_parent: bool,
}

impl Front {
    /// Number of rows.
    pub(super) fn length(&self) -> usize {
        self.rows.len()
    }

    /// Number of rows of later nodes.
    pub(super) fn left_rows(&self) -> usize {
        self.length() - self.own
    }
}

/// A body that a front's node shares with itself or a later node.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) other: u32,
    /// Side of the body in the node, and in the other one.
    pub(super) sides: [u8; 2],
    /// First column of the other node's rows in the front.
    pub(super) first: u32,
}

impl Fronts {
    pub(super) fn new(component: &Component, order: &Order) -> Self {
        let mut fronts = Self::default();
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); component.nodes.len()];
        let mut place = vec![0_u32; component.row_count()];
        let mut room = Room::default();
        for (index, &node) in (0_u32..).zip(&order.nodes) {
            let later = &order.later[node as usize];
            let first_row = fronts.rows.len();
            let first_link = fronts.links.len();
            for &other in std::iter::once(&node).chain(later) {
                fronts.link(
                    component,
                    node,
                    other,
                    (fronts.rows.len() - first_row) as u32,
                );
                let rows = component.nodes[other as usize].rows.clone();
                fronts.rows.extend(rows.map(|row| row as u32));
            }
            fronts.places.resize(fronts.rows.len(), 0);
            for (at, &row) in fronts.rows[first_row..].iter().enumerate() {
                place[row as usize] = at as u32;
            }
            let own = component.nodes[node as usize].size();
            let length = fronts.rows.len() - first_row;
            let received = std::mem::take(&mut children[node as usize]);
            let first_child = fronts.children.len();
            for &child in &received {
                let from = &fronts.fronts[child as usize];
                for at in from.rows.start + from.own..from.rows.end {
                    fronts.places[at] = place[fronts.rows[at] as usize];
                }
            }
            fronts.children.extend_from_slice(&received);
            fronts.largest = fronts.largest.max(length * length);
            // Its rows are gathered before it leaves any: what it receives is free by then.
            for &child in &received {
                room.give_back(child);
            }
            if let Some(&parent) = later.first() {
                children[parent as usize].push(index);
                room.take(index, (length - own) * (length - own));
            }
            fronts.fronts.push(Front {
                node,
                own,
                rows: first_row..fronts.rows.len(),
                links: first_link..fronts.links.len(),
                children: first_child..fronts.children.len(),
                left: 0,
                has_parent: !later.is_empty(),
            });
        }
        fronts.waiting = room.settle(&mut fronts.fronts);
        fronts
    }

    /// Lists the bodies that two nodes share.
    fn link(&mut self, component: &Component, node: u32, other: u32, first: u32) {
        let nodes = &component.nodes;
        for [i, j] in shared_sides(&nodes[node as usize], &nodes[other as usize]) {
            self.links.push(Link {
                other,
                sides: [i as u8, j as u8],
                first,
            });
        }
    }
}

/// Sides of two nodes on which they have the same body.
fn shared_sides<'a>(a: &'a Node, b: &'a Node) -> impl Iterator<Item = [usize; 2]> + 'a {
    [[0, 0], [0, 1], [1, 0], [1, 1]]
        .into_iter()
        .filter(|&[i, j]| a.bodies[i] != IMMOVABLE && a.bodies[i] == b.bodies[j])
}

/// Buffers for what fronts leave, each used again as soon as what was in it has been taken.
#[derive(Debug, Default)]
struct Room {
    /// Entries of each buffer.
    sizes: Vec<usize>,
    /// Buffers without content.
    free: Vec<usize>,
    /// Front and its buffer.
    uses: Vec<(u32, usize)>,
    /// Buffer of each front so far; those that leave nothing have none.
    buffer_of: Vec<Option<usize>>,
}

impl Room {
    fn take(&mut self, front: u32, size: usize) {
        let buffer = self.free.pop().unwrap_or_else(|| {
            self.sizes.push(0);
            self.sizes.len() - 1
        });
        self.sizes[buffer] = self.sizes[buffer].max(size);
        self.uses.push((front, buffer));
        self.buffer_of.resize(front as usize, None);
        self.buffer_of.push(Some(buffer));
    }

    fn give_back(&mut self, front: u32) {
        if let Some(&Some(buffer)) = self.buffer_of.get(front as usize) {
            self.free.push(buffer);
        }
    }

    /// Tells every front where its buffer begins; returns the entries of all of them.
    fn settle(&self, fronts: &mut [Front]) -> usize {
        let mut end = 0;
        let starts: Vec<usize> = self
            .sizes
            .iter()
            .map(|size| {
                end += size;
                end - size
            })
            .collect();
        for &(front, buffer) in &self.uses {
            fronts[front as usize].left = starts[buffer];
        }
        end
    }
}
