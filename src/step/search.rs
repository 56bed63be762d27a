//! The search for contacts in a step: of which part, and where bodies are then.

use super::Simulation;
use crate::collide::Stretch;
use crate::collide::narrowphase::Limits;
use crate::constants::DRIVEN_ROUNDS;
use crate::error::Result;
use crate::math::Vec3;
use crate::stabilize::Scheme;
use crate::world::Body;
use std::time::Instant;

impl Simulation {
    /// Finds contacts of bodies about which nothing is known: first where they are, and then, if some move, where they go.
    pub(super) fn detect_contacts_anew(&mut self) -> Result<()> {
        let h = self.settings.time_step;
        self.detect_contacts(h)?;
        let zero = Vec3::zeros();
        let moves = |body: &Body| body.linear_velocity != zero || body.angular_velocity != zero;
        if self.looks_ahead() && self.world.bodies.iter().any(moves) {
            self.detect_contacts(h)?;
        }
        Ok(())
    }

    /// Finds contacts for the first part, of length `h`, of a step.
    pub(super) fn detect_contacts(&mut self, h: f64) -> Result<()> {
        let stretch = Stretch {
            parts: self.division.updates.max(1),
            is_within_step: false,
        };
        self.detect_contacts_for(h, stretch)
    }

    /// Finds contacts for this part, of length `h`, of a step.
    pub(super) fn detect_contacts_for(&mut self, h: f64, stretch: Stretch) -> Result<()> {
        let start = Instant::now();
        self.prescribe_velocities(h);
        let correction = self
            .settings
            .stabilization
            .post()
            .map_or(0.0, |post| self.position.max_correction(post));
        let lead = self.halfway.lead(h, self.looks_ahead());
        let limits = Limits {
            margin: self.margin,
            time_step: h,
            lead,
            model: self.settings.contacts,
        };
        self.detector.begin_search(if self.looks_ahead() {
            stretch
        } else {
            Stretch::default()
        });
        let contacts = self.detector.contacts();
        self.halfway.move_ahead(&mut self.world, contacts, lead);
        let mut pairs = self.detector.find_pairs(&self.world, limits, correction);
        let (found, known) = (self.detector.pairs(), self.detector.contacts());
        if pairs.is_ok() && self.halfway.may_have_passed(&self.world, found, known) {
            self.halfway.move_back(&mut self.world);
            let here = Limits {
                lead: 0.0,
                ..limits
            };
            self.detector.find_pairs(&self.world, here, correction)?;
            self.detector.find_contacts(&self.world, here);
            self.halfway.begin_again();
            let contacts = self.detector.contacts();
            self.halfway.move_ahead(&mut self.world, contacts, lead);
            pairs = self.detector.find_pairs(&self.world, limits, correction);
        }
        let paired = Instant::now();
        let mut broad = paired - start;
        if pairs.is_ok() {
            self.detector.find_contacts(&self.world, limits);
            self.halfway.take_gaps_back(&mut self.detector);
            self.driven.begin();
        }
        for _ in 0..DRIVEN_ROUNDS {
            let moving = (&self.world, &self.halfway);
            let contacts = self.detector.contacts();
            if pairs.is_err() {
                break;
            }
            let found = self.driven.find(moving, (contacts, self.overlaps()), h);
            let Some(driven) = found else {
                break;
            };
            let again = Instant::now();
            self.detector.drive(driven);
            pairs = self.detector.find_pairs(&self.world, limits, correction);
            broad += again.elapsed();
            if pairs.is_ok() {
                self.detector.find_contacts(&self.world, limits);
                self.halfway.take_gaps_back(&mut self.detector);
            }
        }
        self.halfway.move_back(&mut self.world);
        pairs?;
        self.contacts_are_stale = false;
        self.timings.broad += broad;
        self.timings.narrow += start.elapsed() - broad;
        Ok(())
    }

    /// True if contacts are looked for where bodies are halfway through a part. Where they have been moved from outside they are looked for
    /// there.
    fn looks_ahead(&self) -> bool {
        let is_soft = matches!(self.settings.stabilization.contacts, Scheme::Soft { .. });
        is_soft && self.event.is_none() && !self.contacts_are_stale
    }
}
