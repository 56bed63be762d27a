//! Every field of a saved state matters: where it is lost or changed, the next steps are others, or the state is refused.
//!
//! A state is read into a tree of names and values. Of one field after the other, all values in the state are changed, then set to
//! nothing, and the simulation goes on from what that makes. A field that nothing depends on would be one that need not be saved.

use super::{bits_of, cpu, mixed, mixed_with, of_file, scene, state_of};
use crate::support::rings;
use ciborium::Value;
use drystone::internals::saved::SavedState;
use drystone::step::Simulation;
use std::collections::BTreeSet;
use std::path::Path;

/// Steps that are compared.
const STEPS: u64 = 12;

/// Ways to lose a field.
#[derive(Debug, Clone, Copy)]
enum Loss {
    /// Numbers are a little off, and truths are others.
    Changed,
    /// Numbers are far off, to either side.
    Blown,
    Opposite,
    /// Numbers are 0, and truths false.
    Zeroed,
    /// Lists are empty, and what may be missing is.
    Emptied,
}

/// Names of a tree's fields, from its root on; those in the elements of a list have one name for all elements.
fn fields(tree: &Value, name: &str, found: &mut BTreeSet<String>) {
    match tree {
        Value::Map(entries) => {
            for (key, value) in entries {
                let key = key.as_text().unwrap();
                fields(value, &format!("{name}.{key}"), found);
            }
        }
        Value::Array(values) => {
            // Components of a vector are no fields, but there may be fields in what a list holds.
            found.insert(name.to_owned());
            let values = values
                .iter()
                .filter(|value| value.is_map() || value.is_array());
            for value in values {
                fields(value, &format!("{name}[]"), found);
            }
        }
        // It may be there, and is not.
        Value::Null => {}
        _ => drop(found.insert(name.to_owned())),
    }
}

/// Changes all of a field in a tree; true if there is something to change.
fn lose(tree: &mut Value, name: &str, lost: &str, loss: Loss) -> bool {
    if name == lost {
        return lose_value(tree, loss);
    }
    if !lost.starts_with(name) {
        return false;
    }
    match tree {
        Value::Map(entries) => entries.iter_mut().fold(false, |any, (key, value)| {
            let name = format!("{name}.{}", key.as_text().unwrap());
            lose(value, &name, lost, loss) | any
        }),
        Value::Array(values) => values.iter_mut().fold(false, |any, value| {
            lose(value, &format!("{name}[]"), lost, loss) | any
        }),
        _ => false,
    }
}

fn lose_value(value: &mut Value, loss: Loss) -> bool {
    let before = value.clone();
    match (&mut *value, loss) {
        (Value::Array(values), Loss::Emptied) => values.clear(),
        (Value::Map(_), Loss::Emptied) => *value = Value::Null,
        (Value::Array(values), _) => {
            for value in values {
                lose_value(value, loss);
            }
        }
        (Value::Map(entries), _) => {
            for (_, value) in entries {
                lose_value(value, loss);
            }
        }
        (Value::Float(x), Loss::Changed) if x.is_finite() => *x += 1e-4 + 1e-3 * x.abs(),
        (Value::Float(x), Loss::Blown) if x.is_finite() => *x = 1e3 * *x + 1.0,
        (Value::Float(x), Loss::Opposite) if x.is_finite() => *x = -1e3 * *x - 1.0,
        (Value::Float(x), _) => *x = 0.0,
        (Value::Integer(n), Loss::Changed | Loss::Opposite) => {
            *n = (i128::from(*n) ^ 1).try_into().unwrap();
        }
        (Value::Integer(n), Loss::Blown) => *n = (i128::from(*n) + 1000).try_into().unwrap(),
        (Value::Integer(n), Loss::Zeroed) => *n = 0.into(),
        (Value::Bool(is), Loss::Changed | Loss::Blown | Loss::Opposite) => *is = !*is,
        (Value::Bool(is), Loss::Zeroed) => *is = false,
        (Value::Null | Value::Integer(_) | Value::Bool(_), _) => {}
        (other, _) => panic!("{other:?} in a state"),
    }
    *value != before
}

