//! Probes of forces, of the contact network, and of crowds.

use drystone::math::{Aabb, Vec3};
use drystone::measure::{FieldGrid, fields};
use drystone::scene::{Overrides, Scene};
use drystone::solver::cpu::CpuSolver;
use drystone::step::{Forces, Simulation};
use std::collections::HashMap;
use std::path::Path;

fn scene(text: &str) -> drystone::Result<Scene> {
    Scene::parse(Path::new("probes.toml"), text, &Overrides::default())
}

/// Values of all probes after the last step of a scene, by column, and the mean height of the dynamic bodies.
fn measured(text: &str) -> HashMap<String, f64> {
    let scene = scene(text).unwrap_or_else(|why| panic!("{why}"));
    let solver = Box::new(CpuSolver::new());
    let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
    for _ in 0..scene.steps {
        simulation.step().unwrap();
    }
    let mut forces = Forces::default();
    let seen = simulation.seen(&scene.probes, &mut forces);
    let mut all = HashMap::new();
    for probe in &scene.probes {
        let (columns, values) = (probe.columns(), probe.values(&seen));
        assert_eq!(columns.len(), values.len());
        assert_eq!(columns.len(), probe.units().len());
        all.extend(columns.into_iter().zip(values));
    }
    let dynamic = || seen.world.bodies.iter().filter(|body| body.is_dynamic());
    let height: f64 = dynamic().map(|body| body.pose.position.z).sum();
    all.insert("z".to_owned(), height / dynamic().count() as f64);
    all
}

fn near(found: f64, expected: f64, share: f64, what: &str) {
    assert!(
        (found - expected).abs() <= share * expected.abs(),
        "{what}: {found}, expected {expected}"
    );
}

