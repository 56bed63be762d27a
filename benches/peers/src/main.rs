//! drystone beside other engines: the same scenes, in one process, in turns, with one measure for all.
//!
//! See `README.md` for how to run it and how to read what it says.

mod engine;
mod external;
mod generate;
mod metric;
mod ours;
mod plot;
mod point;
mod poses;
mod rapier;
mod recorded;
mod regimes;
mod report;
mod scene;
mod settings;
mod worlds;

use clap::Parser;
use engine::{Clock, Contestant};
use point::{Origin, Point, Standing};
use report::Provenance;
use scene::Scene;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Runs drystone and Rapier on the same scenes in turns, and puts other engines beside them.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    /// Scenes by name; without any, all that are built in (see --list).
    #[arg(long = "scenes", value_name = "NAME", value_delimiter = ',')]
    names: Vec<String>,
    /// Scene files to run instead; may be repeated.
    #[arg(long = "scene", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Take the named scenes from DIR/NAME.scene, not from the built-in generator.
    #[arg(long, value_name = "DIR")]
    scene_dir: Option<PathBuf>,
    /// Only those whose "engine settings" contain this; may be repeated.
    #[arg(long, value_name = "PART")]
    only: Vec<String>,
    /// Numbers of threads; `all` is one a core.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,all")]
    threads: Vec<String>,
    /// Steps, instead of the scene's.
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Steps that one takes before it is the next one's turn.
    #[arg(long, value_name = "N", default_value_t = 20)]
    turn: usize,
    /// Whole repetitions; times are then medians.
    #[arg(long, value_name = "N", default_value_t = 1)]
    runs: usize,
    /// What counts as the time of a step of those that are run here.
    #[arg(long, value_enum, default_value_t)]
    clock: Clock,
    /// Another engine's program; may be repeated. It gets --scene, --out, --steps and --threads.
    #[arg(long, value_name = "COMMAND")]
    external: Vec<String>,
    /// Recorded points to put into tables and plots; may be repeated.
    #[arg(long, value_name = "FILE")]
    baseline: Vec<PathBuf>,
    /// Multiply recorded times by how much slower Rapier is here than there.
    #[arg(long)]
    rescale: bool,
    /// Folder for peers.md, peers.csv, peers.json and the plots.
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Also write the final poses there, as other harnesses do.
    #[arg(long, value_name = "DIR")]
    write_poses: Option<PathBuf>,
    /// Run the small scenes of benches/regimes instead, at these sizes in metres; --scenes then are parts of their
    /// names.
    #[arg(long, value_name = "SIZE", value_delimiter = ',')]
    regimes: Vec<f64>,
    /// Run these scene files of drystone's instead, with any shapes, by the defaults of both; may be repeated.
    #[arg(long = "world", value_name = "FILE")]
    worlds: Vec<PathBuf>,
    /// Write the scene files there, and run nothing.
    #[arg(long, value_name = "DIR")]
    write_scenes: Option<PathBuf>,
    /// Measure a file of poses of the one --scene, and run nothing.
    #[arg(long, value_name = "FILE")]
    poses: Option<PathBuf>,
    /// List scenes and settings, and run nothing.
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    match carry_out(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

fn carry_out(args: &Args) -> Result<(), String> {
    if args.list {
        list();
        return Ok(());
    }
    if !args.regimes.is_empty() {
        let table = regimes::table(&regimes::Plan {
            sizes: &args.regimes,
            names: &args.names,
            threads: &thread_counts(args)?,
            turn: args.turn,
            steps: args.steps,
        })?;
        make(&args.out)?;
        return write(&args.out.join("regimes.md"), &table);
    }
    if !args.worlds.is_empty() {
        let table = worlds::table(&worlds::Plan {
            files: &args.worlds,
            threads: &thread_counts(args)?,
            turn: args.turn,
            steps: args.steps,
        })?;
        make(&args.out)?;
        return write(&args.out.join("worlds.md"), &table);
    }
    let scenes = scenes(args)?;
    if let Some(folder) = &args.write_scenes {
        make(folder)?;
        for scene in &scenes {
            write(&folder.join(format!("{}.scene", scene.name)), &scene.text())?;
        }
        return Ok(());
    }
    if let Some(file) = &args.poses {
        let found = metric::measure(&scenes[0], &poses::read(file, &scenes[0])?);
        println!(
            "{}",
            serde_json::to_string(&found).map_err(|why| why.to_string())?
        );
        return Ok(());
    }
    make(&args.out)?;
    if let Some(folder) = &args.write_poses {
        make(folder)?;
    }
    let provenance = Provenance::now();
    let mut points = Vec::new();
    for scene in &scenes {
        for threads in thread_counts(args)? {
            points.extend(run(args, scene, threads)?);
            // After every scene, so that a long sitting that is cut short leaves what it has.
            let names: Vec<String> = scenes.iter().map(|scene| scene.name.clone()).collect();
            save(args, &provenance, &points, &names)?;
        }
    }
    let path = args.out.join("peers.md");
    print!(
        "{}",
        std::fs::read_to_string(&path).map_err(|why| why.to_string())?
    );
    Ok(())
}

fn list() {
    println!("scenes: {}", generate::NAMES.join(", "));
    for iterations in rapier::ITERATIONS {
        println!("{} {}", rapier::NAME, rapier::settings(iterations));
    }
    for setting in settings::all() {
        println!("{} {}", ours::NAME, setting.name);
    }
}

fn scenes(args: &Args) -> Result<Vec<Scene>, String> {
    if !args.files.is_empty() {
        return args.files.iter().map(|file| Scene::load(file)).collect();
    }
    let all = generate::NAMES.map(str::to_owned);
    let names = if args.names.is_empty() {
        &all[..]
    } else {
        &args.names
    };
    let named = names.iter().map(|name| match &args.scene_dir {
        Some(folder) => Scene::load(&folder.join(format!("{name}.scene"))),
        None => generate::scene(name).ok_or_else(|| format!("no scene {name}; see --list")),
    });
    named.collect()
}

fn thread_counts(args: &Args) -> Result<Vec<usize>, String> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counts = Vec::new();
    for word in &args.threads {
        let count = match word.as_str() {
            "all" => all,
            number => number
                .parse()
                .ok()
                .filter(|&n| n > 0)
                .ok_or_else(|| format!("--threads {word}: a number above 0, or all"))?,
        };
        if !counts.contains(&count) {
            counts.push(count);
        }
    }
    Ok(counts)
}