/// All that a simulation shows at a state, and the steps from there on, in bits, up to the first that is not as `expected`; nothing if
/// the state is refused.
fn go_on(
    simulation: &mut Simulation,
    state: &[u8],
    expected: Option<&[Vec<u64>]>,
) -> Option<Vec<Vec<u64>>> {
    simulation.restore(state).ok()?;
    let depths = simulation.penetration();
    let rest = simulation.energy_balance().map(|balance| balance.rest());
    let mut seen = vec![vec![
        depths.max.to_bits(),
        depths.mean.to_bits(),
        depths.count as u64,
        rest.unwrap_or(0.0).to_bits(),
    ]];
    for _ in 0..STEPS {
        // A step that fails is another one than it was.
        let Ok(report) = simulation.step() else {
            return Some(seen);
        };
        let mut bits = bits_of(&report);
        bits.extend([report.witnesses.pairs, report.witnesses.searched]);
        let is_other = expected.is_some_and(|expected| expected.get(seen.len()) != Some(&bits));
        seen.push(bits);
        if is_other {
            return Some(seen);
        }
    }
    seen.push(state_of(simulation));
    if let Some(balance) = simulation.energy_balance() {
        let parts = [
            balance.start,
            balance.loads,
            balance.motions,
            balance.drives,
            balance.impacts,
            balance.friction,
            balance.joints,
            balance.error,
        ];
        seen.push(parts.map(f64::to_bits).to_vec());
    }
    Some(seen)
}

/// A scene that is about to be stepped.
fn simulation_of(text: &str) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/papers/mutated.toml");
    let scene = scene(&path, text);
    Simulation::new(scene.world, scene.settings, cpu()).unwrap()
}

/// Fields that no step here shows, and why they are saved.
const OTHER: [(&str, &str); 6] = [
    (
        "state.world.radii",
        "tells the bodies of a checkpoint from others where another scene starts from it",
    ),
    ("state.carried.event[].features", ONE_OF_A_CONTACT),
    (
        "state.carried.event[].features[].Plane.normal",
        ONE_OF_A_CONTACT,
    ),
    (
        "state.carried.event[].features[].Plane.offset",
        ONE_OF_A_CONTACT,
    ),
    (
        "state.carried.event[].features[].Point.at",
        ONE_OF_A_CONTACT,
    ),
    (
        "state.carried.event[].features[].Point.radius",
        ONE_OF_A_CONTACT,
    ),
];
const ONE_OF_A_CONTACT: &str = "a contact that rested is told from others by its features";

/// Cubes of 5 cm above each other, a fiftieth of a side apart, that fall onto each other: what stands on what changes while the number of contacts does not.
fn column() -> String {
    let cubes = (0..14).map(|cube| {
        let height = 0.026 + 0.051 * f64::from(cube);
        format!(
            "[[body]]\nposition = [0, 0, {height}]\nshape = {{ type = \"box\", half_extents = [0.025, 0.025, 0.025] }}\ndensity = 1000\n"
        )
    });
    let ground = "name = \"column\"\n[simulation]\ndt = 0.01\nsteps = 100\n[[body]]\nkind = \"fixed\"\nshape = { type = \"half_space\", normal = [0, 0, 1] }\n";
    ground.to_owned() + &cubes.collect::<String>()
}

