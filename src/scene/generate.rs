//! Fills: regions filled with bodies that overlap neither each other nor anything placed before.
//!
//! Everything random comes from one stream of PCG-64 per fill, drawn body by body in a fixed order,
//! so that a seed gives the same bodies on every machine.

use super::body::{groups, shape};
use super::occupied::Occupied;
use super::place::Place;
use super::schema::{Arrangement, Fill, Region, Scale};
use super::vectors::vector;
use crate::constants::{
    FILL_OVERLAP_TOLERANCE, FILL_TAKEN_PLACES, MAX_SCENE_BODIES, RANDOM_FILL_ATTEMPTS,
};
use crate::error::Result;
use crate::math::{Aabb, Pose, Quat, Vec3};
use crate::world::{Body, Shape, World};
use nalgebra::Quaternion;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Normal};
use rand_pcg::Pcg64;
use std::f64::consts::TAU;

/// Names a sequence of random numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stream {
    /// Of the scene.
    seed: u64,
    /// Of the fill or instance.
    stream: u128,
}

impl Stream {
    /// That of a fill.
    pub(super) fn of_fill(seed: u64, stream: u64) -> Self {
        Self {
            seed,
            stream: u128::from(stream),
        }
    }

    /// That of an instance; no fill has it.
    pub(super) fn of_instance(seed: u64, stream: u64) -> Self {
        Self {
            seed,
            stream: (1 << 64) | u128::from(stream),
        }
    }

    pub(super) fn start(self) -> Pcg64 {
        // The state is spread over all 128 bits, so that neighbouring seeds have nothing in common.
        let mut spread = Pcg64::seed_from_u64(self.seed);
        Pcg64::new(spread.random(), self.stream)
    }
}

/// Looks at places between two reports of how far a fill has come: some milliseconds.
const LOOKS: u64 = 4096;

/// Progress of a fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filling<'a> {
    /// Its name, if it has one.
    pub fill: Option<&'a str>,
    /// Bodies that have found a place.
    pub placed: u64,
    /// Bodies that are to find one; `None` for as many as there is room for.
    pub wanted: Option<u64>,
    /// Places that were looked at.
    pub looked: u64,
}

/// Tells how far a fill has come, now and then.
pub(super) struct Watched<'a, 'w> {
    now: Filling<'a>,
    watch: &'w mut dyn FnMut(&Filling<'_>),
}