#[test]
fn a_bed_at_rest_presses_on_its_box_by_its_weight() {
    // 8 by 8 by 8 spheres of 5 cm in a box of 0.45 m.
    let text = "
        name = \"bed\"
        [simulation]
        dt = 0.005
        duration = 3.0
        [materials.default]
        friction = 0.3
        restitution = 0.0
        [materials.smooth]
        friction = 0.0
        restitution = 0.0
        [[container]]
        name = \"box\"
        inner = [0.45, 0.45, 1.5]
        wall_material = \"smooth\"
        [[fill]]
        name = \"bed\"
        region = { type = \"box\", min = [-0.21, -0.21, 0.03], max = [0.21, 0.21, 1.4] }
        arrangement = \"jittered\"
        spacing = 0.056
        jitter = 0.002
        count = 512
        density = 1000
        shapes = [{ shape = { type = \"sphere\", radius = 0.025 } }]
        [[probe]]
        name = \"floor\"
        type = \"contact_force\"
        body = \"box\"
        [[probe]]
        name = \"walls\"
        type = \"contact_force\"
        body = \"box_walls\"
        [[probe]]
        name = \"neighbours\"
        type = \"coordination\"
        [[probe]]
        name = \"stress\"
        type = \"stress\"
        min = [-0.225, -0.225, 0.05]
        max = [0.225, 0.225, 0.15]
        [[probe]]
        name = \"whole\"
        type = \"stress\"
        min = [-0.5, -0.5, -0.1]
        max = [0.5, 0.5, 0.9]
        [[probe]]
        name = \"fabric\"
        type = \"fabric\"
        min = [-1, -1, -1]
        max = [1, 1, 2]
        [[probe]]
        name = \"low\"
        type = \"beyond\"
        point = [0, 0, 0.1]
        normal = [0, 0, -2]
        [[probe]]
        name = \"momentum\"
        type = \"momentum\"
        [[probe]]
        name = \"mean\"
        type = \"mean\"
        bodies = [\"bed\"]
        [[probe]]
        name = \"inside\"
        type = \"coordination\"
        min = [-0.15, -0.15, 0.05]
        max = [0.15, 0.15, 0.2]
        [[probe]]
        name = \"filled\"
        type = \"packing\"
        min = [-0.225, -0.225, 0.0]
        max = [0.225, 0.225, 1.0]
        [[probe]]
        name = \"top\"
        type = \"surface\"
        cell = 0.05
        ";
    let found = measured(text);
    let ball = 1000.0 * std::f64::consts::PI * 0.05_f64.powi(3) / 6.0;
    let weight = 512.0 * ball * 9.81;
    near(found["floor_fz"], -weight, 0.02, "weight on the box");
    // The floor holds back what the walls push.
    let sideways = found["floor_fx"] + found["walls_fx"];
    assert!(sideways.abs() < 0.01 * weight, "{sideways}");
    assert!(found["walls_fz"].abs() < 1e-3 * weight);
    // Between the isostatic 4 of friction and the 6 without.
    let bearing = found["neighbours_bearing"];
    assert!((4.0..6.2).contains(&bearing), "{bearing}");
    assert!(found["neighbours_rattlers"] < 0.4, "{found:?}");
    // In the middle there are more neighbours than at the surface, and fewer rattlers.
    assert!(found["inside"] > found["neighbours"] && found["inside_bearing"] < 6.2);
    // Of some 120 spheres the share scatters by 0.04 from bed to bed.
    let beds = [1, 2, 3].map(|seed| {
        let duration = "duration = 3.0";
        measured(&text.replace(duration, &format!("{duration}\n        seed = {seed}")))
    });
    let mean = |name: &str| beds.iter().fold(found[name], |sum, bed| sum + bed[name]) / 4.0;
    assert!(mean("inside_rattlers") < mean("neighbours_rattlers"));
    near(
        found["filled"] * 0.45 * 0.45,
        512.0 * std::f64::consts::PI * 0.05_f64.powi(3) / 6.0,
        1e-5,
        "volume of all spheres, but for what is pressed into the walls",
    );
    // From 4 to 13 degrees, from bed to bed.
    assert!(mean("top_angle") < 10.0, "{}", mean("top_angle"));
    near(
        found["top_radius"],
        0.5 / std::f64::consts::PI.sqrt(),
        0.03,
        "area of the ten by ten cells that the box touches",
    );
    let trace = found["fabric_xx"] + found["fabric_yy"] + found["fabric_zz"];
    near(trace, 1.0, 1e-9, "trace of the fabric");
    // The weight above 0.1 m over the area.
    let (low, all) = (found["low_mass"], 512.0 * ball);
    near(found["low_count"] * ball, low, 1e-9, "mass of what is low");
    let above = (all - low) * 9.81 / (0.45 * 0.45);
    let vertical = found["stress_zz"];
    assert!(
        (0.85 * above..1.15 * above).contains(&vertical),
        "{vertical} Pa, {above} Pa of weight"
    );
    // Bodies that rest between smooth walls, on a floor at height 0: sum f_z l_z = sum m g z.
    near(
        found["whole_zz"],
        found["z"] * weight,
        0.02,
        "virial of the forces",
    );
    assert!(found["momentum_pz"].abs() < 1e-3 && found["mean_temperature"] < 1e-6);
}

#[test]
fn joints_and_free_bodies_have_their_forces_and_means() {
    let found = measured(
        "
        name = \"hanging\"
        [simulation]
        dt = 0.01
        duration = 2.0
        gravity = [0, 0, -10]
        [[body]]
        name = \"weight\"
        shape = { type = \"sphere\", radius = 0.1 }
        position = [0, 0, -1]
        mass = 3.0
        [[joint]]
        name = \"string\"
        type = \"ball\"
        a = \"weight\"
        anchor = [0, 0, 0]
        [[body]]
        name = \"far\"
        shape = { type = \"sphere\", radius = 0.1 }
        position = [50, 0, 0]
        linear_velocity = [2, 0, 0]
        angular_velocity = [0, 0, 5]
        mass = 1.0
        [[body]]
        name = \"away\"
        shape = { type = \"sphere\", radius = 0.1 }
        position = [80, 0, 0]
        linear_velocity = [-2, 0, 0]
        mass = 1.0
        [[probe]]
        name = \"string\"
        type = \"joint_force\"
        joint = \"string\"
        [[probe]]
        name = \"two\"
        type = \"mean\"
        bodies = [\"far\", \"away\"]
        [[probe]]
        name = \"all\"
        type = \"momentum\"
        ",
    );
    near(found["string_fz"], 30.0, 1e-3, "force of the string");
    assert!(found["two_vx"].abs() < 1e-9);
    near(found["two_vz"], -20.0, 1e-6, "fall");
    near(found["two_temperature"], 4.0 / 3.0, 1e-6, "agitation");
    near(
        found["two_rotational"],
        0.5 * 0.4 * 0.01 * 25.0,
        1e-6,
        "spin",
    );
    near(found["two_translational"], 0.5 * 2.0 * 404.0, 1e-6, "speed");
    near(found["all_pz"], -40.0, 1e-3, "momentum");
}

#[test]
fn what_cannot_be_measured_is_refused_where_it_is_asked_for() {
    let base = "name = \"x\"\n[simulation]\ndt = 0.1\nsteps = 1\n[[body]]\nname = \"b\"\nshape = { type = \"sphere\", radius = 1 }\nmass = 1\n\
                [[probe]]\nname = \"p\"\n";
    for (probe, why, line) in [
        (
            "type = \"joint_force\"\njoint = \"j\"",
            "no joint named `j`",
            12,
        ),
        ("type = \"contact_force\"\nbody = \"c\"", "`c`", 12),
        (
            "type = \"beyond\"\npoint = [0, 0, 0]\nnormal = [0, 0, 0]",
            "normal",
            13,
        ),
        (
            "type = \"stress\"\nmin = [0, 0, 0]\nmax = [1, 0, 1]",
            "begins at 0",
            13,
        ),
        ("type = \"mean\"\nbodies = [\"nobody\"]", "nobody", 12),
        (
            "type = \"packing\"\nmin = [0, 0, 0]\nmax = [1, 1, 0]",
            "begins at 0",
            13,
        ),
        (
            "type = \"coordination\"\nmax = [1, 1, 1]",
            "there is no `min`",
            12,
        ),
        ("type = \"surface\"\ncell = 0", "cell", 12),
        ("type = \"surface\"\ncell = 1\ncenter = [0, inf]", "inf", 13),
        (
            "type = \"fabric\"\nmin = [0, 0, nan]\nmax = [1, 1, 1]",
            "nan",
            12,
        ),
    ] {
        let error = scene(&format!("{base}{probe}\n")).unwrap_err().to_string();
        let message = error.to_lowercase();
        assert!(message.contains(&why.to_lowercase()), "{error}");
        assert!(error.contains(&format!("probes.toml:{line}:")), "{error}");
    }
}

#[test]
fn a_lift_works_against_the_weight() {
    let found = measured(
        "
        name = \"lift\"
        [simulation]
        dt = 0.01
        duration = 2.0
        gravity = [0, 0, -10]
        [[body]]
        name = \"lift\"
        kind = \"kinematic\"
        shape = { type = \"box\", half_extents = [1, 1, 0.1] }
        position = [0, 0, -0.1]
        motion = { type = \"constant\", linear = [0, 0, 0.2] }
        [[body]]
        name = \"load\"
        shape = { type = \"box\", half_extents = [0.2, 0.1, 0.1] }
        position = [0.3, 0, 0.1]
        linear_velocity = [0, 0, 0.2]
        mass = 2.0
        [[probe]]
        name = \"work\"
        type = \"power\"
        body = \"lift\"
        [[probe]]
        name = \"back\"
        type = \"power\"
        body = \"load\"
        ",
    );
    near(found["work"], 4.0, 1e-3, "power of the lift");
    near(found["back"], -4.0, 1e-3, "power of the load");
}

#[test]
fn a_hanging_chain_carries_its_weight_in_the_fields() {
    // Ten links of 0.5 kg, each 0.1 m below the one before.
    let text = r#"
name = "chain"
[simulation]
dt = 0.005
steps = 40
[[chain]]
name = "rope"
count = 10
start = [0, 0, 2.0]
end = [0, 0, 1.0]
shape = { type = "capsule", radius = 0.01, half_length = 0.03 }
mass = 0.5
joint = { type = "ball" }
pin = "first"
"#;
    let scene = scene(text).unwrap_or_else(|why| panic!("{why}"));
    let solver = Box::new(CpuSolver::new());
    let mut simulation = Simulation::new(scene.world, scene.settings, solver).unwrap();
    for _ in 0..scene.steps {
        simulation.step().unwrap();
    }
    let mut forces = Forces::default();
    let seen = simulation.seen_with_forces(&mut forces);
    let within = Aabb {
        min: Vec3::new(-0.5, -0.5, 0.0),
        max: Vec3::new(0.5, 0.5, 2.5),
    };
    let grid = FieldGrid::new(&within, 0.05, 0.1);
    let found = fields(&grid, &seen);
    let (link, volume, area) = (
        0.5 * 9.81,
        grid.cell_volume(),
        grid.spacing().x * grid.spacing().y,
    );
    // All of the weight hangs on the world, at the first joint.
    let boundary: f64 = found
        .iter()
        .map(|cell| cell.boundary_force.z * volume)
        .sum();
    near(boundary, 10.0 * link, 1e-3, "the force of the world");
    // From the anchor to the first centre all of it, then a link less from each to the next; a pull is negative.
    let stress: f64 = found
        .iter()
        .map(|cell| cell.joint_stress[(2, 2)] * volume)
        .sum();
    let (first, next) = (
        10.0 * link * 0.05,
        (1..10).map(|above| f64::from(10 - above) * link * 0.1),
    );
    near(stress, -(first + next.sum::<f64>()), 1e-3, "the stress");
    assert!(found.iter().all(|cell| cell.contact_stress[(2, 2)] == 0.0));
    // Through each level between, what is below it, smoothed by the kernel.
    let [x, y, z] = grid.cells();
    let mut levels = 0;
    for layer in 0..z {
        let height = grid.min().z + (layer as f64 + 0.5) * grid.spacing().z;
        let cells = &found[layer * x * y..][..x * y];
        let carried: f64 = cells
            .iter()
            .map(|cell| -cell.joint_stress[(2, 2)] * area)
            .sum();
        let below = ((height - 1.0) / 0.1).clamp(0.0, 10.0) * link;
        if (1.05..1.9).contains(&height) {
            assert!(
                (carried - below).abs() < 0.2 * link,
                "{height} m: {carried} and {below}"
            );
            levels += 1;
        }
    }
    assert!(levels > 12, "{levels}");
}
