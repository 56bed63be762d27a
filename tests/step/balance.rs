//! The energy balance: work and dissipation against closed forms, and that they account for all of the energy.

#[cfg(feature = "gpu")]
use crate::support::adapter;
use drystone::measure::EnergyBalance;
use drystone::scene::{Overrides, Scene};
use drystone::solver::Solver;
use drystone::solver::cpu::CpuSolver;
use drystone::step::Simulation;
use std::path::Path;

const GROUND: &str = r#"
[[body]]
name = "ground"
kind = "fixed"
shape = { type = "half_space", normal = [0, 0, 1] }
"#;

/// Share of what is added up that rounding takes.
const ROUNDING: f64 = 1e-5;

/// A scene of these tables, and a probe of its energy balance.
fn simulation(dt: f64, tables: &str, solver: Box<dyn Solver>) -> Simulation {
    let text = format!(
        "name = \"balance\"\n[simulation]\ndt = {dt}\nsteps = 1\n{tables}\n\
         [[probe]]\ntype = \"energy_balance\"\nname = \"energy\"\n"
    );
    let scene = Scene::parse(Path::new("balance.toml"), &text, &Overrides::default()).unwrap();
    Simulation::new(scene.world, scene.settings, solver).unwrap()
}

/// The balance after so much time, with the energy then, which it accounts for.
fn after(time: f64, dt: f64, tables: &str) -> (EnergyBalance, f64) {
    let mut simulation = simulation(dt, tables, Box::new(CpuSolver::new()));
    let mut energy = 0.0;
    for _ in 0..(time / dt).round() as u64 {
        let now = simulation.step().unwrap().energy;
        energy = now.kinetic + now.potential;
    }
    let balance = simulation.energy_balance().unwrap();
    near(
        energy,
        balance.start + balance.work() - balance.dissipated() + balance.error,
        ROUNDING * (1.0 + balance.start.abs()),
    );
    (balance, energy)
}

fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} and {b}");
}

#[test]
fn a_sliding_block_dissipates_friction_times_way() {
    let block = format!(
        "[materials.default]\nfriction = 0.3\n{GROUND}\n[[body]]\nname = \"block\"\nmass = 2.0\nposition = [0, 0, 0.1]\n\
         shape = {{ type = \"box\", half_extents = [0.5, 0.5, 0.1] }}\nlinear_velocity = [2.0, 0, 0]\n"
    );
    // Still sliding: mu m g d, with d = v t - mu g t^2 / 2.
    let (friction, t) = (0.3 * 2.0 * 9.81, 0.4);
    let (balance, _) = after(t, 0.005, &block);
    let way = 2.0 * t - 0.5 * 0.3 * 9.81 * t * t;
    near(balance.friction, friction * way, 0.002 * friction * way);
    assert_eq!((balance.work(), balance.joints), (0.0, 0.0));
    near(balance.error, 0.0, 1e-3);
    // At rest: all of m v^2 / 2.
    let (balance, _) = after(1.0, 0.005, &block);
    near(balance.friction, 4.0, 0.002 * 4.0);
    near(balance.error, 0.0, 1e-3);
}

#[test]
fn a_bounce_dissipates_what_restitution_does_not_return() {
    let ball = format!(
        "[materials.default]\nfriction = 0\nrestitution = 0.6\n{GROUND}\n[[body]]\nname = \"ball\"\nmass = 3.0\nposition = [0, 0, 1.1]\n\
         shape = {{ type = \"sphere\", radius = 0.1 }}\n"
    );
    // Once: it lands after 0.45 s, and again after 0.99 s.
    let fall = 3.0 * 9.81 * 1.0;
    let (balance, energy) = after(0.7, 0.001, &ball);
    near(balance.impacts, (1.0 - 0.36) * fall, 0.005 * fall);
    near(energy - 3.0 * 9.81 * 0.1, 0.36 * fall, 0.005 * fall);
    near(balance.error, 0.0, 0.005 * fall);
}

#[test]
fn loads_and_motors_do_the_work_that_is_found_in_the_end() {
    // A free body that is pushed by a force for a time: F^2 t^2 / (2 m).
    let pushed = "gravity = [0, 0, 0]\n[[body]]\nname = \"ball\"\nmass = 2.0\nshape = { type = \"sphere\", radius = 0.1 }\n\
                  [[load]]\nbody = \"ball\"\nforce = [3.0, 0, 0]\nuntil = 0.5\n";
    let (balance, energy) = after(0.8, 0.01, pushed);
    near(energy, 3.0 * 3.0 * 0.25 / 4.0, 1e-6);
    near(balance.loads, energy, 1e-6);
    near(balance.error, 0.0, 1e-6);
    // A wheel that a motor brings to its speed with all its torque: I w^2 / 2, and nothing more once it has it.
    let wheel = "gravity = [0, 0, 0]\n[[body]]\nname = \"wheel\"\nmass = 2.0\nshape = { type = \"sphere\", radius = 0.5 }\n\
                 [[joint]]\nname = \"axle\"\ntype = \"hinge\"\na = \"wheel\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\n\
                 motor = { type = \"velocity\", target = 4.0, max_force = 2.0 }\n";
    let (balance, energy) = after(1.0, 0.01, wheel);
    near(energy, 0.5 * 0.4 * 2.0 * 0.25 * 16.0, 1e-4);
    near(balance.drives, energy, 0.01 * energy);
    near(balance.joints, 0.0, 1e-6);
    near(balance.error, 0.0, 0.01 * energy);
}

