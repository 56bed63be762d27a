//! A simulation that was saved and restored goes on to the same bits.

mod mutations;

#[cfg(feature = "gpu")]
use crate::support::adapter;
use drystone::Error;
use drystone::scene::{Checkpoint, Overrides, Scene};
use drystone::solver::Solver;
use drystone::solver::cpu::CpuSolver;
use drystone::solver::nsgs::NsgsSolver;
use drystone::step::{Simulation, StepReport};
use proptest::prelude::{Just, Strategy, any};
use proptest::test_runner::{Config, TestRunner};
use std::path::Path;

/// Spheres, boxes, capsules and rocks shaken in a box with a hinge that is driven, a rope that breaks and a push.
const MIXED: &str = r#"
name = "mixed"
[simulation]
dt = 0.01
steps = 90
seed = 5
[materials.default]
restitution = 0.3
friction = 0.4
[[container]]
name = "box"
inner = [1.6, 1.6, 3]
motion = { type = "sinusoidal", amplitude = [0.01, 0, 0.05], frequency = 4 }
[[body]]
name = "hub"
shape = { type = "sphere", radius = 0.4 }
position = [0, 0, 0.45]
density = 1000
[[body]]
name = "arm"
shape = { type = "box", half_extents = [0.3, 0.05, 0.05] }
position = [0.3, 0.5, 0.6]
density = 900
[[joint]]
name = "motor"
type = "hinge"
a = "arm"
anchor = [0.0, 0.5, 0.6]
axis = [0, 0, 1]
limits = [-1.0, 1.0]
motor = { type = "velocity", target = 3.0, max_force = 8.0 }
[[chain]]
name = "rope"
count = 6
start = [-0.6, -0.6, 2.0]
end = [0.6, -0.6, 2.0]
sag = 0.3
shape = { type = "capsule", radius = 0.03, half_length = 0.06 }
mass = 0.4
joint = { type = "ball", breaking_force = 25.0 }
pin = "both"
[[load]]
body = "hub"
force = [0, 60.0, 0]
from = 0.2
until = 0.4
[[fill]]
region = { type = "box", min = [-0.75, -0.75, 0.1], max = [0.75, 0.75, 2.9] }
arrangement = "random"
count = 70
density = 1000
random_orientation = true
scale = { type = "uniform", min = 0.8, max = 1.2 }
shapes = [
    { shape = { type = "sphere", radius = 0.1 } },
    { shape = { type = "box", half_extents = [0.1, 0.09, 0.07] } },
    { shape = { type = "capsule", radius = 0.06, half_length = 0.06 } },
    { shape = { type = "rock", points = 20, radii = [0.1, 0.09, 0.08], seed = 3 } },
    { shape = { type = "cylinder", radius = 0.07, half_length = 0.08 } },
]
"#;

/// The same with other keys in its first table.
fn mixed(keys: &str) -> String {
    MIXED.replace("seed = 5\n", &format!("seed = 5\n{keys}\n"))
}

/// The same with a table before its materials.
fn mixed_with(table: &str) -> String {
    MIXED.replace(
        "[materials.default]",
        &format!("{table}\n[materials.default]"),
    )
}

fn scene(path: &Path, text: &str) -> Scene {
    Scene::parse(path, text, &Overrides::default()).unwrap()
}

fn of_file(name: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    std::fs::read_to_string(format!("{root}/scenes/{name}.toml")).unwrap()
}

fn cpu() -> Box<dyn Solver> {
    Box::new(CpuSolver::new())
}