impl<'a, 'w> Watched<'a, 'w> {
    /// Of a fill that begins.
    pub(super) fn new(fill: &'a Fill, watch: &'w mut dyn FnMut(&Filling<'_>)) -> Self {
        Self {
            now: Filling {
                fill: fill.name.as_deref(),
                placed: 0,
                wanted: fill.count,
                looked: 0,
            },
            watch,
        }
    }

    /// Takes in a look at a place.
    fn look(&mut self) {
        self.now.looked += 1;
        if self.now.looked.is_multiple_of(LOOKS) {
            (self.watch)(&self.now);
        }
    }
}

/// Adds the bodies of a fill to a world.
///
/// # Errors
/// [`Error::Scene`](crate::Error::Scene) if the bodies do not fit the region, a grid is too narrow for
/// them, or a mass does not fit single precision.
pub(super) fn fill(
    world: &mut World,
    fill: &Fill,
    material: u32,
    stream: Stream,
    watched: &mut Watched<'_, '_>,
    place: &Place<'_>,
) -> Result<()> {
    let mut random = stream.start();
    let recipe = Recipe::new(fill, place)?;
    let wanted = fill.count.unwrap_or(MAX_SCENE_BODIES);
    let before = world.bodies.len();
    match fill.arrangement {
        Arrangement::Grid | Arrangement::Jittered => {
            let occupied = Occupied::new(world, recipe.cell());
            let jitter = fill.jitter.unwrap_or(0.0);
            let mut taken = 0_u64;
            for site in recipe.sites(place)? {
                if (world.bodies.len() - before) as u64 == wanted {
                    break;
                }
                taken += 1;
                watched.look();
                if taken > FILL_TAKEN_PLACES {
                    return Err(place.key("region").error(
                        format!("{FILL_TAKEN_PLACES} places in a row are taken or outside"),
                        "expected a region in which there is room",
                    ));
                }
                let Some(site) = site else {
                    continue;
                };
                let offset = Vec3::from_fn(|_, _| jitter * (2.0 * random.random::<f64>() - 1.0));
                let candidate = recipe.draw(&mut random);
                let pose = Pose::new(site + offset, candidate.orientation);
                if candidate.is_free(&occupied, world, &pose) {
                    world.add(recipe.body(&candidate, pose, material, &mut random, place)?)?;
                    watched.now.placed += 1;
                    taken = 0;
                }
            }
        }
        Arrangement::Random => {
            let mut occupied = Occupied::new(world, recipe.cell());
            while ((world.bodies.len() - before) as u64) < wanted {
                let candidate = recipe.draw(&mut random);
                let free = (0..RANDOM_FILL_ATTEMPTS).find_map(|_| {
                    watched.look();
                    let at = candidate.anywhere_in(&fill.region, &mut random)?;
                    let pose = Pose::new(at, candidate.orientation);
                    candidate.is_free(&occupied, world, &pose).then_some(pose)
                });
                let Some(pose) = free else {
                    break;
                };
                let body = recipe.body(&candidate, pose, material, &mut random, place)?;
                let index = world.add(body)?;
                occupied.enter(world, index);
                watched.now.placed += 1;
            }
        }
    }
    let found = (world.bodies.len() - before) as u64;
    match fill.count {
        Some(count) if found < count => Err(place.key("count").error(
            format!("only {found} of {count} bodies found a place"),
            "expected fewer or smaller bodies, or a larger region",
        )),
        None if found == 0 => Err(place
            .key("region")
            .error("no body fits the region", "expected a larger region")),
        _ => Ok(()),
    }
}

/// What the bodies of a fill have in common.
struct Recipe<'a> {
    fill: &'a Fill,
    shapes: Vec<Shape>,
    /// Sums of the fractions up to each shape.
    shares: Vec<f64>,
    normal: Option<Normal<f64>>,
    /// The same for list values.
    weights: Vec<f64>,
    /// Box about the origin that holds every body.
    reach: Vec3,
    /// Radius of a ball about the origin that holds every body, if all are balls or turned.
    ball: Option<f64>,
}

impl<'a> Recipe<'a> {
    fn new(fill: &'a Fill, place: &Place<'_>) -> Result<Self> {
        let shapes: Vec<Shape> = fill
            .shapes
            .iter()
            .map(|mixed| shape(&mixed.shape))
            .collect::<Result<_>>()?;
        let normal = match &fill.scale {
            Scale::Normal(given) => Some(Normal::new(given.mean, given.sd).map_err(|error| {
                place.key("scale").error(
                    error.to_string(),
                    "expected a mean and a standard deviation",
                )
            })?),
            _ => None,
        };
        let weights = match &fill.scale {
            Scale::List(list) => sums(
                list.values
                    .iter()
                    .enumerate()
                    .map(|(at, _)| list.weights.as_ref().map_or(1.0, |weights| weights[at])),
            ),
            _ => Vec::new(),
        };
        let largest = largest_scale(&fill.scale);
        let reach = shapes.iter().fold(Vec3::zeros(), |reach, shape| {
            reach.sup(&reach_of(shape, fill.random_orientation))
        });
        let ball = shapes.iter().try_fold(0.0, |most: f64, shape| {
            ball_of(shape, fill.random_orientation).map(|radius| most.max(radius))
        });
        Ok(Self {
            fill,
            ball: ball.map(|radius| radius * largest),
            shares: sums(fill.shapes.iter().map(|mixed| mixed.fraction)),
            shapes,
            normal,
            weights,
            reach: reach * largest,
        })
    }

    /// Edge of the cells of a hash grid: at most the size of a large body, so that a look around meets
    /// few cells and few bodies in each.
    fn cell(&self) -> f64 {
        2.0 * self.reach.max()
    }

