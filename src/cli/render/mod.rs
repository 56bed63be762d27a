//! `drystone render`: pictures of a scene or a run.

mod camera;
mod color;
mod legend;
mod movie;
mod painter;
mod pipelines;
mod scenery;
mod shapes;
mod snapshot;
mod source;
mod view;

use crate::args::RenderArgs;
use crate::console;
use crate::failure::Failure;
use crate::files::save;
use crate::image::{Image, animation, sheet};
use crate::plan;
pub(crate) use color::ColorBy;
use color::Colors;
use drystone::math::Vec3;
use drystone::scene::Scene;
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use drystone::world::{Shape, World};
use drystone::{Error, Result};
pub(crate) use painter::Painter;
use scenery::{Bin, Scenery, Show};
use snapshot::{Extent, Snapshot};
use std::path::{Path, PathBuf};
use view::Camera;

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
    let source = source::Source::open(args)?;
    let times = source.times(args)?;
    let out = Out::of(args, &source, times.len())?;
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
    let set = Set::new(&scene, &world, &snapshots, args.color, args.size).ok_or_else(|| {
        Failure::Input(Error::invalid(
            "scene",
            "it has no body that could be drawn",
        ))
    })?;
    let samples = args
        .samples
        .unwrap_or(if times.len() > 12 { 40 } else { 96 });
    let mut images = Vec::with_capacity(snapshots.len());
    for (index, snapshot) in snapshots.iter().enumerate() {
        let mut image = set
            .paint(
                &painter,
                &mut world,
                snapshot,
                args.forces,
                args.size,
                samples,
            )
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
    console::out(&format!("{}\n", out.path().display()))
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
    fn of(args: &RenderArgs, source: &source::Source, count: usize) -> Result<Self, Failure> {
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
    let set = Set::new(scene, &world, &snapshots, ColorBy::Group, QUICK_SIZE)
        .ok_or_else(|| Error::invalid("scene", "it has no body that could be drawn"))?;
    set.paint(
        painter,
        &mut world,
        &snapshots[0],
        false,
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
    let set = Set::new(scene, &world, &snapshots, ColorBy::Group, size)
        .ok_or_else(|| Error::invalid("scene", "it has no body that could be drawn"))?;
    let mut images = Vec::with_capacity(snapshots.len());
    for snapshot in &snapshots {
        let mut image = set.paint(painter, &mut world, snapshot, false, size, samples)?;
        image.label(&format!("t = {:.2} s", snapshot.time))?;
        images.push(image);
    }
    Ok(images)
}

/// Common parts of the pictures of a run: camera, colours, and the room they show.
struct Set {
    extent: Extent,
    camera: Camera,
    colors: Colors,
    bins: Vec<Bin>,
    /// Largest force that is drawn `[N]`.
    largest_force: f64,
}

impl Set {
    /// Nothing if there is nothing to see.
    fn new(
        scene: &Scene,
        world: &World,
        snapshots: &[Snapshot],
        color: ColorBy,
        size: (u32, u32),
    ) -> Option<Self> {
        let mut world = world.clone();
        let mut extent: Option<Extent> = None;
        let mut bins = bins(scene, &world);
        let mut heights = vec![0.0_f64; bins.len()];
        for snapshot in snapshots {
            snapshot.restore(&mut world);
            let now = Extent::of(&world);
            extent = match (extent, now) {
                (Some(all), Some(now)) => Some(all.with(&now)),
                (all, now) => all.or(now),
            };
            for (bin, height) in bins.iter().zip(&mut heights) {
                *height = height.max(filled_height(bin, &world));
            }
        }
        let mut extent = extent?;
        for (bin, height) in bins.iter_mut().zip(heights) {
            // Walls are drawn a little higher than what they hold.
            let wish = height + 0.12 * bin.inner.x.max(bin.inner.y);
            bin.inner.z = bin.inner.z.min(wish);
            // A box is shown whole unless bodies are but a speck in it.
            let frame = world.bodies[bin.body as usize].frame();
            let half = 0.5 * bin.inner;
            let corner = |sign: f64| {
                frame.point(&Vec3::new(
                    sign * half.x,
                    sign * half.y,
                    half.z + sign * half.z,
                ))
            };
            let whole = Extent {
                min: corner(-1.0).inf(&corner(1.0)),
                max: corner(-1.0).sup(&corner(1.0)),
            };
            if whole.radius() < 2.5 * extent.radius() {
                extent = extent.with(&whole);
            }
        }
        // So are hoppers and drums.
        for body in world
            .bodies
            .iter()
            .filter(|body| matches!(body.shape, Shape::Mesh(_)))
        {
            let aabb = body.shape.aabb(&body.pose);
            let whole = Extent {
                min: aabb.min,
                max: aabb.max,
            };
            if whole.radius() < 2.5 * extent.radius() {
                extent = extent.with(&whole);
            }
        }
        let mut sizes: Vec<f64> = snapshots
            .iter()
            .flat_map(|snapshot| &snapshot.forces)
            .map(|force| force.size)
            .collect();
        let largest_force = if sizes.is_empty() {
            1.0
        } else {
            let rank = (sizes.len() - 1) * 995 / 1000;
            *sizes.select_nth_unstable_by(rank, f64::total_cmp).1
        };
        Some(Self {
            camera: camera::camera(scene, &world, &extent, size),
            colors: Colors::new(color, &world, snapshots),
            extent,
            bins,
            largest_force,
        })
    }

    fn paint(
        &self,
        painter: &Painter,
        world: &mut World,
        snapshot: &Snapshot,
        forces: bool,
        size: (u32, u32),
        samples: u32,
    ) -> Result<Image> {
        snapshot.restore(world);
        let colors = self.colors.of(world, snapshot);
        let show = Show {
            colors: &colors,
            bins: &self.bins,
            forces: forces.then_some((snapshot.forces.as_slice(), self.largest_force)),
            extent: &self.extent,
        };
        let scenery = Scenery::new(world, &show);
        let mut image: Image = painter.paint(&scenery, &self.camera, size, samples)?.into();
        if let Some(legend) = self.colors.legend() {
            image.legend(&legend)?;
        }
        Ok(image)
    }
}

/// The boxes of a scene that hold bodies. Cylinders are meshes seen from inside, and need no help.
fn bins(scene: &Scene, world: &World) -> Vec<Bin> {
    let named = |name: &str| {
        let at = world
            .bodies
            .iter()
            .position(|body| body.name.as_deref() == Some(name));
        at.map(|at| at as u32)
    };
    scene
        .file
        .containers
        .iter()
        .filter_map(|container| {
            let body = named(&container.name)?;
            let is_box = match &world.bodies[body as usize].shape {
                Shape::Compound { parts } => parts
                    .iter()
                    .all(|part| matches!(part.shape, Shape::HalfSpace { .. } | Shape::Box { .. })),
                Shape::HalfSpace { .. } | Shape::Box { .. } => true,
                _ => false,
            };
            is_box.then(|| Bin {
                body,
                walls: named(&format!("{}_walls", container.name)),
                inner: Vec3::from(container.inner),
            })
        })
        .collect()
}

/// Height up to which a box is filled, but for the last few bodies `[m]`.
fn filled_height(bin: &Bin, world: &World) -> f64 {
    let frame = world.bodies[bin.body as usize].frame();
    let mut tops: Vec<f64> = world
        .bodies
        .iter()
        .filter(|body| body.is_dynamic())
        .filter_map(|body| {
            let at = frame.inverse_point(&body.pose.position);
            let inside = at.x.abs() < 0.5 * bin.inner.x && at.y.abs() < 0.5 * bin.inner.y;
            inside.then(|| at.z + body.shape.bounding_radius())
        })
        .collect();
    if tops.is_empty() {
        return 0.0;
    }
    let rank = (tops.len() - 1) * 99 / 100;
    *tops.select_nth_unstable_by(rank, f64::total_cmp).1
}
