//! Where the time of a step goes.

use super::pile::Frozen;
use super::results::StageTimes;
use super::{Bench, Plan};
use drystone::Result;
use std::time::Duration;

/// Steps before those that count: the first one has no impulses to start from.
const WARM_UP: u32 = 2;

/// Steps a pile on, and takes the means of its stages.
pub(super) fn measure(bench: &Bench, pile: &Frozen, plan: &Plan) -> Result<StageTimes> {
    let mut simulation = pile.simulation(Box::new(bench.solver.clone()))?;
    for _ in 0..WARM_UP {
        simulation.step()?;
    }
    let mut sums = [Duration::ZERO; 6];
    let mut contacts = 0;
    for _ in 0..plan.steps {
        let report = simulation.step()?;
        contacts = report.contacts;
        let times = report.timings;
        let stages = [
            times.broad,
            times.narrow,
            times.pack,
            times.solve,
            times.position,
            times.step,
        ];
        for (sum, time) in sums.iter_mut().zip(stages) {
            *sum += time;
        }
    }
    let [broad, narrow, pack, solve, position, step] =
        sums.map(|sum| 1e3 * sum.as_secs_f64() / f64::from(plan.steps));
    Ok(StageTimes {
        scene: pile.name.clone(),
        backend: bench.name.clone(),
        bodies: pile.bodies,
        contacts,
        steps: plan.steps,
        broadphase_ms: broad,
        narrowphase_ms: narrow,
        pack_ms: pack,
        solve_ms: solve,
        position_ms: position,
        other_ms: (step - broad - narrow - pack - solve - position).max(0.0),
        step_ms: step,
        kilobodies_per_second: f64::from(pile.bodies) / step,
    })
}
