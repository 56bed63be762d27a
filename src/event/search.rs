//! The first event of an integration, and when it is: a collision, the end of a slip, a motor's arrival, the break of a joint.

use super::contact::Contact;
use super::forces::{Drive, ahead_of_motors};
use super::parts::named;
use super::run::{FINEST_SHARE, Held, Run};
use super::stop::{Happening, STRAIN_TOLERANCE, Stop};
use super::{EventReport, TimeSearch};
use crate::error::Result;
use crate::world::Body;

/// Steps of false position, or halvings, for one time.
const MAX_TRIALS: u32 = 200;
/// One step of a search for a time: a time after the start and the function there.
type Trial = (f64, f64);

impl Run<'_> {
    /// The first event within a time, or the state after it.
    pub(super) fn until_event(
        &self,
        start: &[Body],
        held: Held<'_>,
        dt: f64,
        report: &mut EventReport,
    ) -> Result<Stop> {
        let settings = self.settings();
        let pairs = self.pairs();
        let (resting, drives) = held;
        let state = self.after(start, held, dt)?;
        let mut stop = Stop {
            after: dt,
            state,
            event: Happening::Nothing,
        };
        // A pair that overlapped before counts from there.
        let ends = pairs.separations(&stop.state, settings.contact_distance);
        let mut deep: Vec<(usize, f64)> = Vec::new();
        let mut least = f64::INFINITY;
        for (index, end) in ends.iter().enumerate() {
            if *end < 0.0 {
                let before = pairs.separation_of(index, start);
                let floor = before.min(0.0);
                if *end < floor - settings.gap_tolerance {
                    deep.push((index, floor));
                    least = least.min(before - floor);
                }
            }
        }
        if !deep.is_empty() {
            let height = |bodies: &[Body]| {
                let of = deep
                    .iter()
                    .map(|&(pair, floor)| pairs.separation_of(pair, bodies) - floor);
                of.fold(f64::INFINITY, f64::min)
            };
            let at_end = height(&stop.state);
            stop = self.found(
                start,
                held,
                ((0.0, least), (dt, at_end)),
                &|bodies, _| Ok(height(bodies)),
                settings.gap_tolerance,
                report,
            )?;
            stop.event = Happening::Collision;
            if stop.after <= 0.0 {
                let bodies: Vec<Contact> = resting.iter().map(|held| held.contact).collect();
                let [a, b] = pairs.pair(deep[0].0).map(|body| named(body, &start[body]));
                let why = format!("{a} and {b} move into each other though their contacts rest");
                return Err(self.stopped(start, &bodies, &why));
            }
        }
        for contact in resting {
            let Some(along) = contact.slips else { continue };
            let slip = |bodies: &[Body]| along.dot(&contact.contact.placed(bodies).slip);
            let at_end = slip(&stop.state);
            if at_end < -settings.sticking_speed {
                let ends = ((0.0, slip(start)), (stop.after, at_end));
                let tolerance = 0.5 * settings.sticking_speed;
                let of = |bodies: &[Body], _: f64| Ok(slip(bodies));
                stop = self.found(start, held, ends, &of, tolerance, report)?;
                stop.event = Happening::Stop;
            }
        }
        // A motor that is past its velocity at the end got there before.
        for (index, drive) in drives.iter().enumerate() {
            let Drive::Pushes(way) = drive else { continue };
            let behind = |bodies: &[Body]| {
                let (ahead, turns) =
                    ahead_of_motors(self.world(), bodies, self.time, self.h)[index];
                (-way * ahead, turns)
            };
            let (at_end, turns) = behind(&stop.state);
            let tolerance = self.holding_speed(turns);
            if at_end < -tolerance {
                let ends = ((0.0, behind(start).0), (stop.after, at_end));
                let of = |bodies: &[Body], _: f64| Ok(behind(bodies).0);
                stop = self.found(start, held, ends, &of, 0.5 * tolerance, report)?;
                stop.event = Happening::Arrival;
            }
        }
        if self.can_break() {
            let left =
                |bodies: &[Body], time: f64| Ok(1.0 - self.largest_strain(bodies, time, held)?);
            // A load that begins at the end of the interval does not act yet.
            let at_end = left(&stop.state, self.time + (1.0 - 1e-9) * stop.after)?;
            if at_end < 0.0 {
                let ends = ((0.0, left(start, self.time)?), (stop.after, at_end));
                stop = self.found(start, held, ends, &left, STRAIN_TOLERANCE, report)?;
                stop.event = Happening::Break;
            }
        }
        Ok(stop)
    }

    /// Where a function of the state falls to zero between two times: within the tolerance, or just before it.
    fn found(
        &self,
        start: &[Body],
        held: Held<'_>,
        (mut low, mut high): (Trial, Trial),
        of: &dyn Fn(&[Body], f64) -> Result<f64>,
        tolerance: f64,
        report: &mut EventReport,
    ) -> Result<Stop> {
        let mut before = start.to_vec();
        // False position needs a positive end; from zero on there is only halving.
        let mut halves = self.settings().search == TimeSearch::Bisection || low.1 <= tolerance;
        // Which end stayed in the last step of false position.
        let mut stayed = 0;
        let mut weights = (1.0, 1.0);
        for trial in 0..MAX_TRIALS {
            if high.0 - low.0 <= FINEST_SHARE * self.h {
                break;
            }
            // False position that does not get there is given up.
            halves |= trial > 60;
            let time = if halves {
                0.5 * (low.0 + high.0)
            } else {
                let (at_low, at_high) = (low.1 * weights.0, high.1 * weights.1);
                low.0 + (high.0 - low.0) * at_low / (at_low - at_high)
            };
            let state = self.after(start, held, time)?;
            report.trials += 1;
            let value = of(&state, self.time + time)?;
            if value.abs() <= tolerance && low.1 > tolerance {
                return Ok(Stop {
                    after: time,
                    state,
                    event: Happening::Nothing,
                });
            }
            if value < -tolerance {
                high = (time, value);
                weights = (if stayed == -1 { 0.5 * weights.0 } else { 1.0 }, 1.0);
                stayed = -1;
            } else {
                low = (time, value.max(0.0));
                before = state;
                weights = (1.0, if stayed == 1 { 0.5 * weights.1 } else { 1.0 });
                stayed = 1;
            }
        }
        Ok(Stop {
            after: low.0,
            state: before,
            event: Happening::Nothing,
        })
    }
}
