//! Common parts of the pictures of a run: camera, colours, and the room they show.

use super::camera::camera;
#[cfg(feature = "view")]
use super::camera::fitted;
use super::color::{ColorBy, Colors, Legend};
use super::painter::Painter;
use super::scenery::{Bin, Overlays, Scenery, Show};
use super::snapshot::{Extent, Snapshot};
use super::view::Camera;
use crate::image::Image;
use drystone::math::Vec3;
use drystone::scene::Scene;
use drystone::step::Simulation;
use drystone::world::{Shape, World};
use drystone::{Error, Result};

/// Growth of the room of a window, in radii of its first one: what falls out of the scene does not take the picture with it.
#[cfg(feature = "view")]
const LARGEST_ROOM: f64 = 3.0;

/// Choice of colours and overlays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct Look {
    /// Quantity that the colours of bodies show.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) color: ColorBy,
    /// Draw the forces of contacts as lines, and bodies as if of glass.
    #[arg(long)]
    pub(crate) forces: bool,
    /// Draw the points of contact.
    #[arg(long)]
    pub(crate) contacts: bool,
    /// Draw joints: lines from bodies to their anchors, red where anchors have come apart.
    #[arg(long)]
    pub(crate) joints: bool,
}

impl Look {
    /// True if what is shown is known of a simulation only, and not of recorded bodies.
    pub(crate) fn needs_simulation(&self) -> bool {
        self.contacts || self.needs_step()
    }

    /// True if it is known after a step only.
    pub(crate) fn needs_step(&self) -> bool {
        self.needs_forces() || self.color == ColorBy::Cluster
    }

    fn needs_forces(&self) -> bool {
        self.forces || self.color == ColorBy::Force
    }

    /// All that is shown of a simulation.
    pub(crate) fn snapshot(&self, simulation: &Simulation) -> Snapshot {
        let mut snapshot = Snapshot::of(simulation.world());
        if self.needs_forces() {
            snapshot = snapshot.with_forces(simulation);
        }
        if self.contacts {
            snapshot = snapshot.with_contacts(simulation);
        }
        if self.color == ColorBy::Cluster {
            snapshot = snapshot.with_clusters(simulation);
        }
        snapshot
    }
}

/// Camera, colours, and the room that pictures show.
pub(crate) struct Set {
    look: Look,
    extent: Extent,
    /// Radius up to which the room grows `[m]`.
    #[cfg(feature = "view")]
    largest_radius: f64,
    pub(crate) camera: Camera,
    colors: Colors,
    bins: Vec<Bin>,
    /// Largest force that is drawn `[N]`.
    largest_force: f64,
}

impl Set {
    /// The set of some pictures of a run.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there is nothing to see.
    pub(crate) fn new(
        scene: &Scene,
        world: &World,
        snapshots: &[Snapshot],
        look: Look,
        size: (u32, u32),
    ) -> Result<Self> {
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
        let mut extent =
            extent.ok_or_else(|| Error::invalid("scene", "it has no body that could be drawn"))?;
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
        Ok(Self {
            look,
            camera: camera(scene, &world, &extent, size),
            colors: Colors::new(look.color, &world, snapshots),
            #[cfg(feature = "view")]
            largest_radius: LARGEST_ROOM * extent.radius(),
            extent,
            bins,
            largest_force: largest_force(snapshots).unwrap_or(0.0),
        })
    }

    /// The drawing of a moment. The world is one of the same bodies, and is left with theirs as they are then.
    pub(crate) fn scenery(
        &self,
        world: &mut World,
        snapshot: &Snapshot,
        pull: Option<[Vec3; 2]>,
    ) -> Scenery {
        snapshot.restore(world);
        let forces = (snapshot.forces.as_slice(), self.largest_force);
        let overlays = Overlays {
            forces: self.look.forces.then_some(forces),
            contacts: self.look.contacts.then_some(&snapshot.contacts),
            joints: self.look.joints,
            pull,
        };
        let show = Show {
            colors: &self.colors.of(world, snapshot),
            bins: &self.bins,
            overlays: &overlays,
            extent: &self.extent,
        };
        Scenery::new(world, &show)
    }

    /// Legend of the colours, if they are on a scale.
    pub(crate) fn legend(&self) -> Option<Legend> {
        self.colors.legend()
    }

    /// A picture of a moment.
    ///
    /// # Errors
    /// As [`Painter::paint`].
    pub(crate) fn paint(
        &self,
        painter: &Painter,
        world: &mut World,
        snapshot: &Snapshot,
        size: (u32, u32),
        samples: u32,
    ) -> Result<Image> {
        let scenery = self.scenery(world, snapshot, None);
        let mut image: Image = painter.paint(scenery, &self.camera, size, samples)?.into();
        if let Some(legend) = self.legend() {
            image.legend(&legend)?;
        }
        Ok(image)
    }
}

/// Additions for a window, whose moments are not known beforehand.
#[cfg(feature = "view")]
impl Set {
    /// Shows something else from now on.
    pub(crate) fn look(&mut self, look: Look, world: &World) {
        if self.look.color != look.color {
            self.colors = Colors::new(look.color, world, &[]);
        }
        self.look = look;
    }

    /// Middle and radius of what is of interest `[m]`.
    pub(crate) fn room(&self) -> (Vec3, f64) {
        (self.extent.middle(), self.extent.radius())
    }

    /// The camera from where it is directed at all bodies of a world; nothing if there is none.
    pub(crate) fn fitted(&self, world: &World, size: (u32, u32)) -> Option<Camera> {
        Some(fitted(&self.camera, &Extent::of(world)?, size))
    }

    /// Widens scales and the room to what a moment has. The world is that of the moment.
    pub(crate) fn follow(&mut self, world: &World, snapshot: &Snapshot) {
        self.colors.follow(world, snapshot);
        if let Some(largest) = largest_force(std::slice::from_ref(snapshot)) {
            self.largest_force = self.largest_force.max(largest);
        }
        if let Some(now) = Extent::of(world) {
            let widened = self.extent.with(&now);
            if widened.radius() < self.largest_radius {
                self.extent = widened;
            }
        }
    }
}

/// Force that all but a few are below `[N]`; nothing if there is none.
fn largest_force(snapshots: &[Snapshot]) -> Option<f64> {
    let forces = snapshots.iter().flat_map(|snapshot| &snapshot.forces);
    let mut sizes: Vec<f64> = forces.map(|force| force.size).collect();
    let rank = sizes.len().checked_sub(1)? * 995 / 1000;
    Some(*sizes.select_nth_unstable_by(rank, f64::total_cmp).1)
}

/// The boxes of a scene that hold bodies. Cylinders are meshes seen from inside, and need no help.
fn bins(scene: &Scene, world: &World) -> Vec<Bin> {
    scene
        .file
        .containers
        .iter()
        .filter_map(|container| {
            let body = world.find(&container.name)?;
            let is_box = match &world.bodies[body as usize].shape {
                Shape::Compound { parts } => parts
                    .iter()
                    .all(|part| matches!(part.shape, Shape::HalfSpace { .. } | Shape::Box { .. })),
                Shape::HalfSpace { .. } | Shape::Box { .. } => true,
                _ => false,
            };
            is_box.then(|| Bin {
                body,
                walls: world.find(&format!("{}_walls", container.name)),
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
