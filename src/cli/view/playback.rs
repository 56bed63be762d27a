//! Moments one after the other: of a simulation that goes on, or of a recording.

use super::residuals::Residuals;
use super::spring::Spring;
use crate::render::{Extent, Look, Recording, Snapshot};
use drystone::Result;
use drystone::math::Vec3;
use drystone::step::{Simulation, StepReport};
use drystone::world::Load;

/// A run that is shown.
pub(super) enum Playback {
    /// It is simulated.
    Live(Box<Live>),
    /// Its frames are read.
    Recorded(Recorded),
}

/// A simulation, and the way back to where it began.
pub(super) struct Live {
    simulation: Simulation,
    start: Vec<u8>,
    /// Loads of the scene, of which the spring's are none.
    loads: Vec<Load>,
    spring: Option<Spring>,
    last: Option<StepReport>,
    residuals: Residuals,
    /// Radius of the scene `[m]`.
    radius: f64,
}

/// Frames of a run.
pub(super) struct Recorded {
    recording: Recording,
    times: Vec<f64>,
    at: usize,
}

impl Live {
    /// A simulation as it is.
    ///
    /// # Errors
    /// As [`Simulation::save`].
    pub(super) fn new(simulation: Simulation) -> Result<Self> {
        let extent = Extent::of(simulation.world());
        Ok(Self {
            radius: extent.map_or(1.0, |extent| extent.radius()),
            start: simulation.save()?,
            loads: simulation.world().loads.clone(),
            simulation,
            spring: None,
            last: None,
            residuals: Residuals::default(),
        })
    }

    pub(super) fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Ties a spring to a point of a body, in body axes `[m]`.
    pub(super) fn grab(&mut self, body: u32, point: Vec3) {
        self.spring = Spring::new(self.simulation.world(), body, point, self.radius);
    }

    /// Moves the other end of the spring `[m]`.
    pub(super) fn hand(&mut self, to: Vec3) {
        if let Some(spring) = &mut self.spring {
            spring.hand = to;
        }
    }

    /// Takes the spring away.
    pub(super) fn release(&mut self) {
        self.spring = None;
    }

    /// Ends of the spring `[m]`, the first on the body.
    pub(super) fn pull(&self) -> Option<[Vec3; 2]> {
        let spring = self.spring?;
        Some([spring.at(self.simulation.world()), spring.hand])
    }

    /// The last step's report; nothing before the first.
    pub(super) fn last(&self) -> Option<&StepReport> {
        self.last.as_ref()
    }

    /// Residuals of the last steps.
    pub(super) fn residuals(&self) -> &Residuals {
        &self.residuals
    }

    fn step(&mut self) -> Result<()> {
        if let Some(spring) = &self.spring {
            spring.pull(&mut self.simulation)?;
        }
        let report = self.simulation.step()?;
        let solved = &report.velocity;
        self.residuals.add(solved.residual_rms, solved.residual_max);
        self.last = Some(report);
        Ok(())
    }

    fn reset(&mut self) -> Result<()> {
        self.spring = None;
        self.last = None;
        self.residuals.clear();
        // A state is one of a world with the loads that it was saved with.
        self.simulation.world_mut().loads.clone_from(&self.loads);
        self.simulation.restore(&self.start)
    }
}

impl Recorded {
    /// The first frame of a recording.
    pub(super) fn new(recording: Recording) -> Self {
        Self {
            times: recording.times().collect(),
            recording,
            at: 0,
        }
    }

    /// Number of the frame, and of all.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.at + 1, self.times.len())
    }
}

impl Playback {
    /// Time of the moment `[s]`.
    pub(super) fn time(&self) -> f64 {
        match self {
            Self::Live(live) => live.simulation.world().time,
            Self::Recorded(recorded) => recorded.times[recorded.at],
        }
    }

    /// Time of the next moment `[s]`; nothing after the last.
    pub(super) fn next_time(&self) -> Option<f64> {
        match self {
            Self::Live(live) => Some(self.time() + live.simulation.settings().time_step),
            Self::Recorded(recorded) => recorded.times.get(recorded.at + 1).copied(),
        }
    }

    /// Goes on to the next moment, if there is one.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub(super) fn forward(&mut self) -> Result<()> {
        match self {
            Self::Live(live) => live.step(),
            Self::Recorded(recorded) => {
                recorded.at = (recorded.at + 1).min(recorded.times.len() - 1);
                Ok(())
            }
        }
    }

    /// Goes back to the moment before, if it is recorded.
    pub(super) fn back(&mut self) {
        match self {
            Self::Live(_) => {}
            Self::Recorded(recorded) => recorded.at = recorded.at.saturating_sub(1),
        }
    }

    /// Goes back to the first moment.
    ///
    /// # Errors
    /// As [`Simulation::restore`].
    pub(super) fn reset(&mut self) -> Result<()> {
        match self {
            Self::Live(live) => live.reset(),
            Self::Recorded(recorded) => {
                recorded.at = 0;
                Ok(())
            }
        }
    }

    /// The moment's drawing.
    ///
    /// # Errors
    /// As [`Recording::frame`].
    pub(super) fn snapshot(&self, look: &Look) -> Result<Snapshot> {
        match self {
            Self::Live(live) => Ok(look.snapshot(&live.simulation)),
            Self::Recorded(recorded) => recorded.recording.frame(recorded.at),
        }
    }

    /// The simulation, if it is one.
    pub(super) fn live(&mut self) -> Option<&mut Live> {
        match self {
            Self::Live(live) => Some(live),
            Self::Recorded(_) => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use super::*;
    use drystone::scene::{Overrides, Scene};
    use drystone::solver::cpu::CpuSolver;

    #[test]
    fn a_run_that_was_pulled_at_begins_again_as_it_began() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/papers/chain6.toml");
        let scene = Scene::load(path.as_ref(), &Overrides::default()).unwrap();
        let solver = Box::new(CpuSolver::new());
        let simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
        let mut playback = Playback::Live(Box::new(Live::new(simulation).unwrap()));
        let mut poses = |pulled: bool| {
            playback.reset().unwrap();
            for step in 0..40 {
                if pulled && step == 5 {
                    let live = playback.live().unwrap();
                    let bodies = live.simulation().world().bodies.iter();
                    let last = bodies.clone().rposition(drystone::world::Body::is_dynamic);
                    live.grab(last.unwrap() as u32, Vec3::zeros());
                    let [at, _] = live.pull().unwrap();
                    live.hand(at + Vec3::new(0.5, 0.0, 0.5));
                }
                playback.forward().unwrap();
            }
            let bodies = &playback.live().unwrap().simulation().world().bodies;
            bodies.iter().map(|body| body.pose).collect::<Vec<_>>()
        };
        let free = poses(false);
        assert_ne!(poses(true), free);
        assert_eq!(poses(false), free);
    }
}
