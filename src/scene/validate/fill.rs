//! Checks of fills.

use super::number::{finite, length, not_negative, position, positive};
use super::{Names, body, count};
use crate::constants::MAX_SCENE_BODIES;
use crate::error::Result;
use crate::scene::place::Place;
use crate::scene::schema::{Arrangement, Fill, Region, Scale};

pub(super) fn fill(fill: &Fill, names: &Names<'_>, place: &Place<'_>) -> Result<()> {
    region(&fill.region, &place.key("region"))?;
    if let Some(bodies) = fill.count {
        count(bodies, MAX_SCENE_BODIES, "bodies", &place.key("count"))?;
    }
    arrangement(fill, place)?;
    super::seed(fill.seed, place)?;
    if fill.shapes.is_empty() {
        return Err(place
            .key("shapes")
            .error("there are no shapes", "expected at least one"));
    }
    for (index, mixed) in fill.shapes.iter().enumerate() {
        let place = place.key("shapes").at(index);
        body::shape(&mixed.shape, true, &place.key("shape"))?;
        positive(mixed.fraction, "the fraction", &place.key("fraction"))?;
    }
    scale(&fill.scale, &place.key("scale"))?;
    positive(fill.density, "the density", &place.key("density"))?;
    names.material(&fill.material, &place.key("material"))?;
    body::groups(&fill.groups, &place.key("groups"))?;
    not_negative(fill.max_speed, "the speed", &place.key("max_speed"))
}

fn arrangement(fill: &Fill, place: &Place<'_>) -> Result<()> {
    if let Some(spacing) = fill.spacing {
        length(spacing, "the spacing", &place.key("spacing"))?;
        if fill.arrangement == Arrangement::Random {
            return Err(place.name_of("spacing").error(
                "a spacing of a random arrangement",
                "expected it with `grid` or `jittered` only",
            ));
        }
    }
    match (fill.arrangement, fill.jitter) {
        (Arrangement::Jittered, Some(jitter)) => {
            positive(jitter, "the jitter", &place.key("jitter"))
        }
        (Arrangement::Jittered, None) => Err(place
            .key("arrangement")
            .error("a jittered grid without a jitter", "add `jitter = ...` [m]")),
        (_, Some(_)) => Err(place.name_of("jitter").error(
            "a jitter of an arrangement that is not jittered",
            "expected it with `arrangement = \"jittered\"` only",
        )),
        (_, None) => Ok(()),
    }
}

fn region(region: &Region, place: &Place<'_>) -> Result<()> {
    match region {
        Region::Box(cuboid) => {
            position(&cuboid.min, &place.key("min"))?;
            position(&cuboid.max, &place.key("max"))?;
            for (at, axis) in ["x", "y", "z"].iter().enumerate() {
                if cuboid.min[at] >= cuboid.max[at] {
                    return Err(place.key("max").at(at).error(
                        format!(
                            "{axis} ends at {}, before it begins at {}",
                            cuboid.max[at], cuboid.min[at]
                        ),
                        "expected every number of `max` above that of `min`",
                    ));
                }
            }
            Ok(())
        }
        Region::Sphere(ball) => {
            position(&ball.center, &place.key("center"))?;
            length(ball.radius, "the radius", &place.key("radius"))
        }
        Region::Cylinder(cylinder) => {
            position(&cylinder.base, &place.key("base"))?;
            length(cylinder.radius, "the radius", &place.key("radius"))?;
            length(cylinder.height, "the height", &place.key("height"))
        }
    }
}

fn scale(scale: &Scale, place: &Place<'_>) -> Result<()> {
    let range = |min: f64, max: f64| {
        positive(min, "the least factor", &place.key("min"))?;
        finite(max, "the greatest factor", &place.key("max"))?;
        if min < max {
            return Ok(());
        }
        Err(place.key("max").error(
            format!("the greatest factor {max} is not above the least {min}"),
            "expected `max` above `min`",
        ))
    };
    match scale {
        Scale::Fixed(fixed) => positive(fixed.value, "the factor", &place.key("value")),
        Scale::Uniform(uniform) => range(uniform.min, uniform.max),
        Scale::Normal(normal) => {
            range(normal.min, normal.max)?;
            super::within(
                normal.mean,
                normal.min,
                normal.max,
                "the mean",
                &place.key("mean"),
            )?;
            positive(normal.sd, "the standard deviation", &place.key("sd"))?;
            // A wider one is nearly uniform over the range, and drawing from it would seldom hit.
            if normal.sd <= normal.max - normal.min {
                return Ok(());
            }
            Err(place.key("sd").error(
                format!("the standard deviation {} exceeds the range", normal.sd),
                "expected at most `max - min`; for a flatter distribution use `uniform`",
            ))
        }
        Scale::List(list) => {
            let place_of = |key: &str, at: usize| place.key(key).at(at);
            if list.values.is_empty() {
                return Err(place
                    .key("values")
                    .error("there are no factors", "expected at least one"));
            }
            for (at, &value) in list.values.iter().enumerate() {
                positive(value, "the factor", &place_of("values", at))?;
            }
            let Some(weights) = &list.weights else {
                return Ok(());
            };
            for (at, &weight) in weights.iter().enumerate() {
                not_negative(weight, "the weight", &place_of("weights", at))?;
            }
            if weights.len() != list.values.len() {
                return Err(place.key("weights").error(
                    format!("{} weights of {} factors", weights.len(), list.values.len()),
                    "expected one weight for each factor",
                ));
            }
            if weights.iter().sum::<f64>() > 0.0 {
                return Ok(());
            }
            Err(place
                .key("weights")
                .error("all weights are 0", "expected one above 0"))
        }
    }
}