/// A step's report in bits, but for times.
fn bits_of(report: &StepReport) -> Vec<u64> {
    let mut bits = vec![
        report.step,
        report.time.to_bits(),
        report.contacts as u64,
        report.substeps.into(),
        report.contact_updates.into(),
        report.velocity.iterations.into(),
        report.velocity.residual_rms.to_bits().into(),
        report.velocity.residual_max.to_bits().into(),
        report.broken_joints as u64,
        report.joints.linear_max.to_bits(),
        report.penetration.max.to_bits(),
        report.penetration.mean.to_bits(),
        report.energy.kinetic.to_bits(),
        report.energy.potential.to_bits(),
    ];
    bits.extend(
        report
            .position
            .map(|found| u64::from(found.residual_max.to_bits())),
    );
    bits
}

/// The bodies in bits.
fn state_of(simulation: &Simulation) -> Vec<u64> {
    let bodies = simulation.world().bodies.iter();
    bodies
        .flat_map(|body| {
            let numbers = body.pose.position.iter();
            let numbers = numbers.chain(body.pose.orientation.coords.iter());
            let numbers = numbers.chain(body.linear_velocity.iter());
            let numbers = numbers.chain(body.angular_velocity.iter());
            numbers.map(|x| x.to_bits()).collect::<Vec<_>>()
        })
        .collect()
}

/// Runs a scene to its end in one go; then again, saved and restored into another simulation after every `every`-th step.
fn goes_on_to_the_same_bits(
    name: &str,
    text: &str,
    (steps, every): (u64, u64),
    solver: impl Fn() -> Box<dyn Solver>,
) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/{name}.toml"));
    let begin = || {
        let scene = scene(&path, text);
        Simulation::new(scene.world, scene.settings, solver()).unwrap()
    };
    let mut whole = begin();
    let reports: Vec<_> = (0..steps)
        .map(|_| bits_of(&whole.step().unwrap()))
        .collect();
    let mut parts = begin();
    for step in 0..steps {
        if step % every == 0 {
            let saved = parts.save().unwrap();
            parts = begin();
            parts.restore(&saved).unwrap();
            assert!(
                saved == parts.save().unwrap(),
                "{name}: saved again at {step}"
            );
        }
        let report = bits_of(&parts.step().unwrap());
        assert_eq!(report, reports[step as usize], "{name}, step {}", step + 1);
    }
    assert!(state_of(&whole) == state_of(&parts), "{name}: bodies");
    assert_eq!(whole.contacts(), parts.contacts(), "{name}");
    let broken = |simulation: &Simulation| -> Vec<bool> {
        let joints = simulation.world().joints.iter();
        joints.map(|joint| joint.broken).collect()
    };
    assert_eq!(broken(&whole), broken(&parts), "{name}");
}

#[test]
fn every_kind_of_step_goes_on_to_the_same_bits() {
    let own = [
        ("default", MIXED.to_owned(), 1),
        ("default", MIXED.to_owned(), 7),
        ("divided", mixed("substeps = 4"), 5),
        ("sweep", mixed("broadphase = \"sweep\""), 5),
        ("post", mixed_with("[stabilization]\nmethod = \"post\""), 5),
        ("events of contacts", mixed("contacts = \"events\""), 30),
        ("cold", mixed_with("[solver]\nwarm_start = false"), 20),
        ("jacobi", mixed_with("[solver]\nmethod = \"jacobi\""), 20),
        (
            "nesterov",
            mixed_with("[solver]\nmethod = \"nesterov\"\niterations = 8"),
            20,
        ),
        ("cluster", mixed_with("[solver]\nmethod = \"cluster\""), 20),
    ];
    for (name, text, every) in own {
        goes_on_to_the_same_bits(name, &text, (60, every), cpu);
    }
    goes_on_to_the_same_bits("nsgs", MIXED, (12, 5), || Box::new(NsgsSolver::new()));
}

#[test]
fn scenes_that_are_shipped_go_on_to_the_same_bits() {
    for (name, steps, every) in [
        ("papers/tumbling_box", 60, 11),
        ("papers/baraff_drop", 90, 11),
        ("papers/chain6", 60, 7),
        ("granular/hopper", 70, 17),
        ("granular/drum", 70, 17),
        ("granular/brazil_nut", 90, 40),
        ("joints/breaking_beam", 120, 7),
        ("basics/stack30", 60, 9),
    ] {
        goes_on_to_the_same_bits(name, &of_file(name), (steps, every), cpu);
    }
}

