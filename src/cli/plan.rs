//! From the command line and the scene file to what will be done.

use crate::args::{BackendName, ContentName, DumpName, RunArgs, SceneArgs};
use crate::failure::Failure;
use crate::progress::Loading;
use drystone::Error;
use drystone::output::FrameOptions;
use drystone::problem::{FrictionCone, FrictionLaw};
use drystone::scene::{Overrides, Scene};
use drystone::world::World;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A run, fully decided.
pub(crate) struct RunPlan {
    pub(crate) scene: Scene,
    pub(crate) choices: Choices,
    pub(crate) threads: Option<usize>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) quiet: bool,
}

/// Choices that hold for a run until its end, also where it is resumed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Choices {
    pub(crate) backend: BackendName,
    pub(crate) adapter: Option<String>,
    /// Steps between two frames; no frames without it.
    pub(crate) frames_every: Option<u64>,
    pub(crate) frame_options: FrameOptions,
    /// Steps whose problems are written.
    pub(crate) dumped: Vec<u64>,
    pub(crate) dump_format: DumpName,
    /// Steps between two checkpoints; without it only where a signal ends the run.
    pub(crate) checkpoint_every: Option<u64>,
    /// True if a run that runs away is stopped.
    pub(crate) strict: bool,
    /// True if the run ends with a picture.
    pub(crate) picture: bool,
    /// True if an expectation that does not hold fails the run.
    pub(crate) check: bool,
}

impl RunPlan {
    /// Reads the scene and settles every choice.
    pub(crate) fn new(args: RunArgs) -> Result<Self, Failure> {
        let given = GivenSweeps {
            solver: args.scene.solver.is_some(),
            iterations: args.scene.iterations.is_some(),
            tolerance: args.tolerance.is_some(),
        };
        given.refuse_what_a_reference_has_not(args.backend)?;
        let mut scene = load(&args.scene, args.tolerance, args.quiet)?;
        refuse_steps_beyond(&args.dump_problem, &scene)?;
        let dump_format = args.dump_format.unwrap_or_default();
        refuse_friction_without_form(dump_format, &scene)?;
        let mut backend = args.backend;
        if scene.settings.event.is_some() {
            backend = backend_of_events(&args)?;
        } else if backend == BackendName::Lemke {
            needs_pyramid(&scene)?;
        }
        // The scene that the run folder gets has it too: it may have fields, which need frames.
        let frames_every = args.frames.or(scene.output.frames_every);
        scene.output.frames_every = frames_every;
        if frames_every.is_none() {
            refuse_frames_that_there_are_not(&args, &scene)?;
        }
        let frame_options = FrameOptions {
            content: args.frame_content.into(),
            formats: args.frame_format.into_iter().map(Into::into).collect(),
            contacts: args.frame_contacts,
            fields: scene.output.fields,
            most: frames_every.map_or(0, |every| 1 + scene.steps / every),
        };
        frame_options.check().map_err(Failure::Input)?;
        let steps = |time: f64| (time / scene.settings.time_step).round().max(1.0) as u64;
        let checkpoint_every = args.checkpoint_every.or(scene.output.checkpoint_every);
        let choices = Choices {
            backend,
            adapter: args.adapter,
            frames_every,
            frame_options,
            dumped: args.dump_problem,
            dump_format,
            checkpoint_every: checkpoint_every.map(steps),
            strict: args.strict,
            picture: !args.no_picture,
            check: args.check,
        };
        Ok(Self {
            scene,
            choices,
            threads: args.threads,
            out: args.out,
            quiet: args.quiet,
        })
    }

    /// True if the metrics get a row of this step: every so many, and the last one.
    pub(crate) fn is_measured(&self, step: u64) -> bool {
        step.is_multiple_of(self.scene.output.metrics_every.max(1)) || step == self.scene.steps
    }

    /// True if a checkpoint follows this step: every so many, and the last one.
    pub(crate) fn is_saved(&self, step: u64) -> bool {
        self.choices
            .checkpoint_every
            .is_some_and(|every| step.is_multiple_of(every) || step == self.scene.steps)
    }

    /// True if this step gets a frame.
    pub(crate) fn is_drawn(&self, step: u64) -> bool {
        self.choices
            .frames_every
            .is_some_and(|every| step.is_multiple_of(every))
    }
}

