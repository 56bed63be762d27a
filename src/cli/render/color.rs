//! Colours of bodies.

use super::snapshot::Snapshot;
use drystone::world::{Body, Shape, World};
use std::collections::HashMap;

/// Quantity that the colour of a body shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ColorBy {
    /// Which bodies belong together: kinds of bodies, or the bodies of an instance.
    #[default]
    Group,
    /// Its material.
    Material,
    /// Its size.
    Size,
    /// Its speed.
    Speed,
    /// The largest force on it.
    Force,
    /// The cluster that it is solved in.
    Cluster,
}

/// A colour as screens show it, each part from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rgb([f64; 3]);

impl Rgb {
    pub(crate) const fn new(r: f64, g: f64, b: f64) -> Self {
        Self([r, g, b])
    }

    const fn hex(number: u32) -> Self {
        Self([
            (number >> 16 & 0xFF) as f64 / 255.0,
            (number >> 8 & 0xFF) as f64 / 255.0,
            (number & 0xFF) as f64 / 255.0,
        ])
    }

    /// Between this colour (0) and another (1).
    pub(crate) fn mix(self, other: Self, share: f64) -> Self {
        Self(std::array::from_fn(|part| {
            self.0[part] + (other.0[part] - self.0[part]) * share
        }))
    }

    /// Lighter (above 1) or darker.
    fn lit(self, factor: f64) -> Self {
        Self(self.0.map(|part| (part * factor).min(1.0)))
    }

    /// As light.
    pub(crate) fn linear(self) -> [f32; 3] {
        self.0.map(|part| {
            let linear = if part <= 0.040_45 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            };
            linear as f32
        })
    }

    /// As bytes.
    pub(crate) fn bytes(self) -> [u8; 3] {
        self.0
            .map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8)
    }
}

/// Colours that go together, the first for the largest group.
const PALETTE: [Rgb; 8] = [
    Rgb::hex(0x8FAEC4),
    Rgb::hex(0xE0764A),
    Rgb::hex(0xE7C583),
    Rgb::hex(0x7FA68C),
    Rgb::hex(0x5D7EA3),
    Rgb::hex(0xC98B97),
    Rgb::hex(0xD9CDB8),
    Rgb::hex(0x9A86AD),
];
/// For bodies that are all of one kind: each its own, so that a crowd does not become a mass.
const MIXED: [Rgb; 6] = [
    Rgb::hex(0xE9DBBF),
    Rgb::hex(0xE3B778),
    Rgb::hex(0xD98A5F),
    Rgb::hex(0x8FAEC4),
    Rgb::hex(0x64879F),
    Rgb::hex(0xC7CFCB),
];
/// From little to much.
const SCALE: [Rgb; 6] = [
    Rgb::hex(0x2E3A66),
    Rgb::hex(0x35688C),
    Rgb::hex(0x46958E),
    Rgb::hex(0x8DBB78),
    Rgb::hex(0xE3CF6C),
    Rgb::hex(0xF28B50),
];
/// Of what does not move.
const STILL: Rgb = Rgb::hex(0xB9B7B2);
/// A body that has nothing to tell.
const MUTE: Rgb = Rgb::hex(0xC9C7C2);

/// A colour of a scale, of a share from 0 to 1.
pub(crate) fn scale(share: f64) -> Rgb {
    let at = share.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let below = (at.floor() as usize).min(SCALE.len() - 2);
    SCALE[below].mix(SCALE[below + 1], at - below as f64)
}

/// A number in [0, 1) that differs from index to index.
fn scattered(index: u32) -> f64 {
    let mut hash = index.wrapping_mul(0x9E37_79B1) ^ 0x5BD1_E995;
    hash = (hash ^ hash >> 15).wrapping_mul(0x2C1B_3C6D);
    hash = (hash ^ hash >> 12).wrapping_mul(0x297A_2D39);
    f64::from((hash ^ hash >> 15) >> 8) / f64::from(1 << 24)
}