#[cfg(feature = "gpu")]
#[test]
fn a_gpu_goes_on_to_the_same_bits() {
    for (name, text) in [
        ("default", MIXED.to_owned()),
        ("post", mixed_with("[stabilization]\nmethod = \"post\"")),
    ] {
        goes_on_to_the_same_bits(name, &text, (40, 9), || Box::new(adapter::solver()));
    }
}

#[test]
fn a_world_that_was_changed_goes_on_as_changed() {
    let run = |save: bool| {
        let begin = || {
            let scene = scene(Path::new("mixed.toml"), MIXED);
            Simulation::new(scene.world, scene.settings, cpu()).unwrap()
        };
        let mut simulation = begin();
        for _ in 0..30 {
            simulation.step().unwrap();
        }
        for body in &mut simulation.world_mut().bodies {
            body.linear_velocity.z += 0.5;
        }
        if save {
            let saved = simulation.save().unwrap();
            simulation = begin();
            simulation.restore(&saved).unwrap();
        }
        for _ in 0..30 {
            simulation.step().unwrap();
        }
        state_of(&simulation)
    };
    assert!(run(false) == run(true));
}

/// A simulation of the mixed scene some steps on, and its checkpoint.
fn some_steps_on(text: &str, steps: u64) -> (Simulation, Checkpoint) {
    let scene = scene(Path::new("mixed.toml"), text);
    let resolved = scene.resolved_toml();
    let mut simulation = Simulation::new(scene.world, scene.settings, cpu()).unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    let checkpoint = Checkpoint::new(&resolved, &simulation).unwrap();
    (simulation, checkpoint)
}

#[test]
fn a_checkpoint_holds_all_of_a_run() {
    let (mut simulation, checkpoint) = some_steps_on(&mixed("substeps = 3"), 20);
    let bytes = checkpoint.to_bytes();
    let read = Checkpoint::from_bytes(&bytes).unwrap();
    assert_eq!((read.step(), read.backend()), (20, ("cpu", None)));
    assert_eq!(read.time(), simulation.world().time);
    let (scene, mut again) = read.restore(Path::new("elsewhere.toml"), cpu()).unwrap();
    assert_eq!(scene.steps, 90);
    assert_eq!(again.settings(), simulation.settings());
    for _ in 0..20 {
        assert_eq!(
            bits_of(&simulation.step().unwrap()),
            bits_of(&again.step().unwrap())
        );
    }
}

/// The reason why bytes are refused as a checkpoint, or as one of the CPU's.
fn refusal(bytes: &[u8]) -> String {
    let restored = Checkpoint::from_bytes(bytes)
        .and_then(|checkpoint| checkpoint.restore(Path::new("mixed.toml"), cpu()));
    match restored {
        Err(Error::Invalid { what, why }) => format!("{what}: {why}"),
        other => panic!("not refused: {other:?}"),
    }
}

/// A file whose checksum is right again.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 4;
    let checksum = crc32fast::hash(&bytes[..end]).to_le_bytes();
    bytes[end..].copy_from_slice(&checksum);
    bytes
}

