//! Impulses carried over from step to step.

use super::ContactPoint;
use crate::math::{V3, add, dot, narrow, scale, tangents};
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
pub struct Lookup<'a> {
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
        let vector = |contact: &ContactPoint, impulse: &[f32; 3]| {
            let normal = narrow(&contact.normal);
            let (t1, t2) = tangents(normal);
            add(
                scale(normal, impulse[0]),
                add(scale(t1, impulse[1]), scale(t2, impulse[2])),
            )
        };
        if self.has_names_of(contacts, impulses.len()) {
            self.entries
                .par_iter_mut()
                .zip(contacts)
                .zip(impulses)
                .with_min_len(CHUNK)
                .for_each(|((entry, contact), impulse)| entry.impulse = vector(contact, impulse));
            return;
        }
        contacts
            .par_iter()
            .zip(impulses)
            .with_min_len(CHUNK)
            .map(|(contact, impulse)| Entry {
                key: key(contact),
                impulse: vector(contact, impulse),
            })
            .collect_into_vec(&mut self.entries);
        if !self.entries.is_sorted_by_key(|entry| entry.key) {
            // Stable, so that of contacts with one name the first counts.
            self.entries.par_sort_by_key(|entry| entry.key);
        }
    }

    /// True if the entries are those of contacts with these names in this order.
    fn has_names_of(&self, contacts: &[ContactPoint], impulses: usize) -> bool {
        const SOME: usize = 64;
        self.entries.len() == contacts.len()
            && contacts.len() <= impulses
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
                let mut lookup = self.lookup();
                for (contact, impulse) in contacts.iter().zip(impulses) {
                    *impulse = lookup.impulse(contact, narrow(&contact.normal));
                }
            });
    }

    /// To look for some contacts; what [`Self::load`] finds for all.
    #[must_use]
    pub fn lookup(&self) -> Lookup<'_> {
        Lookup {
            entries: &self.entries,
            at: 0,
            last: None,
        }
    }
}

impl Lookup<'_> {
    /// The remembered impulse of a contact, whose normal in f32 is `normal`; see
    /// [`ImpulseCache::load`].
    #[inline]
    pub fn impulse(&mut self, contact: &ContactPoint, normal: V3) -> [f32; 3] {
        let key = key(contact);
        self.find(key);
        match self.entries.get(self.at).filter(|entry| entry.key == key) {
            Some(Entry { impulse, .. }) => {
                let (t1, t2) = tangents(normal);
                [
                    dot(normal, *impulse).max(0.0),
                    dot(t1, *impulse),
                    dot(t2, *impulse),
                ]
            }
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