/// Meaning of the colours of a run: the unit, and the values at both ends of the scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Legend {
    pub(crate) title: &'static str,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

/// A rule that gives bodies colours, the same in all pictures of a run.
pub(crate) struct Colors {
    by: ColorBy,
    /// Of each body, where it is the same at all times.
    fixed: Vec<Rgb>,
    /// Values at the ends of the scale, where colours change with time.
    ends: (f64, f64),
    /// True if these are of values that were seen.
    #[cfg(feature = "view")]
    is_measured: bool,
}

impl Colors {
    pub(crate) fn new(by: ColorBy, world: &World, snapshots: &[Snapshot]) -> Self {
        let sizes: Vec<f64> = world.bodies.iter().map(size).collect();
        let (mut fixed, mut ends) = (Vec::new(), (0.0, 1.0));
        #[cfg(feature = "view")]
        let mut is_measured = false;
        match by {
            ColorBy::Group => fixed = groups(world, &sizes),
            ColorBy::Material => {
                fixed = each(world, |_, body| {
                    PALETTE[body.material as usize % PALETTE.len()]
                });
            }
            ColorBy::Size => {
                ends = dynamic_range(world, sizes.iter().copied());
                fixed = each(world, |index, _| scale(share(sizes[index], ends)));
            }
            ColorBy::Speed | ColorBy::Force => {
                let all = snapshots
                    .iter()
                    .flat_map(|snapshot| values(by, world, snapshot));
                if let Some(most) = most(all) {
                    ends.1 = most;
                    #[cfg(feature = "view")]
                    {
                        is_measured = true;
                    }
                }
            }
            ColorBy::Cluster => {}
        }
        Self {
            by,
            fixed,
            ends,
            #[cfg(feature = "view")]
            is_measured,
        }
    }

    /// Widens the scale to the values of a moment.
    #[cfg(feature = "view")]
    pub(crate) fn follow(&mut self, world: &World, snapshot: &Snapshot) {
        match self.by {
            ColorBy::Speed | ColorBy::Force => {
                if let Some(most) = most(values(self.by, world, snapshot).into_iter()) {
                    self.ends.1 = if self.is_measured {
                        self.ends.1.max(most)
                    } else {
                        most
                    };
                    self.is_measured = true;
                }
            }
            ColorBy::Group | ColorBy::Material | ColorBy::Size | ColorBy::Cluster => {}
        }
    }

    /// Colours of all bodies in a picture.
    pub(crate) fn of(&self, world: &World, snapshot: &Snapshot) -> Vec<Rgb> {
        match self.by {
            ColorBy::Group | ColorBy::Material | ColorBy::Size => self.fixed.clone(),
            ColorBy::Speed | ColorBy::Force => {
                let values = values(self.by, world, snapshot);
                each(world, |index, _| scale(share(values[index], self.ends)))
            }
            ColorBy::Cluster => each(world, |index, _| match snapshot.clusters.get(index) {
                Some(&cluster) if cluster != u32::MAX => {
                    let shade = 0.85 + 0.25 * scattered(cluster.wrapping_add(77));
                    PALETTE[(scattered(cluster) * 8.0) as usize % PALETTE.len()].lit(shade)
                }
                _ => MUTE,
            }),
        }
    }

    /// Legend of the scale, if colours are on one.
    pub(crate) fn legend(&self) -> Option<Legend> {
        let title = match self.by {
            ColorBy::Size => "radius [m]",
            ColorBy::Speed => "speed [m/s]",
            ColorBy::Force => "largest force [N]",
            ColorBy::Group | ColorBy::Material | ColorBy::Cluster => return None,
        };
        Some(Legend {
            title,
            least: self.ends.0,
            most: self.ends.1,
        })
    }
}