/// Balls on a plate that rises at a constant speed or is shaken.
fn on_a_plate(motion: &str, count: u32) -> String {
    format!(
        "[materials.default]\nfriction = 0.4\nrestitution = 0.5\n[[container]]\nname = \"box\"\ninner = [1, 1, 2]\nmotion = {motion}\n\
         [[fill]]\nregion = {{ type = \"box\", min = [-0.5, -0.5, 0.0], max = [0.5, 0.5, 1.0] }}\narrangement = \"grid\"\nspacing = 0.21\ncount = {count}\n\
         density = 1000\nshapes = [{{ shape = {{ type = \"sphere\", radius = 0.1 }} }}]\n"
    )
}

#[test]
fn a_floor_that_rises_lifts_what_lies_on_it() {
    // 16 balls of 4.19 kg, lifted by 1 m, after they are thrown up by the start of the motion.
    let lifted = on_a_plate("{ type = \"constant\", linear = [0, 0, 0.5] }", 16);
    let mass = 16.0 * 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    // The floor is under them by a step of its motion before they move: they are put on it, which is an error of the first order, m g v dt.
    let (balance, _) = after(2.0, 0.001, &lifted);
    // In the frame of the floor they fall and come to rest: m v^2 / 2 is dissipated, and the work is m g d + m v^2.
    let work = mass * (9.81 * 1.0 + 0.5 * 0.5);
    near(balance.motions, work, 0.01 * work);
    let of_a_step = mass * 9.81 * 0.5 * 0.001;
    near(balance.dissipated(), 0.5 * mass * 0.25, 1.5 * of_a_step);
    near(balance.error, 0.0, 1.5 * of_a_step);
}

#[test]
fn the_balance_of_a_shaken_box_closes() {
    let shaken = on_a_plate(
        "{ type = \"sinusoidal\", amplitude = [0.01, 0, 0.03], frequency = 5 }",
        40,
    );
    for dt in [0.01, 0.005, 0.0025] {
        let (balance, _) = after(1.0, dt, &shaken);
        println!("dt = {dt}: {balance:?}, error {}", balance.error);
        assert!(balance.motions > 1000.0, "{balance:?}");
        assert!(balance.dissipated() > 1000.0, "{balance:?}");
        near(balance.error, 0.0, 0.01 * balance.motions);
    }
}

#[test]
fn the_error_of_a_fall_is_of_the_first_order_of_the_substep() {
    // Positions move with velocities that are ahead by g h / (2 n): a fall is deeper by g h t / (2 n), and the energy lower.
    let ball = "substeps = 4\n[[body]]\nname = \"ball\"\nmass = 2.0\nshape = { type = \"sphere\", radius = 0.1 }\n";
    for dt in [0.02, 0.01, 0.005] {
        let (balance, _) = after(0.6, dt, ball);
        let error = -2.0 * 9.81 * 9.81 * dt / 4.0 * 0.6 / 2.0;
        near(balance.error, error, 1e-6);
        assert_eq!((balance.work(), balance.dissipated()), (0.0, 0.0));
    }
}

/// Boxes that fall among each other, and a pendulum that swings through them.
fn mixed() -> String {
    let joint = "[[body]]\nname = \"bob\"\nmass = 20.0\nposition = [-0.3, 0, 1.4]\nshape = { type = \"sphere\", radius = 0.1 }\n\
                 [[joint]]\ntype = \"ball\"\na = \"bob\"\nanchor = [0.3, 0, 1.4]\n";
    on_a_plate("{ type = \"constant\" }", 20).replace(
        "{ type = \"sphere\", radius = 0.1 } }]",
        "{ type = \"box\", half_extents = [0.06, 0.05, 0.04] } }]",
    ) + joint
}

#[test]
fn a_pendulum_among_boxes_loses_what_contacts_dissipate() {
    let (balance, energy) = after(1.5, 0.002, &mixed());
    println!("{balance:?}, error {}", balance.error);
    let lost = balance.start - energy;
    assert!(lost > 20.0, "{lost}");
    near(balance.dissipated(), lost, 0.002 * lost);
    assert_eq!(
        (balance.loads, balance.motions, balance.drives),
        (0.0, 0.0, 0.0)
    );
}