/// Two balls that roll while others rest, one towards a block and the other, far away, towards a wall of the same unbounded body: only their pairs are
/// found anew.
fn wall() -> String {
    let ball = |[x, y]: [f64; 2], speed: f64| {
        format!(
            "[[body]]\nposition = [{x}, {y}, 0.1]\nlinear_velocity = [{speed}, 0, 0]\nangular_velocity = [0, {}, 0]\nshape = {{ type = \"sphere\", radius = 0.1 }}\ndensity = 1000\n",
            10.0 * speed
        )
    };
    let still = (0..30).map(|at| ball([0.5 * f64::from(at) - 10.0, -5.0], 0.0));
    let moving = [[7.0, -1000.0], [3.7, 3.0]].map(|place| ball(place, 2.0));
    let fixed = r#"
name = "wall"
[simulation]
dt = 0.01
steps = 120
[[body]]
kind = "fixed"
shape = { type = "half_space", normal = [0, 0, 1] }
[[body]]
kind = "fixed"
shape = { type = "compound", parts = [
    { shape = { type = "half_space", normal = [-1, 0, 0] }, position = [9, 0, 0] },
    { shape = { type = "box", half_extents = [0.2, 0.5, 1] }, position = [6, 3, 0] },
] }
"#;
    fixed.to_owned() + &still.chain(moving).collect::<String>()
}

/// A ball that is hit within a step, and then hits two others.
fn struck() -> String {
    let start = "name = \"struck\"\n[simulation]\ndt = 0.01\nsteps = 60\ngravity = [0, 0, 0]\n[materials.default]\nrestitution = 0.5\n";
    let balls = [
        ([-1.2, 0.0], 0.3, 12.0),
        ([0.0, 0.0], 0.1, 0.0),
        ([0.19, 0.13], 0.1, 0.0),
        ([0.19, -0.13], 0.1, 0.0),
    ];
    let balls = balls.map(|([x, y], radius, speed)| {
        format!(
            "[[body]]\nposition = [{x}, {y}, 0]\nlinear_velocity = [{speed}, 0, 0]\nshape = {{ type = \"sphere\", radius = {radius} }}\ndensity = 1000\n"
        )
    });
    start.to_owned() + &balls.concat()
}

