//! Impulses carried over from step to step.

use super::ContactPoint;
use crate::constants::CONTACTS_PER_THREAD;
#[cfg(feature = "scene")]
use crate::math::Vec3;
use crate::math::{V3, add, dot, narrow, scale, tangents};
use crate::parallel::{SharedSlice, for_chunks, sort_by_key};
use bytemuck::Zeroable;

/// The impulses of the last step, by pair of bodies and feature.
///
/// They are looked up as vectors in world axes: a contact whose normal has turned since gets the same
/// force, not the same components.
#[derive(Debug, Clone, Default)]
pub struct ImpulseCache {
    /// Sorted by pair and feature.
    contacts: Vec<ContactPoint>,
    /// Shape `[contacts.len()]`: components along the normal and the tangents `[N s]`.
    impulses: Vec<[f32; 3]>,
    /// Force along the normal of the last moments `[N]`; shape `[contacts.len()]`, or empty.
    loads: Vec<f32>,
}

/// Contacts sorted by pair and feature, and their impulses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Remembered<'a> {
    contacts: &'a [ContactPoint],
    impulses: &'a [[f32; 3]],
    loads: &'a [f32],
}

/// A contact as it was in the last step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    /// Its normal then.
    pub(crate) normal: V3,
    /// Its impulse then `[N s]`.
    pub(crate) impulse: V3,
    /// Its load `[N]`.
    pub(crate) load: f32,
}

impl Found {
    /// Of a contact that was not there.
    const NOTHING: Self = Self {
        normal: [0.0, 0.0, 1.0],
        impulse: [0.0; 3],
        load: 0.0,
    };
}

/// Pair of bodies, the first in the upper half, and feature.
type Key = (u64, u64);

#[inline(always)]
fn key(contact: &ContactPoint) -> Key {
    let [a, b] = contact.bodies.map(u64::from);
    (a << 32 | b, contact.feature)
}

/// Looks for one contact after the other, fastest in the order of those that are remembered.
#[derive(Debug, Clone)]
pub(crate) struct Lookup<'a> {
    remembered: Remembered<'a>,
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
        let contacts = &contacts[..count];
        self.contacts.clear();
        self.contacts.extend_from_slice(contacts);
        self.store_impulses(&impulses[..count]);
        if !contacts.is_sorted_by_key(key) {
            // Of contacts with one name the first counts.
            let mut order: Vec<usize> = (0..count).collect();
            sort_by_key(&mut order, SORTED_PER_THREAD, |&at| {
                (key(&contacts[at]), at)
            });
            let from = order.iter().zip(&mut self.contacts);
            for ((&at, contact), impulse) in from.zip(&mut self.impulses) {
                (*contact, *impulse) = (contacts[at], impulses[at]);
            }
        }
    }

    /// Remembers impulses of contacts, sorted by pair and feature, that are taken over later, by
    /// [`Self::take_contacts`]; until then they are to be looked up by [`Self::of_contacts`].
    pub(crate) fn store_impulses(&mut self, impulses: &[[f32; 3]]) {
        self.impulses.clear();
        self.impulses.extend_from_slice(impulses);
        self.loads.clear();
    }

    /// Remembers the loads of the contacts whose impulses were stored `[N]`; shape of these.
    pub(crate) fn store_loads(&mut self, loads: &[f32]) {
        self.loads.clear();
        self.loads.extend_from_slice(loads);
    }

    /// Exchanges the contacts for those whose impulses were stored.
    pub(crate) fn take_contacts(&mut self, contacts: &mut Vec<ContactPoint>) {
        std::mem::swap(&mut self.contacts, contacts);
    }

    /// The impulses of these contacts, which are to be taken over.
    pub(crate) fn of_contacts<'a>(&'a self, contacts: &'a [ContactPoint]) -> Remembered<'a> {
        let count = contacts.len().min(self.impulses.len());
        Remembered {
            contacts: &contacts[..count],
            impulses: &self.impulses[..count],
            loads: &self.loads,
        }
    }

    /// What there is to be looked up.
    pub(crate) fn remembered(&self) -> Remembered<'_> {
        self.of_contacts(&self.contacts)
    }

    /// The remembered impulse of each contact, along its present normal and tangents, the normal
    /// part at least 0; zero for a contact that was not there. `impulses` is overwritten and gets
    /// the shape of `contacts`.
    pub fn load(&self, contacts: &[ContactPoint], impulses: &mut Vec<[f32; 3]>) {
        self.remembered().load(contacts, impulses, &mut Vec::new());
    }
}