    /// Places of the grid, layer by layer from the bottom; nothing for those outside the region.
    fn sites(&self, place: &Place<'_>) -> Result<impl Iterator<Item = Option<Vec3>> + use<'a>> {
        let fill = self.fill;
        let jitter = fill.jitter.unwrap_or(0.0);
        let reach = self.reach.add_scalar(jitter);
        // A body can be off its place by the jitter along all three axes at once.
        let ball = self.ball.map(|radius| radius + 3.0_f64.sqrt() * jitter);
        let least = 2.0 * reach.max();
        let spacing = fill.spacing.unwrap_or(least);
        if spacing < least * (1.0 - FILL_OVERLAP_TOLERANCE) {
            return Err(place.key("spacing").error(
                format!("bodies on a grid of spacing {spacing} m can overlap"),
                format!("expected at least {least} m for the largest bodies and the jitter"),
            ));
        }
        let bounds = bounds(&fill.region);
        let room = bounds.max - bounds.min - reach * 2.0;
        // Touching the boundary counts as inside, whatever the rounding.
        let steps = (room / spacing).map(|n| (n + FILL_OVERLAP_TOLERANCE).floor());
        let places = steps.add_scalar(1.0).map(|n| n.max(0.0));
        let total = places.product();
        if total > MAX_SCENE_BODIES as f64 && fill.count.is_none() {
            return Err(place.key("region").error(
                format!("a grid of {total:e} places"),
                format!("expected at most {MAX_SCENE_BODIES}, or a `count`"),
            ));
        }
        let center = (bounds.min + bounds.max) * 0.5;
        let first = Vec3::new(
            center.x - 0.5 * steps.x * spacing,
            center.y - 0.5 * steps.y * spacing,
            bounds.min.z + reach.z,
        );
        let [nx, ny, nz] = [places.x as u64, places.y as u64, places.z as u64];
        Ok((0..nz)
            .flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
            .map(move |at| first + Vec3::from(at.map(|k| k as f64)) * spacing)
            .map(move |site| holds(&fill.region, &site, &reach, ball).then_some(site)))
    }

    fn draw(&self, random: &mut Pcg64) -> Candidate {
        let kind = pick(&self.shares, random);
        let factor = self.scale(random);
        let orientation = if self.fill.random_orientation {
            any_rotation(random)
        } else {
            Quat::identity()
        };
        let shape = self.shapes[kind].scaled(factor);
        let turned = self.fill.random_orientation;
        Candidate {
            reach: reach_of(&shape, turned),
            ball: ball_of(&shape, turned),
            shape,
            orientation,
        }
    }

    fn scale(&self, random: &mut Pcg64) -> f64 {
        match &self.fill.scale {
            Scale::Fixed(fixed) => fixed.value,
            Scale::Uniform(uniform) => {
                uniform.min + (uniform.max - uniform.min) * random.random::<f64>()
            }
            Scale::Normal(given) => {
                let Some(normal) = &self.normal else {
                    return given.mean;
                };
                // The checks of the file keep the share of the range above a third.
                loop {
                    let factor = normal.sample(random);
                    if (given.min..=given.max).contains(&factor) {
                        return factor;
                    }
                }
            }
            Scale::List(list) => list.values[pick(&self.weights, random)],
        }
    }

    fn body(
        &self,
        candidate: &Candidate,
        pose: Pose,
        material: u32,
        random: &mut Pcg64,
        place: &Place<'_>,
    ) -> Result<Body> {
        let body =
            Body::dynamic(candidate.shape.clone(), pose, self.fill.density).map_err(|e| {
                place.key("density").error(
                    e.to_string(),
                    "expected a mass and inertia within single precision",
                )
            })?;
        let velocity = if self.fill.max_speed > 0.0 {
            in_ball(random) * self.fill.max_speed
        } else {
            Vec3::zeros()
        };
        Ok(Body {
            groups: groups(&self.fill.groups),
            ..body.of_material(material).moving(velocity, Vec3::zeros())
        })
    }
}

/// A body looking for a place.
struct Candidate {
    shape: Shape,
    orientation: Quat,
    /// Half sides of a box about its origin that holds it.
    reach: Vec3,
    /// Radius of a ball about its origin that holds it, if that is the better bound.
    ball: Option<f64>,
}

impl Candidate {
    fn is_free(&self, occupied: &Occupied, world: &World, pose: &Pose) -> bool {
        let tolerance = FILL_OVERLAP_TOLERANCE * self.reach.max();
        !occupied.overlaps(world, &self.shape, pose, tolerance)
    }

