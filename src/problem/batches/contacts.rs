//! Contacts as blocks.

use super::contact_lanes::Pack;
use super::{ContactBlock, Packed};
use crate::constants::PACKED_CONTACTS_PER_THREAD;
use crate::parallel::{SharedSlice, for_chunks};
use crate::problem::ProblemRef;
use crate::problem::clusters::Clusters;
use crate::simd::Width;
use bytemuck::Zeroable;

/// Fills in the numbers of the contacts, whose order is there.
pub(super) fn refill(
    packed: &mut Packed<ContactBlock, [f32; 4]>,
    problem: &ProblemRef<'_>,
    warm_start: bool,
) {
    refill_from(packed, (problem, warm_start, false), 0);
}

/// Fills in the numbers of those in the remainder, with `unbiased` all but their biases.
pub(super) fn refill_remainder(
    packed: &mut Packed<ContactBlock, [f32; 4]>,
    problem: &ProblemRef<'_>,
    warm_start: bool,
    unbiased: bool,
) {
    let first = packed.remainder.elements.start as usize;
    refill_from(packed, (problem, warm_start, unbiased), first);
}

/// Gives every contact of the order a block and an impulse, whatever is in them.
pub(super) fn make_room(packed: &mut Packed<ContactBlock, [f32; 4]>) {
    let count = packed.source.len();
    packed.blocks.resize(count, ContactBlock::zeroed());
    packed.impulses.resize(count, [0.0; 4]);
}

/// Fills in the numbers of the contacts from a block on.
fn refill_from(
    packed: &mut Packed<ContactBlock, [f32; 4]>,
    from: (&ProblemRef<'_>, bool, bool),
    first: usize,
) {
    make_room(packed);
    let Packed {
        source,
        blocks,
        impulses,
        remainder,
        ..
    } = packed;
    let copies = |block| remainder.copies((first + block) as u32);
    let to = (&mut blocks[first..], &mut impulses[first..]);
    fill(&source[first..], to, from, copies);
}

/// Packs the contacts in the order of clusters, without colours; a block is of `copies` of its bodies.
pub(super) fn repack_clusters(
    packed: &mut Packed<ContactBlock, [f32; 4]>,
    problem: &ProblemRef<'_>,
    clusters: &Clusters,
    warm_start: bool,
) {
    let copies = clusters.copies_of_blocks(false);
    let Packed {
        source,
        blocks,
        impulses,
        ..
    } = packed;
    source.clone_from(&clusters.contact_source);
    packed.group_starts.clear();
    packed.group_starts.push(0);
    blocks.resize(source.len(), ContactBlock::zeroed());
    impulses.resize(source.len(), [0.0; 4]);
    let copies = |block: usize| copies[block];
    let from = (problem, warm_start, false);
    fill(source, (blocks, impulses), from, copies);
}

/// Makes the blocks of `source`, and the impulses that they start from.
fn fill(
    source: &[u32],
    (blocks, impulses): (&mut [ContactBlock], &mut [[f32; 4]]),
    (problem, warm_start, unbiased): (&ProblemRef<'_>, bool, bool),
    copies: impl Fn(usize) -> (f32, f32) + Sync,
) {
    let width = Width::detect();
    let slices = (source, SharedSlice::new(blocks), SharedSlice::new(impulses));
    for_chunks(
        slices,
        PACKED_CONTACTS_PER_THREAD,
        |first, (source, blocks, impulses)| {
            let pack = Pack {
                contacts: problem.contacts,
                bodies: problem.bodies,
                source,
                copies: |block| copies(first + block),
                warm_start,
                unbiased,
                blocks,
                impulses,
            };
            // SAFETY: it asks for nothing.
            #[allow(unsafe_code, reason = "bytes meet SIMD")]
            unsafe {
                width.compiled()(pack);
            }
        },
    );
}
