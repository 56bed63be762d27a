//! In which order the nodes are eliminated, and what that costs.

use super::graph::Component;
use crate::constants::DIRECT_MAX_PRODUCTS;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An order of elimination.
pub(super) struct Order {
    /// The nodes from first to last.
    pub(super) nodes: Vec<u32>,
    /// Nodes whose equations change when a node is eliminated, in the order of their own elimination.
    pub(super) later: Vec<Vec<u32>>,
    /// Multiplications with an addition that the factorization takes.
    pub(super) products: u64,
}

/// Eliminates again and again the node with the fewest rows beside it, the one with the lower index
/// among equals: in a tree, a leaf. `None` if that takes more than [`DIRECT_MAX_PRODUCTS`].
pub(super) fn minimum_degree(component: &Component) -> Option<Order> {
    let size = |node: u32| component.nodes[node as usize].size();
    let rows_of = |nodes: &[u32]| nodes.iter().map(|&node| size(node)).sum::<usize>();
    let mut later = component.neighbors.clone();
    let mut degrees: Vec<usize> = later.iter().map(|nodes| rows_of(nodes)).collect();
    let mut waiting: BinaryHeap<Reverse<(usize, u32)>> = (degrees.iter().zip(0..))
        .map(|(&degree, node)| Reverse((degree, node)))
        .collect();
    let mut nodes = Vec::with_capacity(later.len());
    let mut position = vec![u32::MAX; later.len()];
    let mut products = 0_u64;
    while let Some(Reverse((degree, node))) = waiting.pop() {
        // An entry that a later one of the same node has replaced.
        if position[node as usize] != u32::MAX || degree != degrees[node as usize] {
            continue;
        }
        let front = (size(node) + degree) as u64;
        products = products.saturating_add((size(node) as u64).saturating_mul(front * front));
        if products > DIRECT_MAX_PRODUCTS {
            return None;
        }
        position[node as usize] = nodes.len() as u32;
        nodes.push(node);
        let clique = std::mem::take(&mut later[node as usize]);
        for &other in &clique {
            let neighbors = &mut later[other as usize];
            *neighbors = union(neighbors, &clique, [node, other]);
            let degree = rows_of(neighbors);
            if degree != degrees[other as usize] {
                degrees[other as usize] = degree;
                waiting.push(Reverse((degree, other)));
            }
        }
        later[node as usize] = clique;
    }
    for later in &mut later {
        later.sort_unstable_by_key(|&node| position[node as usize]);
    }
    Some(Order {
        nodes,
        later,
        products,
    })
}

/// What is in either of two rising lists, without two nodes.
fn union(a: &[u32], b: &[u32], without: [u32; 2]) -> Vec<u32> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(&&x), Some(&&y)) => x.min(y),
            (Some(&&x), None) | (None, Some(&&x)) => x,
            (None, None) => return all,
        };
        a.next_if(|&&x| x == next);
        b.next_if(|&&x| x == next);
        if !without.contains(&next) {
            all.push(next);
        }
    }
}
