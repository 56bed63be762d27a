//! Loads that contacts have carried for some time, whatever they come from.
//!
//! An impact is carried for moments, a thrust for as long as it stands: an arch's, that of a wedge, of what hangs aside. What counts as lasting of a load grows
//! towards it over several times of a fall by the smaller body's size, and falls with it at once. In a bed that is shaken nothing lasts, which loses touch in every cycle.

use crate::constants::LASTING_FALLS;

/// Loads of the pairs that carry much.
#[derive(Debug, Default)]
pub(super) struct Lasting {
    /// Bodies, sorted, and what lasts of their load `[N]`.
    pairs: Vec<([u32; 2], f64)>,
    /// The same of the last step.
    before: Vec<([u32; 2], f64)>,
    /// Next one of these.
    at: usize,
}

impl Lasting {
    /// Begins a step; [`Self::of`] follows for pairs in order.
    pub(super) fn begin(&mut self) {
        std::mem::swap(&mut self.pairs, &mut self.before);
        self.pairs.clear();
        self.at = 0;
    }

    /// The lasting part of the force `[N]` that the contacts of two bodies carried in the last moments, after a step of length `h`. `fall` is the
    /// time of a fall by their size `[s]`.
    pub(super) fn of(&mut self, bodies: [u32; 2], force: f64, (h, fall): (f64, f64)) -> f64 {
        let before = &self.before[self.at..];
        self.at += before.iter().take_while(|(pair, _)| *pair < bodies).count();
        let last = match self.before.get(self.at) {
            Some(&(pair, last)) if pair == bodies => last,
            _ => 0.0,
        };
        let share = (h / (LASTING_FALLS * fall)).min(1.0);
        let lasts = force.min(last + share * (force - last).max(0.0));
        self.pairs.push((bodies, lasts));
        lasts
    }

    /// Loads for a checkpoint.
    #[cfg(feature = "scene")]
    pub(super) fn saved(&self) -> &[([u32; 2], f64)] {
        &self.pairs
    }

    /// After the step that these were saved after.
    #[cfg(feature = "scene")]
    pub(super) fn restored(pairs: Vec<([u32; 2], f64)>) -> Self {
        Self {
            pairs,
            ..Self::default()
        }
    }
}
