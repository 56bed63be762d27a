//! Impulses carried over from step to step.

use super::ContactPoint;
use crate::math::{V3, add, dot, narrow, scale, tangents};
use bytemuck::Zeroable;
use rayon::prelude::*;

/// Contacts handled by one thread at a time.
const CHUNK: usize = 4096;

/// The impulses of the last step, by pair of bodies and feature.
///
/// They are kept as vectors in world axes: a contact whose normal has turned since gets the same
/// force, not the same components.
#[derive(Debug, Clone, Default)]
pub struct ImpulseCache {
    /// In order of `key`.
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: Key,
    /// `[N s]`, in world axes.
    impulse: [f32; 3],
}

/// Pair of bodies, the first in the upper half, and feature.
type Key = (u64, u64);

fn key(contact: &ContactPoint) -> Key {
    let [a, b] = contact.bodies.map(u64::from);
    (a << 32 | b, contact.feature)
}

/// Looks for one contact after the other, fastest in the order of the entries.
#[derive(Debug, Clone)]
pub(crate) struct Lookup<'a> {
    entries: &'a [Entry],
    /// Where the last search ended.
    at: usize,
    last: Option<Key>,
}

impl ImpulseCache {
    /// Remembers the impulses of a step and forgets all others.
    ///
    /// `impulses` has the shape of `contacts`: components along the normal and the two
    /// [`tangents`] of the normal in f32 `[N s]`. If one is longer, its rest is left out.
    pub fn store(&mut self, contacts: &[ContactPoint], impulses: &[[f32; 3]]) {
        let count = contacts.len().min(impulses.len());
        let (contacts, impulses) = (&contacts[..count], &impulses[..count]);
        let known = self.has_names_of(contacts);
        if !known {
            contacts
                .par_iter()
                .with_min_len(CHUNK)
                .map(|contact| Entry {
                    key: key(contact),
                    impulse: [0.0; 3],
                })
                .collect_into_vec(&mut self.entries);
        }
        self.entries
            .par_chunks_mut(CHUNK)
            .zip(contacts.par_chunks(CHUNK))
            .zip(impulses.par_chunks(CHUNK))
            .for_each(|((entries, contacts), impulses)| {
                let mut block = Block::zeroed();
                let contacts = contacts.chunks(BLOCK).zip(impulses.chunks(BLOCK));
                for (entries, (contacts, impulses)) in entries.chunks_mut(BLOCK).zip(contacts) {
                    for (at, (contact, impulse)) in contacts.iter().zip(impulses).enumerate() {
                        block.put(at, narrow(&contact.normal), *impulse);
                    }
                    block.compose();
                    for (at, entry) in entries.iter_mut().enumerate() {
                        entry.impulse = block.get(at);
                    }
                }
            });
        if !known && !self.entries.is_sorted_by_key(|entry| entry.key) {
            // Stable, so that of contacts with one name the first counts.
            self.entries.par_sort_by_key(|entry| entry.key);
        }
    }

    /// True if the entries are those of contacts with these names in this order.
    fn has_names_of(&self, contacts: &[ContactPoint]) -> bool {
        const SOME: usize = 64;
        self.entries.len() == contacts.len()
            && contacts
                .chunks(SOME)
                .zip(self.entries.chunks(SOME))
                .all(|(contacts, entries)| {
                    // Without a way out after each.
                    let mut differ = 0;
                    for (contact, entry) in contacts.iter().zip(entries) {
                        let key = key(contact);
                        differ |= (key.0 ^ entry.key.0) | (key.1 ^ entry.key.1);
                    }
                    differ == 0
                })
    }