/// A cache as checkpoints hold it: of contacts, their names and normals.
#[cfg(feature = "scene")]
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct SavedImpulses {
    contacts: Vec<([u32; 2], u64, Vec3)>,
    impulses: Vec<[f32; 3]>,
    loads: Vec<f32>,
}

#[cfg(feature = "scene")]
impl ImpulseCache {
    /// Its state for a checkpoint.
    pub(super) fn saved(&self) -> SavedImpulses {
        let named = |contact: &ContactPoint| (contact.bodies, contact.feature, contact.normal);
        SavedImpulses {
            contacts: self.contacts.iter().map(named).collect(),
            impulses: self.impulses.clone(),
            loads: self.loads.clone(),
        }
    }

    /// The cache that was saved.
    pub(super) fn restored(saved: SavedImpulses) -> Self {
        let contacts = saved.contacts.into_iter();
        Self {
            contacts: contacts
                .map(|(bodies, feature, normal)| ContactPoint {
                    bodies,
                    feature,
                    position: Vec3::zeros(),
                    normal,
                    separation: 0.0,
                })
                .collect(),
            impulses: saved.impulses,
            loads: saved.loads,
        }
    }
}

impl<'a> Remembered<'a> {
    /// See [`ImpulseCache::load`]; loads likewise `[N]`.
    pub(crate) fn load(
        self,
        contacts: &[ContactPoint],
        impulses: &mut Vec<[f32; 3]>,
        loads: &mut Vec<f32>,
    ) {
        impulses.clear();
        impulses.resize(contacts.len(), [0.0; 3]);
        loads.resize(contacts.len(), 0.0);
        let slices = (
            contacts,
            SharedSlice::new(impulses),
            SharedSlice::new(loads),
        );
        for_chunks(
            slices,
            CONTACTS_PER_THREAD,
            |_, (contacts, impulses, loads)| {
                let (mut lookup, mut block) = (self.lookup(), Block::zeroed());
                let results = impulses.chunks_mut(BLOCK).zip(loads.chunks_mut(BLOCK));
                for (contacts, (impulses, loads)) in contacts.chunks(BLOCK).zip(results) {
                    for (at, (contact, load)) in contacts.iter().zip(loads).enumerate() {
                        let found = lookup.find(contact);
                        block.put(at, narrow(&contact.normal), &found);
                        *load = found.load;
                    }
                    block.resolve();
                    for (at, impulse) in impulses.iter_mut().enumerate() {
                        *impulse = block.get(at);
                    }
                }
            },
        );
    }

    /// True if no contact has carried anything in the last moments.
    pub(crate) fn carry_nothing(self) -> bool {
        self.loads.iter().all(|&load| load == 0.0)
    }

    /// Bodies of each pair from `first` on, sorted, and what their contacts carried in the last moments `[N]`.
    pub(crate) fn loads_of_pairs(
        self,
        first: [u32; 2],
    ) -> impl Iterator<Item = ([u32; 2], f64)> + use<'a> {
        let count = self.loads.len().min(self.contacts.len());
        let contacts = &self.contacts[..count];
        let first = contacts.partition_point(|contact| contact.bodies < first);
        let mut loads = self.loads[first..].iter();
        let pairs = contacts[first..].chunk_by(|one, next| one.bodies == next.bodies);
        pairs.map(move |pair| {
            let load = loads.by_ref().take(pair.len()).map(|load| f64::from(*load));
            (pair[0].bodies, load.sum())
        })
    }

    /// To look for some contacts; with [`Block::resolve`] it is what [`ImpulseCache::load`] does for all.
    pub(crate) fn lookup(self) -> Lookup<'a> {
        Lookup {
            remembered: self,
            at: 0,
            last: None,
        }
    }
}

