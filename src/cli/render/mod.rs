//! `drystone render`: pictures of a scene or a run.

mod args;
mod camera;
mod color;
mod legend;
mod movie;
mod overlays;
mod painter;
mod pipelines;
mod recording;
mod scenery;
mod set;
pub(crate) mod shapes;
mod snapshot;
mod source;
mod view;

#[cfg(feature = "view")]
pub(crate) use self::{
    color::{ColorBy, Legend},
    legend::SCALE_WIDTH,
    painter::{Canvas, MAX_PIXELS, Uploaded},
    pipelines::PRESENT,
    recording::Recording,
    scenery::Scenery,
    snapshot::Extent,
    view::Camera,
};
use crate::console;
use crate::failure::Failure;
use crate::files::{self, save};
use crate::image::{Image, animation, sheet};
use crate::plan;
pub(crate) use args::RenderArgs;
use drystone::scene::Scene;
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use drystone::{Error, Result};
pub(crate) use painter::Painter;
pub(crate) use set::{Look, Set};
pub(crate) use snapshot::Snapshot;
pub(crate) use source::Source;
use std::path::{Path, PathBuf};

/// Samples of a picture at the end of a run, where it has to be quick.
const QUICK_SAMPLES: u32 = 24;
/// Its size `[pixels]`.
const QUICK_SIZE: (u32, u32) = (960, 600);

/// Makes the pictures that are asked for.
pub(crate) fn render(args: &RenderArgs) -> Result<(), Failure> {
    plan::thread_pool(args.threads)?.install(|| carry_out(args))
}

fn carry_out(args: &RenderArgs) -> Result<(), Failure> {
    // Without an adapter nothing need be simulated.
    let painter = Painter::new(args.adapter.as_deref()).map_err(Failure::Input)?;
    let source = Source::open(&args.source, args.quiet)?;
    let times = source.times(args)?;
    let out = Out::of(args, &source, times.len())?;
    out.check()?;
    if !args.quiet {
        console::err(&format!(
            "{}: {} pictures of {} x {} on {}\n",
            source.scene.name,
            times.len(),
            args.size.0,
            args.size.1,
            painter.name()
        ));
    }
    let (scene, mut world, snapshots) = source.snapshots(args, &times)?;
    let set = Set::new(&scene, &world, &snapshots, args.look, args.size).map_err(Failure::Input)?;
    let samples = args
        .samples
        .unwrap_or(if times.len() > 12 { 40 } else { 96 });
    let mut images = Vec::with_capacity(snapshots.len());
    for (index, snapshot) in snapshots.iter().enumerate() {
        let mut image = set
            .paint(&painter, &mut world, snapshot, args.size, samples)
            .map_err(Failure::Run)?;
        let time = format!("t = {:.*} s", decimals(&times), snapshot.time);
        if snapshots.len() > 1 || args.label {
            image.label(&time).map_err(Failure::Run)?;
        }
        if let Out::Folder(folder) = &out {
            let name = format!("{}_{index:04}.png", scene.name);
            save(&folder.join(name), &image.png().map_err(Failure::Run)?)?;
        } else {
            images.push(image);
        }
        if !args.quiet && snapshots.len() > 1 {
            console::err(&format!("{} of {}: {time}\n", index + 1, snapshots.len()));
        }
    }
    out.write(images, args.rate)?;
    Ok(console::out(&format!("{}\n", out.path().display()))?)
}

/// Digits after the point that tell the times apart.
fn decimals(times: &[f64]) -> usize {
    let gap = times
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .filter(|gap| *gap > 0.0)
        .fold(0.1, f64::min);
    (-gap.log10()).ceil().clamp(1.0, 6.0) as usize
}

/// Where pictures go.
enum Out {
    /// One picture, or several on a sheet.
    Png(PathBuf),
    /// Moving, as PNG.
    Animation(PathBuf),
    /// Moving, by ffmpeg.
    Movie(PathBuf),
    /// One file each.
    Folder(PathBuf),
}