    /// A place, uniform in the region as far as it holds the body; none if the try missed.
    fn anywhere_in(&self, region: &Region, random: &mut Pcg64) -> Option<Vec3> {
        let bounds = bounds(region);
        let (low, high) = (bounds.min + self.reach, bounds.max - self.reach);
        let at =
            Vec3::from_fn(|axis, _| low[axis] + (high[axis] - low[axis]) * random.random::<f64>());
        ((high - low).min() >= 0.0 && holds(region, &at, &self.reach, self.ball)).then_some(at)
    }
}

/// Least box that holds a region.
fn bounds(region: &Region) -> Aabb {
    match region {
        Region::Box(cuboid) => Aabb {
            min: vector(&cuboid.min),
            max: vector(&cuboid.max),
        },
        Region::Sphere(ball) => Aabb {
            min: vector(&ball.center).add_scalar(-ball.radius),
            max: vector(&ball.center).add_scalar(ball.radius),
        },
        Region::Cylinder(cylinder) => {
            let base = vector(&cylinder.base);
            Aabb {
                min: base - Vec3::new(cylinder.radius, cylinder.radius, 0.0),
                max: base + Vec3::new(cylinder.radius, cylinder.radius, cylinder.height),
            }
        }
    }
}

/// True if a body at `at`, for which there is room in the region's bounds, lies in the region: a ball
/// of the given radius, or without one a box of half sides `reach`.
fn holds(region: &Region, at: &Vec3, reach: &Vec3, ball: Option<f64>) -> bool {
    let within = |offset: Vec3, reach: Vec3, radius: f64| match ball {
        Some(ball) => offset.norm() + ball <= radius,
        None => (offset.abs() + reach).norm() <= radius,
    };
    match region {
        Region::Box(_) => true,
        Region::Sphere(ball) => within(at - vector(&ball.center), *reach, ball.radius),
        Region::Cylinder(cylinder) => {
            let flat = |v: Vec3| Vec3::new(v.x, v.y, 0.0);
            within(
                flat(at - vector(&cylinder.base)),
                flat(*reach),
                cylinder.radius,
            )
        }
    }
}

/// Radius of the body if it is a ball, or if it is turned and a ball must stand for it.
fn ball_of(shape: &Shape, turned: bool) -> Option<f64> {
    let round = turned || matches!(shape, Shape::Sphere { .. });
    round.then(|| shape.bounding_radius())
}

/// Half sides of a box about the origin that holds the shape, in any orientation if `turned`.
fn reach_of(shape: &Shape, turned: bool) -> Vec3 {
    if turned {
        return Vec3::repeat(shape.bounding_radius());
    }
    let bounds = shape.aabb(&Pose::identity());
    bounds.max.abs().sup(&bounds.min.abs())
}

fn largest_scale(scale: &Scale) -> f64 {
    match scale {
        Scale::Fixed(fixed) => fixed.value,
        Scale::Uniform(uniform) => uniform.max,
        Scale::Normal(normal) => normal.max,
        Scale::List(list) => list.values.iter().copied().fold(0.0, f64::max),
    }
}

/// Running sums.
fn sums(values: impl Iterator<Item = f64>) -> Vec<f64> {
    values
        .scan(0.0, |sum, value| {
            *sum += value;
            Some(*sum)
        })
        .collect()
}

/// An index, with the frequencies whose running sums are given.
fn pick(sums: &[f64], random: &mut Pcg64) -> usize {
    let total = sums.last().copied().unwrap_or(0.0);
    let at = random.random::<f64>() * total;
    sums.partition_point(|sum| *sum <= at)
        .min(sums.len().saturating_sub(1))
}

/// Uniform among all rotations (Shoemake 1992, *Uniform random rotations*).
pub(super) fn any_rotation(random: &mut Pcg64) -> Quat {
    let [u, v, w] = [(); 3].map(|()| random.random::<f64>());
    let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
    let ((sin_v, cos_v), (sin_w, cos_w)) = ((TAU * v).sin_cos(), (TAU * w).sin_cos());
    Quat::from_quaternion(Quaternion::new(b * cos_w, a * sin_v, a * cos_v, b * sin_w))
}

/// Uniform in the unit ball.
fn in_ball(random: &mut Pcg64) -> Vec3 {
    loop {
        let at = Vec3::from_fn(|_, _| 2.0 * random.random::<f64>() - 1.0);
        if at.norm_squared() <= 1.0 {
            return at;
        }
    }
}