/// Refuses options of frames, and fields, in a run without any.
fn refuse_frames_that_there_are_not(args: &RunArgs, scene: &Scene) -> Result<(), Failure> {
    let fields = format!("{}: fields under [output]", args.scene.scene.display());
    let given = [
        ("--frame-content", args.frame_content != ContentName::Auto),
        ("--frame-format", !args.frame_format.is_empty()),
        ("--frame-contacts", args.frame_contacts),
        (&fields, scene.output.fields.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((what, _)) => Err(Failure::Input(Error::invalid(
            what,
            "the run has no frames; add --frames EVERY, or frames_every under [output]",
        ))),
        None => Ok(()),
    }
}

/// Refuses steps to be dumped that there are not, or that have no problem.
fn refuse_steps_beyond(steps: &[u64], scene: &Scene) -> Result<(), Failure> {
    if steps.is_empty() {
        return Ok(());
    }
    needs_velocity_problems(scene, "--dump-problem")?;
    match steps.iter().find(|&&step| step > scene.steps) {
        Some(step) => Err(Failure::Input(Error::invalid(
            format!("--dump-problem {step}"),
            format!("the run has {} steps", scene.steps),
        ))),
        None => Ok(()),
    }
}

/// Refuses to dump problems in a format that does not have the scene's friction.
fn refuse_friction_without_form(format: DumpName, scene: &Scene) -> Result<(), Failure> {
    let settings = &scene.settings;
    let has_form = settings.friction_cone == FrictionCone::Disk
        && settings.friction_law == FrictionLaw::Coulomb;
    if format == DumpName::Json || has_form || !is_rough(scene) {
        return Ok(());
    }
    Err(Failure::Input(Error::invalid(
        "--dump-format",
        "FCLib has Coulomb's law with a disk, and the scene another law or a pyramid; leave it out",
    )))
}

/// True if something in the scene has friction.
fn is_rough(scene: &Scene) -> bool {
    scene.world.materials.iter().any(|m| m.friction > 0.0)
}

/// Settings of sweeps that are on the command line.
pub(crate) struct GivenSweeps {
    pub(crate) solver: bool,
    pub(crate) iterations: bool,
    pub(crate) tolerance: bool,
}

impl GivenSweeps {
    /// Refuses what a backend has no use for. Settings of a scene or a problem stay, so that the same file runs everywhere.
    pub(crate) fn refuse_what_a_reference_has_not(
        &self,
        backend: BackendName,
    ) -> Result<(), Failure> {
        let pivots = backend == BackendName::Lemke;
        let given = [
            (
                "--solver",
                self.solver,
                pivots || backend == BackendName::Nsgs,
            ),
            ("--iterations", self.iterations, pivots),
            ("--tolerance", self.tolerance, pivots),
        ];
        for (flag, is_given, is_refused) in given {
            if is_given && is_refused {
                let how = if pivots {
                    "lemke solves by pivoting, to round-off"
                } else {
                    "nsgs has one sweep, its own"
                };
                return Err(Failure::Input(Error::invalid(
                    flag,
                    format!("{how}; leave it out, or use --backend cpu"),
                )));
            }
        }
        Ok(())
    }
}

/// The event stepper pivots in f64 on the CPU, and has no sweeps.
fn backend_of_events(args: &RunArgs) -> Result<BackendName, Failure> {
    let refuse = |flag: String| {
        Err(Failure::Input(Error::invalid(
            flag,
            "the scene's event stepper runs on the CPU and has no solver; leave it out",
        )))
    };
    if !matches!(args.backend, BackendName::Auto | BackendName::Cpu) {
        return refuse("--backend".into());
    }
    for (flag, is_given) in [
        ("--solver", args.scene.solver.is_some()),
        ("--iterations", args.scene.iterations.is_some()),
        ("--substeps", args.scene.substeps.is_some()),
        ("--tolerance", args.tolerance.is_some()),
    ] {
        if is_given {
            return refuse(flag.into());
        }
    }
    Ok(BackendName::Cpu)
}

/// Refuses a scene that the event stepper moves, for a command that is about velocity problems.
pub(crate) fn needs_velocity_problems(scene: &Scene, command: &str) -> Result<(), Failure> {
    if scene.settings.event.is_none() {
        return Ok(());
    }
    Err(Failure::Input(Error::invalid(
        command,
        "the scene's event stepper has no velocity problems",
    )))
}

/// Refuses a scene with friction that is no linear complementarity problem.
fn needs_pyramid(scene: &Scene) -> Result<(), Failure> {
    if scene.settings.friction_cone == FrictionCone::Disk && is_rough(scene) {
        return Err(Failure::Input(Error::invalid(
            "--backend lemke",
            "it needs a friction pyramid, and the scene's friction cone is a disk: add \
             --friction-directions 8, set friction = { pyramid = 8 } under [solver], or use --backend nsgs",
        )));
    }
    Ok(())
}

/// Reads a scene with the command line's changes.
pub(crate) fn load(
    args: &SceneArgs,
    tolerance: Option<f32>,
    quiet: bool,
) -> Result<Scene, Failure> {
    let overrides = Overrides {
        seed: args.seed,
        steps: args.steps,
        time_step: args.time_step,
        substeps: args.substeps,
        iterations: args.iterations,
        tolerance,
        method: args.solver,
        friction_directions: args.friction_directions,
    };
    load_scene(&args.scene, &overrides, quiet)
}

/// Reads a scene, and shows how far its fills have come where that takes long, unless it is to be `quiet`.
pub(crate) fn load_scene(
    path: &Path,
    overrides: &Overrides,
    quiet: bool,
) -> Result<Scene, Failure> {
    if quiet {
        return Scene::load(path, overrides).map_err(Failure::Input);
    }
    let mut loading = Loading::new();
    let scene = Scene::load_watched(path, overrides, &mut |filling| loading.show(filling));
    loading.finish();
    scene.map_err(Failure::Input)
}

/// Moves the world out of a scene: a crowd is too large to be there twice.
pub(crate) fn take_world(scene: &mut Scene) -> World {
    let emptied = World::new(scene.world.gravity);
    std::mem::replace(&mut scene.world, emptied)
}

/// The threads that the CPU's part of a command runs on.
pub(crate) fn thread_pool(threads: Option<usize>) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|e| Failure::Input(Error::invalid("--threads", e.to_string())))
}