impl Out {
    fn of(args: &RenderArgs, source: &Source, count: usize) -> Result<Self, Failure> {
        let path = args.out.clone().unwrap_or_else(|| {
            let kind = if count > 1 { "_sheet" } else { "" };
            source
                .home()
                .join(format!("{}{kind}.png", source.scene.name))
        });
        let extension = path
            .extension()
            .and_then(|extension| extension.to_str())
            .map(str::to_lowercase);
        let refuse = |why: &str| {
            let what = format!("--out {}", path.display());
            Err(Failure::Input(Error::invalid(what, why)))
        };
        match extension.as_deref() {
            Some("png") => Ok(Self::Png(path)),
            Some("apng") => Ok(Self::Animation(path)),
            Some("mp4") if movie::is_possible() => Ok(Self::Movie(path)),
            Some("mp4") => refuse(
                "there is no ffmpeg on the path; expected a name that ends with .apng or .png",
            ),
            None => Ok(Self::Folder(path)),
            Some(_) => refuse(
                "expected .png (a picture or a sheet of several), .apng, .mp4, or a folder without an ending",
            ),
        }
    }

    /// Finds out if pictures can be written, before anything is simulated or painted.
    fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Folder(path) => {
                std::fs::create_dir_all(path).map_err(|why| Failure::Run(Error::io(path, why)))
            }
            Self::Png(path) | Self::Animation(path) | Self::Movie(path) => {
                files::check(path).map_err(Failure::Run)
            }
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::Png(path) | Self::Animation(path) | Self::Movie(path) | Self::Folder(path) => {
                path
            }
        }
    }

    fn write(&self, mut images: Vec<Image>, rate: u16) -> Result<(), Failure> {
        match self {
            Self::Folder(_) => Ok(()),
            Self::Png(path) => {
                let image = if images.len() == 1 {
                    images.pop()
                } else {
                    sheet(&images)
                };
                match image {
                    Some(image) => save(path, &image.png().map_err(Failure::Run)?),
                    None => Ok(()),
                }
            }
            Self::Animation(path) => save(path, &animation(&images, rate).map_err(Failure::Run)?),
            Self::Movie(path) => movie::write(path, &images, rate).map_err(Failure::Run),
        }
    }
}

/// The picture at the end of a run.
///
/// # Errors
/// [`Error::NoAdapter`] if there is none, [`Error::Device`] if it fails, [`Error::Invalid`] if there is nothing to draw.
pub(crate) fn of_the_end(
    painter: &Painter,
    scene: &Scene,
    simulation: &Simulation,
) -> Result<Image> {
    let mut world = simulation.world().clone();
    let snapshot = Snapshot::of(&world);
    let snapshots = [snapshot];
    let set = Set::new(scene, &world, &snapshots, Look::default(), QUICK_SIZE)?;
    set.paint(
        painter,
        &mut world,
        &snapshots[0],
        QUICK_SIZE,
        QUICK_SAMPLES,
    )
}

/// Pictures of a scene run on the CPU, at `count` evenly spaced times from its start to its end.
///
/// # Errors
/// As [`of_the_end`], and the run's.
pub(crate) fn frames(
    painter: &Painter,
    scene: &Scene,
    count: u32,
    size: (u32, u32),
    samples: u32,
) -> Result<Vec<Image>> {
    let gaps = u64::from(count.saturating_sub(1).max(1));
    let solver = Box::new(CpuSolver::new());
    let mut simulation = Simulation::new(scene.world.clone(), scene.settings, solver)?;
    let mut snapshots = vec![Snapshot::of(simulation.world())];
    for frame in 1..u64::from(count) {
        for _ in scene.steps * (frame - 1) / gaps..scene.steps * frame / gaps {
            simulation.step()?;
        }
        snapshots.push(Snapshot::of(simulation.world()));
    }
    let mut world = simulation.world().clone();
    let set = Set::new(scene, &world, &snapshots, Look::default(), size)?;
    let mut images = Vec::with_capacity(snapshots.len());
    for snapshot in &snapshots {
        let mut image = set.paint(painter, &mut world, snapshot, size, samples)?;
        image.label(&format!("t = {:.2} s", snapshot.time))?;
        images.push(image);
    }
    Ok(images)
}