    /// The remembered impulse of each contact, along its present normal and tangents, the normal
    /// part at least 0; zero for a contact that was not there. `impulses` is overwritten and gets
    /// the shape of `contacts`.
    pub fn load(&self, contacts: &[ContactPoint], impulses: &mut Vec<[f32; 3]>) {
        impulses.clear();
        impulses.resize(contacts.len(), [0.0; 3]);
        contacts
            .par_chunks(CHUNK)
            .zip(impulses.par_chunks_mut(CHUNK))
            .for_each(|(contacts, impulses)| {
                let (mut lookup, mut block) = (self.lookup(), Block::zeroed());
                let contacts = contacts.chunks(BLOCK);
                for (contacts, impulses) in contacts.zip(impulses.chunks_mut(BLOCK)) {
                    for (at, contact) in contacts.iter().enumerate() {
                        block.put(at, narrow(&contact.normal), lookup.vector(contact));
                    }
                    block.resolve();
                    for (at, impulse) in impulses.iter_mut().enumerate() {
                        *impulse = block.get(at);
                    }
                }
            });
    }

    /// To look for some contacts; with [`Block::resolve`] it is what [`Self::load`] does for all.
    pub(crate) fn lookup(&self) -> Lookup<'_> {
        Lookup {
            entries: &self.entries,
            at: 0,
            last: None,
        }
    }
}

impl Lookup<'_> {
    /// The remembered impulse of a contact in world axes `[N s]`; zero for one that was not there.
    #[inline]
    pub(crate) fn vector(&mut self, contact: &ContactPoint) -> V3 {
        let key = key(contact);
        self.find(key);
        match self.entries.get(self.at).filter(|entry| entry.key == key) {
            Some(entry) => entry.impulse,
            None => [0.0; 3],
        }
    }

    /// Puts `at` at the first entry that is not before a key.
    #[inline]
    fn find(&mut self, key: Key) {
        // Contacts mostly come in the order of the entries: it is the next one, or the search goes on
        // from there.
        if let Some([now, next, ..]) = self.entries.get(self.at..)
            && next.key == key
            && now.key < key
        {
            self.at += 1;
            self.last = Some(key);
            return;
        }
        if self.last.is_none_or(|last| key < last) {
            self.at = self.entries.partition_point(|entry| entry.key < key);
        }
        self.last = Some(key);
        while self
            .entries
            .get(self.at)
            .is_some_and(|entry| entry.key < key)
        {
            self.at += 1;
        }
    }
}

/// Contacts of a [`Block`].
pub(crate) const BLOCK: usize = 64;

/// Impulses of some contacts and their normals, number by number, so that a compiler sees vectors.
#[derive(Debug, Clone, Copy, Zeroable)]
#[repr(C)]
pub(crate) struct Block {
    normals: [[f32; BLOCK]; 3],
    given: [[f32; BLOCK]; 3],
    found: [[f32; BLOCK]; 3],
}

impl Block {
    /// Puts a contact's normal and its impulse at a place.
    #[inline(always)]
    pub(crate) fn put(&mut self, at: usize, normal: V3, impulse: V3) {
        for axis in 0..3 {
            self.normals[axis][at] = normal[axis];
            self.given[axis][at] = impulse[axis];
        }
    }

    /// What was made of the impulse at a place.
    #[inline(always)]
    pub(crate) fn get(&self, at: usize) -> V3 {
        [self.found[0][at], self.found[1][at], self.found[2][at]]
    }

    /// Makes components along normals and tangents of vectors in world axes, the normal part at least 0.
    pub(crate) fn resolve(&mut self) {
        self.each(|normal, vector| {
            let (t1, t2) = tangents(normal);
            [
                dot(normal, vector).max(0.0),
                dot(t1, vector),
                dot(t2, vector),
            ]
        });
    }

    /// Makes vectors in world axes of components.
    fn compose(&mut self) {
        self.each(|normal, impulse| {
            let (t1, t2) = tangents(normal);
            add(
                scale(normal, impulse[0]),
                add(scale(t1, impulse[1]), scale(t2, impulse[2])),
            )
        });
    }

    #[inline(always)]
    fn each(&mut self, make: impl Fn(V3, V3) -> V3) {
        let Self {
            normals: [nx, ny, nz],
            given: [x, y, z],
            found: [fx, fy, fz],
        } = self;
        for at in 0..BLOCK {
            let found = make([nx[at], ny[at], nz[at]], [x[at], y[at], z[at]]);
            (fx[at], fy[at], fz[at]) = (found[0], found[1], found[2]);
        }
    }
}