#[test]
fn damaged_checkpoints_are_refused_with_the_reason() {
    let (_, checkpoint) = some_steps_on(MIXED, 20);
    let bytes = checkpoint.to_bytes();
    let count = bytes.len();
    // Cut short, anywhere.
    for at in (0..32).chain((0..80).map(|part| 32 + part * (count - 32) / 80)) {
        let why = refusal(&bytes[..at]);
        let known = ["it is empty", "less than any checkpoint", "it is cut short"];
        assert!(known.iter().any(|part| why.contains(part)), "{at}: {why}");
    }
    assert!(refusal(&[&bytes[..], b"\n"].concat()).contains("cut short, or damaged"));
    // One bit is another, anywhere.
    let mut damaged = bytes.clone();
    for at in (0..36)
        .chain((0..120).map(|part| 36 + part * (count - 36) / 120))
        .chain([count - 1])
    {
        damaged[at] ^= 1 << (at % 8);
        let why = refusal(&damaged);
        let known = match at {
            0..16 => "does not begin as checkpoints do",
            16..20 => "this version of drystone reads",
            20..28 => "cut short, or damaged",
            _ => "its checksum is another one",
        };
        assert!(why.contains(known), "{at}: {why}");
        damaged[at] = bytes[at];
    }
    // Foreign ones.
    assert!(refusal(&vec![0; count]).contains("does not begin"));
    assert!(refusal(b"name = \"a scene, and no checkpoint of it\"\n").contains("does not begin"));
    let place = |text: &str| {
        let found = bytes
            .windows(text.len())
            .position(|some| some == text.as_bytes());
        found.unwrap_or_else(|| panic!("no {text}"))
    };
    for (text, other, why) in [
        (
            env!("CARGO_PKG_VERSION"),
            "9.9.9",
            "of another version, 9.9.9",
        ),
        (
            std::env::consts::ARCH,
            "a99_64",
            "of another machine, a99_64",
        ),
        ("cpu", "gpu", "of another backend, gpu"),
        ("rope", "rape", "of another world"),
    ] {
        let mut foreign = bytes.clone();
        let at = place(text);
        if text == "rope" {
            // A friction in the scene, which its name stands before.
            let at = place("friction = 0.4");
            foreign[at..at + 14].copy_from_slice(b"friction = 0.5");
        } else {
            foreign[at..at + other.len()].copy_from_slice(other.as_bytes());
        }
        let found = refusal(&with_checksum(foreign));
        assert!(found.contains(why), "{found}");
    }
    // The state of another scene, and none at all.
    let (simulation, _) = some_steps_on(&mixed("substeps = 3"), 20);
    let (mut other, _) = some_steps_on(MIXED, 3);
    let before = state_of(&other);
    let saved = simulation.save().unwrap();
    for bytes in [&saved[..], &saved[..5], &[]] {
        let why = other.restore(bytes).unwrap_err().to_string();
        assert!(why.contains("invalid state"), "{why}");
    }
    assert!(before == state_of(&other));
}

/// A state whose numbers are others, and whose checksum nobody asks for, is refused or steps: it does not bring the library down.
#[test]
fn no_state_is_a_panic() {
    let (mut simulation, _) = some_steps_on(MIXED, 25);
    let saved = simulation.save().unwrap();
    let count = saved.len();
    let places = proptest::collection::vec((4..count, any::<u8>()), 1..4);
    let cut = proptest::option::weighted(0.1, 0..count);
    let mut runner = TestRunner::new(Config {
        cases: 192,
        failure_persistence: None,
        ..Config::default()
    });
    let mut refused = 0;
    let outcome = std::cell::RefCell::new((&mut simulation, &mut refused));
    let strategy = (Just(()), places, cut);
    runner
        .run(
            &strategy.prop_map(|(_, places, cut)| (places, cut)),
            |(places, cut)| {
                let mut bytes = saved.clone();
                for (at, byte) in places {
                    bytes[at] = byte;
                }
                bytes.truncate(cut.unwrap_or(count));
                let (simulation, refused) = &mut *outcome.borrow_mut();
                match simulation.restore(&bytes) {
                    Ok(()) => {
                        let _ = simulation.step().and_then(|_| simulation.step());
                    }
                    Err(_) => **refused += 1,
                }
                Ok(())
            },
        )
        .unwrap();
    assert!(refused > 10, "{refused} refused");
    // A simulation that was restored and stepped is no hindrance.
    simulation.restore(&saved).unwrap();
    simulation.step().unwrap();
}