/// Everybody on one scene with some number of threads.
fn run(args: &Args, scene: &Scene, threads: usize) -> Result<Vec<Point>, String> {
    let steps = args.steps.unwrap_or(scene.steps);
    let mut runs: Vec<Vec<Point>> = Vec::new();
    for _ in 0..args.runs.max(1) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = Arc::new(pool.map_err(|why| why.to_string())?);
        let mut contestants = contestants(args, scene, &pool)?;
        eprintln!(
            "{}: {} contestants, {steps} steps, {threads} threads",
            scene.name,
            contestants.len()
        );
        engine::race(scene, steps, args.turn, &mut contestants);
        contestants.retain(|contestant| contestant.failure.is_none());
        let mut points = Vec::new();
        for contestant in &contestants {
            points.push(measured(args, scene, contestant, threads));
            if let Some(folder) = &args.write_poses {
                let name = format!(
                    "{}_{}_{}_t{threads}",
                    scene.name, contestant.name, contestant.settings
                );
                let name = name.replace([' ', '=', ','], "_");
                poses::write(
                    &folder.join(format!("{name}.poses.csv")),
                    &contestant.engine.states(),
                )?;
            }
        }
        points.extend(externals(args, scene, steps, threads)?);
        runs.push(points);
    }
    Ok(medians(runs))
}

fn contestants(
    args: &Args,
    scene: &Scene,
    pool: &Arc<rayon::ThreadPool>,
) -> Result<Vec<Contestant>, String> {
    let wanted = |engine: &str, settings: &str| {
        let name = format!("{engine} {settings}");
        args.only.is_empty() || args.only.iter().any(|part| name.contains(part.as_str()))
    };
    let mut found = Vec::new();
    for iterations in rapier::ITERATIONS {
        let settings = rapier::settings(iterations);
        if wanted(rapier::NAME, &settings) {
            let engine = Box::new(rapier::Rapier::new(scene, iterations, pool));
            found.push(Contestant::new(
                rapier::NAME,
                rapier::VERSION,
                settings,
                engine,
            ));
        }
    }
    for setting in settings::all() {
        if wanted(ours::NAME, &setting.name) {
            let engine = Box::new(ours::Drystone::new(scene, &setting, pool)?);
            let version = env!("CARGO_PKG_VERSION");
            found.push(Contestant::new(ours::NAME, version, setting.name, engine));
        }
    }
    Ok(found)
}