#[test]
fn no_field_of_a_state_is_saved_for_nothing() {
    let few = |text: String| text.replace("count = 70", "count = 25");
    // In a box that is not shaken, without a motor and a rope that breaks: it comes to rest.
    let resting = |text: String| {
        few(text)
            .replace("motion = {", "#")
            .replace("motor = {", "#")
            .replace("force = [0, 60.0, 0]", "force = [0, 0.1, 0]")
    };
    // The same without joints, on a ledge beside a half-space, in two materials.
    let free = |text: String| {
        let text = resting(text);
        let (bodies, rest) = text.split_once("[[joint]]").unwrap();
        let (_, fill) = rest.split_once("[[fill]]").unwrap();
        let text = format!("{bodies}[[fill]]{fill}");
        text + r#"
[[body]]
name = "ledge"
kind = "fixed"
position = [3, 0, 0]
shape = { type = "compound", parts = [
    { shape = { type = "half_space", normal = [0, 0, 1] } },
    { shape = { type = "box", half_extents = [0.5, 0.5, 1.5] } },
] }
# Two that land when all others rest, at the last moments.
[[body]]
name = "late"
shape = { type = "sphere", radius = 0.1 }
position = [600, 200, 78.6]
density = 800
[[body]]
name = "late_on_the_ledge"
shape = { type = "sphere", radius = 0.1 }
position = [3, 0, 80.1]
density = 800
[[body]]
name = "thrown"
shape = { type = "box", half_extents = [0.1, 0.1, 0.1] }
position = [2.4, 0, 0.6]
linear_velocity = [0.4, 0, 0]
angular_velocity = [0, 1, 3]
density = 800
[[body]]
name = "rolling"
shape = { type = "sphere", radius = 0.1 }
position = [4.5, 0, 0.1]
linear_velocity = [1.4, 0.3, 0]
density = 800
[[probe]]
type = "energy_balance"
name = "energy"
"#
    };
    let post = "[stabilization]\nmethod = \"post\"";
    // Those that land late do so at one of these, whenever the others have come to rest.
    let late: Vec<u64> = [10, 35, 60]
        .into_iter()
        .chain((388..404).step_by(2))
        .collect();
    let rings = rings::chain_of_rings(30.0, 1.0 / 120.0);
    let scenes: [(&str, String, &[u64]); 15] = [
        ("default", few(mixed("")), &[25, 35]),
        ("resting", resting(mixed("")), &[40, 120]),
        ("free", free(mixed("")), &late),
        ("sweep", few(mixed("broadphase = \"sweep\"")), &[25]),
        ("post", few(mixed_with(post)), &[25]),
        (
            "resting, post",
            resting(mixed_with(post)),
            &[40, 60, 80, 100, 120],
        ),
        ("stack", of_file("basics/stack30"), &[60]),
        ("column", column(), &[1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15]),
        ("rings", rings, &[10, 20, 30, 40]),
        ("struck", struck(), &[4, 5, 6, 7]),
        ("wall", wall(), &[70, 78, 82, 86, 90, 94]),
        ("hopper", of_file("granular/hopper"), &[60]),
        ("drum", of_file("granular/drum"), &[30, 90]),
        ("event stepper", of_file("papers/baraff_drop"), &[60, 150]),
        ("beam", of_file("joints/breaking_beam"), &[20]),
    ];
    let (mut all, mut shown) = (BTreeSet::new(), BTreeSet::new());
    for (name, text, moments) in scenes {
        let mut simulation = simulation_of(&text);
        for &moment in moments {
            while simulation.steps() < moment {
                simulation.step().unwrap();
            }
            let saved = simulation.save().unwrap();
            let found = fields_that_matter(&mut simulation, &saved, &mut shown);
            println!("{name} after {moment}: {} fields", found.len());
            all.extend(found);
            simulation.restore(&saved).unwrap();
        }
    }
    let other: BTreeSet<String> = OTHER.iter().map(|(field, _)| (*field).to_owned()).collect();
    let needless: Vec<_> = all
        .difference(&shown)
        .filter(|&field| !other.contains(field))
        .collect();
    assert!(all.len() > 50, "{all:?}");
    assert!(needless.is_empty(), "{needless:#?}");
    assert!(
        other.is_disjoint(&shown) && other.is_subset(&all),
        "matter: {:?}, are not there: {:?}",
        other.intersection(&shown).collect::<Vec<_>>(),
        other.difference(&all).collect::<Vec<_>>()
    );
}

/// Fields of a state; those without which the simulation goes on in another way, or not at all, are added to those that were `shown` before.
fn fields_that_matter(
    simulation: &mut Simulation,
    saved: &[u8],
    shown: &mut BTreeSet<String>,
) -> BTreeSet<String> {
    let state: SavedState = postcard::from_bytes(saved).unwrap();
    let tree = Value::serialized(&state).unwrap();
    // The tree holds all of it.
    let again: SavedState = tree.deserialized().unwrap();
    assert!(postcard::to_stdvec(&again).unwrap() == saved);
    let whole = go_on(simulation, saved, None).unwrap();
    assert!(go_on(simulation, saved, None).unwrap() == whole);
    let mut found = BTreeSet::new();
    fields(&tree, "state", &mut found);
    for field in &found {
        if shown.contains(field) {
            continue;
        }
        let losses = [
            Loss::Changed,
            Loss::Blown,
            Loss::Opposite,
            Loss::Zeroed,
            Loss::Emptied,
        ];
        let matters = losses.into_iter().any(|loss| {
            let mut lost = tree.clone();
            if !lose(&mut lost, "state", field, loss) {
                return false;
            }
            // A tree of another form proves nothing.
            let Ok(state) = lost.deserialized::<SavedState>() else {
                return false;
            };
            let bytes = postcard::to_stdvec(&state).unwrap();
            go_on(simulation, &bytes, Some(&whole)).is_none_or(|seen| seen != whole)
        });
        if matters {
            shown.insert(field.clone());
        }
    }
    found
}