impl Lookup<'_> {
    /// Looks a contact up; [`Found::NOTHING`] stands for one that was not there.
    #[inline(always)]
    pub(crate) fn find(&mut self, contact: &ContactPoint) -> Found {
        let key = key(contact);
        let contacts = self.remembered.contacts;
        // Contacts mostly come in the order of those before: it is the next one, or the search goes on
        // from there.
        if let Some([now, next, ..]) = contacts.get(self.at..)
            && self::key(next) == key
            && self::key(now) < key
        {
            self.at += 1;
            self.last = Some(key);
            return self.found(next);
        }
        self.search(key);
        match contacts
            .get(self.at)
            .filter(|found| self::key(found) == key)
        {
            Some(contact) => self.found(contact),
            None => Found::NOTHING,
        }
    }

    /// The contact where the last search ended.
    #[inline(always)]
    fn found(&self, contact: &ContactPoint) -> Found {
        let Remembered {
            impulses, loads, ..
        } = self.remembered;
        Found {
            normal: narrow(&contact.normal),
            impulse: impulses[self.at],
            load: loads.get(self.at).copied().unwrap_or(0.0),
        }
    }

    /// Puts `at` at the first contact that is not before a key.
    #[inline(never)]
    fn search(&mut self, key: Key) {
        let contacts = self.remembered.contacts;
        if self.last.is_none_or(|last| key < last) {
            self.at = contacts.partition_point(|contact| self::key(contact) < key);
        }
        self.last = Some(key);
        while contacts
            .get(self.at)
            .is_some_and(|contact| self::key(contact) < key)
        {
            self.at += 1;
        }
    }
}

/// Contacts of a [`Block`].
pub(crate) const BLOCK: usize = 64;

/// Least number of contacts that are worth waking a thread for where they are sorted.
const SORTED_PER_THREAD: usize = 1 << 11;

/// Normals and impulses of some contacts, then and now, number by number, so that a compiler sees
/// vectors.
#[derive(Debug, Clone, Copy, Zeroable)]
#[repr(C)]
pub(crate) struct Block {
    normals: [[f32; BLOCK]; 3],
    normals_then: [[f32; BLOCK]; 3],
    impulses_then: [[f32; BLOCK]; 3],
    impulses: [[f32; BLOCK]; 3],
}

impl Block {
    /// Puts a contact's normal at a place, and the normal and the impulse that it had.
    #[inline(always)]
    pub(crate) fn put(&mut self, at: usize, normal: V3, then: &Found) {
        let [nx, ny, nz] = &mut self.normals;
        [nx[at], ny[at], nz[at]] = normal;
        let [mx, my, mz] = &mut self.normals_then;
        [mx[at], my[at], mz[at]] = then.normal;
        let [i, j, k] = &mut self.impulses_then;
        [i[at], j[at], k[at]] = then.impulse;
    }

    /// The impulse at a place.
    #[inline(always)]
    pub(crate) fn get(&self, at: usize) -> V3 {
        let [n, t1, t2] = &self.impulses;
        [n[at], t1[at], t2[at]]
    }

    /// Finds the components of the impulses along normals and tangents, the normal part at least 0.
    pub(crate) fn resolve(&mut self) {
        let Self {
            normals: [nx, ny, nz],
            normals_then: [mx, my, mz],
            impulses_then: [i, j, k],
            impulses: [n, t1, t2],
        } = self;
        for at in 0..BLOCK {
            let vector = vector_of([mx[at], my[at], mz[at]], [i[at], j[at], k[at]]);
            let normal = [nx[at], ny[at], nz[at]];
            let (tangent_1, tangent_2) = tangents(normal);
            n[at] = dot(normal, vector).max(0.0);
            t1[at] = dot(tangent_1, vector);
            t2[at] = dot(tangent_2, vector);
        }
    }
}

/// An impulse in world axes, of its components.
#[inline(always)]
fn vector_of(normal: V3, impulse: V3) -> V3 {
    let (t1, t2) = tangents(normal);
    add(
        scale(normal, impulse[0]),
        add(scale(t1, impulse[1]), scale(t2, impulse[2])),
    )
}