fn measured(args: &Args, scene: &Scene, contestant: &Contestant, threads: usize) -> Point {
    let found = metric::measure(scene, &contestant.engine.states());
    Point {
        scene: scene.name.clone(),
        engine: contestant.name.to_owned(),
        version: contestant.version.to_owned(),
        settings: contestant.settings.clone(),
        threads,
        runs: 1,
        origin: Origin::Interleaved,
        ms_per_step: contestant.milliseconds(args.clock),
        max_penetration: found.max_penetration,
        p99_penetration: found.p99_penetration,
        mean_penetration: found.mean_penetration,
        ke_per_body: Some(found.ke_per_body),
        lost: Some(found.lost),
        top_displacement: found.top_displacement,
    }
}

/// The other programs, one after the other: a process cannot take turns with this one.
fn externals(
    args: &Args,
    scene: &Scene,
    steps: usize,
    threads: usize,
) -> Result<Vec<Point>, String> {
    if args.external.is_empty() {
        return Ok(Vec::new());
    }
    let folder = std::env::temp_dir().join(format!("drystone-peers-{}", std::process::id()));
    make(&folder)?;
    let mut points = Vec::new();
    for command in &args.external {
        match external::run(command, scene, steps, threads, &folder) {
            Ok(point) => points.push(point),
            Err(why) => eprintln!("{}: {why}", scene.name),
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    Ok(points)
}

/// One point for each of the first run's, with the median of the times.
fn medians(runs: Vec<Vec<Point>>) -> Vec<Point> {
    let first = runs.first().cloned().unwrap_or_default();
    let of_all = first.into_iter().map(|point| {
        let same =
            |other: &&Point| (&other.engine, &other.settings) == (&point.engine, &point.settings);
        let mut times: Vec<f64> = runs
            .iter()
            .filter_map(|run| run.iter().find(same))
            .map(|other| other.ms_per_step)
            .collect();
        times.sort_by(f64::total_cmp);
        let middle = times.len() / 2;
        let median = if times.len().is_multiple_of(2) {
            0.5 * (times[middle - 1] + times[middle])
        } else {
            times[middle]
        };
        Point {
            ms_per_step: median,
            runs: times.len(),
            ..point
        }
    });
    of_all.collect()
}

/// Writes tables and plots of all points so far.
fn save(
    args: &Args,
    provenance: &Provenance,
    points: &[Point],
    scenes: &[String],
) -> Result<(), String> {
    let mut points = points.to_vec();
    let threads = thread_counts(args)?;
    for file in &args.baseline {
        let recorded = recorded::read(file, scenes)?;
        points.extend(
            recorded
                .into_iter()
                .filter(|point| threads.contains(&point.threads)),
        );
    }
    if args.rescale {
        recorded::rescale(&mut points);
    }
    let standings = point::standings(&points);
    let file = |name: &str| args.out.join(name);
    write(&file("peers.md"), &report::markdown(provenance, &standings))?;
    write(&file("peers.csv"), &report::csv(&standings))?;
    write(&file("peers.json"), &report::json(provenance, &standings)?)?;
    for scene in scenes {
        let mut threads: Vec<usize> = points
            .iter()
            .filter(|point| &point.scene == scene)
            .map(|point| point.threads)
            .collect();
        threads.sort_unstable();
        threads.dedup();
        for threads in threads {
            let shown: Vec<&Standing> = standings
                .iter()
                .filter(|s| &s.point.scene == scene && s.point.threads == threads)
                .collect();
            let plural = if threads == 1 { "thread" } else { "threads" };
            let title = format!("{scene}, {threads} {plural}");
            write(
                &file(&format!("{scene}_t{threads}.svg")),
                &plot::svg(&title, &shown)?,
            )?;
        }
    }
    Ok(())
}

fn make(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|why| format!("{}: {why}", folder.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|why| format!("{}: {why}", path.display()))
}