#[test]
fn it_changes_no_result_and_goes_on_from_a_checkpoint() {
    let text = mixed();
    let begin = || simulation(0.01, &text, Box::new(CpuSolver::new()));
    let mut with = begin();
    let mut settings = *with.settings();
    settings.energy_balance = false;
    let mut without =
        Simulation::new(with.world().clone(), settings, Box::new(CpuSolver::new())).unwrap();
    for _ in 0..40 {
        assert_eq!(with.step().unwrap().energy, without.step().unwrap().energy);
    }
    assert_eq!(without.energy_balance(), None);
    let saved = with.save().unwrap();
    let mut again = begin();
    again.restore(&saved).unwrap();
    for _ in 0..20 {
        with.step().unwrap();
        again.step().unwrap();
    }
    assert_eq!(with.energy_balance(), again.energy_balance());
    // Changes of the world from outside are no work of the run, and no error.
    let before = with.energy_balance().unwrap();
    with.world_mut()
        .bodies
        .iter_mut()
        .for_each(|body| body.linear_velocity.z += 3.0);
    with.step().unwrap();
    let now = with.energy_balance().unwrap();
    assert!(now.start > before.start + 100.0);
    near(now.error, before.error, 1.0);
}

#[cfg(feature = "gpu")]
#[test]
fn a_gpu_has_the_same_balance() {
    let shaken = on_a_plate(
        "{ type = \"sinusoidal\", amplitude = [0.01, 0, 0.03], frequency = 5 }",
        40,
    );
    let solvers: [Box<dyn Solver>; 2] = [Box::new(CpuSolver::new()), Box::new(adapter::solver())];
    let [cpu, gpu] = solvers.map(|solver| {
        let mut simulation = simulation(0.01, &shaken, solver);
        for _ in 0..30 {
            simulation.step().unwrap();
        }
        simulation.energy_balance().unwrap()
    });
    assert!(cpu.impacts > 1.0 && cpu.friction > 1.0, "{cpu:?}");
    near(cpu.impacts, gpu.impacts, 0.02 * cpu.impacts);
    near(cpu.friction, gpu.friction, 0.02 * cpu.friction);
    near(cpu.motions, gpu.motions, 0.02 * cpu.motions);
    near(gpu.error, cpu.error, 0.02 * cpu.motions);
}

/// A scene of the repository, with a probe of its energy balance.
fn of_scene(file: &str) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenes")
        .join(file);
    let mut scene = Scene::load(&path, &Overrides::default()).unwrap();
    scene.settings.energy_balance = true;
    Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new())).unwrap()
}

#[test]
fn every_step_accounts_for_its_change_of_energy() {
    // A pile that falls, a shaken bed, bodies that joints drive, and rows that are put right by a position pass.
    let shaken = on_a_plate(
        "{ type = \"sinusoidal\", amplitude = [0.01, 0, 0.03], frequency = 5 }",
        40,
    );
    let boxes = mixed();
    let post = format!("{boxes}[stabilization]\nmethod = \"post\"\n");
    let cpu = || Box::new(CpuSolver::new()) as Box<dyn Solver>;
    let scenes = [
        ("pile", of_scene("bench/pile_boxes_1k.toml"), 25),
        ("shaken bed", simulation(0.005, &shaken, cpu()), 120),
        (
            "boxes and a pendulum",
            simulation(0.005, &boxes, cpu()),
            120,
        ),
        ("the same, post", simulation(0.005, &post, cpu()), 120),
        ("driven joint", of_scene("joints/cardan.toml"), 100),
        ("motor", of_scene("joints/motor.toml"), 100),
        ("bridge", of_scene("joints/rope_bridge.toml"), 30),
    ];
    for (name, mut simulation, steps) in scenes {
        let (mut worst, mut share) = (0.0_f64, 0.0_f64);
        let mut before = simulation.energy_balance().unwrap();
        let mut energy = before.start;
        for _ in 0..steps {
            let now = simulation.step().unwrap().energy;
            let balance = simulation.energy_balance().unwrap();
            // Terms of this step alone.
            let work = balance.work() - before.work();
            let dissipated = balance.dissipated() - before.dissipated();
            let error = balance.error - before.error;
            let total = now.kinetic + now.potential;
            let rest = total - energy - work + dissipated - error;
            // Velocities have some 7 digits, and so has the kinetic energy.
            let scale = now.kinetic + work.abs() + dissipated.abs() + 1e-12 * total.abs();
            worst = worst.max(rest.abs());
            share = share.max(rest.abs() / scale);
            (before, energy) = (balance, total);
        }
        let flows = before.work().abs() + before.dissipated().abs();
        println!("{name}: {before:?}, rest of a step {worst:e} J, {share:e}");
        assert!(
            share < 2e-6 && flows > 1e4 * worst,
            "{name}: {share:e}, {worst:e} J"
        );
        assert!(
            before.rest().abs() < 1e-6 * (flows + 1e-6 * energy.abs()),
            "{name}"
        );
    }
}