fn each(world: &World, color: impl Fn(usize, &Body) -> Rgb) -> Vec<Rgb> {
    let of = |(index, body): (usize, &Body)| {
        if body.is_dynamic() {
            color(index, body)
        } else {
            STILL
        }
    };
    world.bodies.iter().enumerate().map(of).collect()
}

fn size(body: &Body) -> f64 {
    let radius = body.shape.bounding_radius();
    if radius.is_finite() { radius } else { 0.0 }
}

fn share(value: f64, (least, most): (f64, f64)) -> f64 {
    if most > least {
        (value - least) / (most - least)
    } else {
        0.5
    }
}

fn dynamic_range(world: &World, values: impl Iterator<Item = f64>) -> (f64, f64) {
    values
        .zip(&world.bodies)
        .filter(|(_, body)| body.is_dynamic())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (value, _)| {
            (a.min(value), b.max(value))
        })
}

/// Values of all bodies on the scale of a picture.
fn values(by: ColorBy, world: &World, snapshot: &Snapshot) -> Vec<f64> {
    match by {
        ColorBy::Speed => snapshot.speeds(),
        _ => {
            let mut largest = vec![0.0_f64; world.bodies.len()];
            for force in &snapshot.forces {
                for body in force.bodies {
                    if let Some(of) = largest.get_mut(body as usize) {
                        *of = of.max(force.size);
                    }
                }
            }
            largest
        }
    }
}

/// Value at the upper end of a scale: few bodies are much faster than all others, and a scale up to them would show nothing.
fn most(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut all: Vec<f64> = values.filter(|value| *value > 0.0).collect();
    let rank = all.len().checked_sub(1)? * 98 / 100;
    Some(*all.select_nth_unstable_by(rank, f64::total_cmp).1)
}

/// Kinds of bodies, by instance, shape and rough size; the largest group has the quietest colour.
fn groups(world: &World, sizes: &[f64]) -> Vec<Rgb> {
    // Bodies `doll.17.arm` belong to `doll.17`; links of a chain, `rope.3`, to `rope`.
    let family = |body: &Body| -> Option<String> {
        let name = body.name.as_deref()?;
        let (family, _) = name.rsplit_once('.')?;
        Some(family.to_owned())
    };
    let kind = |index: usize, body: &Body| {
        let shape = match &body.shape {
            Shape::Sphere { .. } => 0,
            Shape::Box { .. } => 1,
            Shape::Capsule { .. } => 2,
            Shape::Polyhedron(_) => 3,
            Shape::Cylinder { .. } => 5,
            Shape::Cone { .. } => 6,
            _ => 4,
        };
        // Sizes within a factor of two or so are the same.
        let octave = (sizes[index].max(1e-12).log2() / 1.3).round() as i32;
        match family(body) {
            Some(family) => (Some(family), 0, 0, 0),
            None => (None, body.material, shape, octave),
        }
    };
    let mut counts: HashMap<_, (usize, usize)> = HashMap::new();
    for (index, body) in world
        .bodies
        .iter()
        .enumerate()
        .filter(|(_, b)| b.is_dynamic())
    {
        counts.entry(kind(index, body)).or_insert((0, index)).0 += 1;
    }
    let mut order: Vec<_> = counts.into_iter().collect();
    order.sort_by_key(|(_, (count, first))| (std::cmp::Reverse(*count), *first));
    let ranks: HashMap<_, usize> = order
        .iter()
        .enumerate()
        .map(|(rank, (kind, _))| (kind.clone(), rank))
        .collect();
    let are_alike = ranks.len() == 1;
    each(world, |index, body| {
        let shade = 0.93 + 0.14 * scattered(index as u32);
        let color = if are_alike {
            MIXED[(scattered(index as u32 ^ 0x00A5_5A00) * 6.0) as usize % MIXED.len()]
        } else {
            let rank = ranks.get(&kind(index, body)).copied().unwrap_or(0);
            PALETTE[rank % PALETTE.len()]
        };
        color.lit(shade)
    })
}
