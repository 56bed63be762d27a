//! The direct start: joints without bounds solved at once, in f64, before the first sweep.
//!
//! # Problem
//!
//! A sweep carries an impulse from a joint to its neighbours, so that a chain of `n` links needs of
//! the order of `n^2` sweeps. The rows without bounds are linear, though, and the matrix between them
//! is as sparse as the mechanism: it factors in a time that grows with `n` where the mechanism is a
//! chain or a tree, and not much faster where it has a few loops. So they are solved first, with the
//! impulses of contacts and bounded rows as they are; what is left to the sweeps is what contacts and
//! bounded rows change.
//!
//! # Symbols
//!
//! | | |
//! |---|---|
//! | `J_e` | Jacobian of the rows without bounds |
//! | `v` | what the impulses at the start add to the velocities |
//! | `r_e` | impulses of the rows without bounds at the start |
//! | `u_e` | `J_e (V + v) + bias + softness r_e`, what is to vanish |
//! | `A` | `J_e M^-1 J_e^T + softness`, positive semidefinite |
//! | `x` | change of `r_e` |
//!
//! # Recurrence
//!
//! ```text
//! A x = -u_e,    r_e <- r_e + x,    v <- v + M^-1 J_e^T x
//! ```
//!
//! by a block Cholesky factorization: the rows between two bodies are a node, two nodes are joined by
//! an edge if they share a movable body, and the node with the fewest rows beside it is eliminated
//! first (`order.rs`). Each elimination works on one small dense matrix (`factor.rs`). The components of
//! the graph are solved in parallel, each in a fixed order.
//!
//! * A *redundant* row leaves a pivot of zero. It keeps the impulse 0, and where rows contradict each
//!   other, the first ones hold.
//! * A *hub* would join all of its nodes with each other. It is split into copies of a share of its
//!   mass each, welded one to the next: the same mechanism, with few nodes at any body (`graph.rs`).
//! * A component whose loops make it too expensive, or whose solution is not finite or no better than
//!   its start, keeps its start.
//!
//! # Source
//!
//! Baraff, *Linear-Time Dynamics using Lagrange Multipliers*, SIGGRAPH 1996, for the aim and for
//! trees: eliminate from the leaves. Greedy minimum degree and fronts of dense rows are those of
//! sparse direct methods (Duff and Reid 1983).
//!
//! # Departures
//!
//! Baraff factors bodies and joints together, which is indefinite and needs a second solver for loops
//! and redundant joints. Here only joints are unknowns; the matrix is semidefinite in any order, so
//! that loops cost fill and redundancy shows as a zero pivot.

mod components;
mod factor;
mod graph;
mod order;

use crate::problem::JointRow;
use crate::problem::batches::Batches;
use graph::Component;
use rayon::prelude::*;

/// What the direct start did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DirectStart {
    /// Rows without bounds that were solved, redundant ones included.
    pub rows: u32,
    /// Those of them that were found redundant and have the impulse 0.
    pub redundant_rows: u32,
    /// Multiplications with an addition that the factorizations took.
    pub products: u64,
}

/// Solves the joint rows without bounds and leaves their impulses, and what these add to the
/// velocities, in `batches`.
///
/// `damping`, at least 0, is added to the diagonal of the rows, which is 1; see
/// [`Options::direct_damping`](super::Options::direct_damping).
///
/// The result does not depend on how the rows are coloured, nor on the number of threads.
pub fn start(batches: &mut Batches, damping: f32) -> DirectStart {
    let joints = components::joints(batches);
    let components = components::components(&joints, batches);
    let solved: Vec<_> = components
        .par_iter()
        .filter_map(|members| solve(batches, &joints, members, damping))
        .collect();
    let mut start = DirectStart::default();
    for component in solved {
        start.rows += component.impulses.len() as u32;
        start.redundant_rows += component.redundant_rows;
        start.products += component.products;
        for (block, impulse) in component.impulses {
            batches.joints.impulses[block as usize] = impulse;
        }
        for (body, [x, y, z, p, q, r]) in component.velocities {
            let velocity = &mut batches.velocities[body as usize];
            velocity.linear = [x, y, z];
            velocity.angular = [p, q, r];
        }
    }
    start
}

/// New values of one component.
struct Solved {
    /// Block and impulse of each row.
    impulses: Vec<(u32, f32)>,
    /// Movable body, and what the impulses add to its linear and angular velocity.
    velocities: Vec<(u32, [f32; 6])>,
    redundant_rows: u32,
    products: u64,
}

/// Solves one component; `None` leaves it as it is.
fn solve(
    batches: &Batches,
    joints: &[components::Joint],
    members: &[u32],
    damping: f32,
) -> Option<Solved> {
    let component = Component::new(batches, joints, members);
    let order = order::minimum_degree(&component)?;
    let factor = factor::Factor::new(&component, &order, f64::from(damping));

    // Redundant rows give their impulses up before the others are solved for.
    let mut change: Vec<f64> = component
        .rows
        .iter()
        .zip(&factor.kept)
        .map(|(row, &kept)| if kept { 0.0 } else { -row.start })
        .collect();
    let mut x = component.residual(&change);
    factor.solve(&mut x);
    for (change, x) in change.iter_mut().zip(x) {
        *change += x;
    }

    let velocities = component.rounded_velocities(&change);
    let joint_rows = || {
        component
            .rows
            .iter()
            .zip(&change)
            .map_while(|(row, x)| Some((row.block?, row, x)))
    };
    let (blocks, impulses): (Vec<u32>, Vec<f32>) = joint_rows()
        .map(|(block, row, x)| (block, ((row.start + x) * row.scale) as f32))
        .unzip();
    let sound = velocities.iter().flatten().all(|x| x.is_finite())
        && impulses.iter().all(|r| r.abs() < JointRow::UNBOUNDED)
        && component.is_improved(&factor.kept, &velocities, &impulses);
    sound.then(|| Solved {
        redundant_rows: factor.kept[..impulses.len()]
            .iter()
            .filter(|&&kept| !kept)
            .count() as u32,
        impulses: blocks.into_iter().zip(impulses).collect(),
        velocities: component.by_body(&velocities).collect(),
        products: order.products,
    })
}
