//! Runs and comparisons on a GPU adapter.

use crate::program::{Csv, Home};
use drystone::solver::Method;
use drystone::solver::gpu::list_adapters;

/// Part of the name of the adapter under test.
pub(crate) fn adapter() -> String {
    if let Ok(name) = std::env::var("DRYSTONE_ADAPTER") {
        return name;
    }
    list_adapters()
        .into_iter()
        .find(|adapter| adapter.usable && !adapter.software)
        .map_or_else(|| "llvmpipe".to_owned(), |adapter| adapter.name)
}

#[test]
fn adapters_are_listed_with_their_use() {
    let listed = Home::new()
        .run_with_gpu(&["adapters"])
        .expect_code(0)
        .stdout;
    let found = list_adapters();
    assert!(!found.is_empty(), "an adapter, hardware or llvmpipe");
    for adapter in &found {
        let line = listed
            .lines()
            .find(|line| line.contains(&adapter.name))
            .unwrap_or_else(|| panic!("{} in {listed}", adapter.name));
        assert!(line.contains(&adapter.device_type), "{line}");
        if adapter.software && adapter.usable {
            assert!(line.contains("software: only by name"), "{line}");
        }
    }
    let wanted = adapter().to_lowercase();
    assert!(listed.to_lowercase().contains(&wanted), "{listed}");
    let none = Home::new().run(&["adapters"]).expect_code(0);
    assert!(none.stdout.contains("No GPU adapter"), "{}", none.stdout);
}

#[test]
fn a_run_on_a_named_adapter_says_so_and_repeats() {
    let home = Home::with_drop_scene();
    let adapter = adapter();
    let mut seen = Vec::new();
    for out in ["first", "again"] {
        let ended = home
            .run_with_gpu(&[
                "run",
                "drop.toml",
                "--steps",
                "20",
                "--adapter",
                &adapter,
                "--out",
                out,
            ])
            .expect_code(0);
        assert!(ended.stdout.contains("gpu: "), "{}", ended.stdout);
        let summary: serde_json::Value =
            serde_json::from_str(&home.read(&format!("{out}/summary.json"))).unwrap();
        assert_eq!(summary["backend"], "gpu");
        let name = summary["adapter"].as_str().unwrap().to_lowercase();
        assert!(name.contains(&adapter.to_lowercase()), "{name}");
        seen.push(Csv::parse(&home.read(&format!("{out}/metrics.csv"))).without_times());
    }
    assert!(seen[0] == seen[1], "two runs on one adapter differ");
}

#[test]
fn auto_takes_what_is_faster_and_says_what_it_tried() {
    let home = Home::with_drop_scene();
    let ended = home
        .run_where(
            "llvmpipe",
            &["run", "drop.toml", "--steps", "1", "--out", "auto"],
        )
        .expect_code(0);
    let said = &ended.stderr;
    assert!(
        said.contains("on cpu (tried on 60 spheres: llvmpipe"),
        "{said}"
    );
    assert!(said.contains("ms a step, the CPU"), "{said}");
}

#[test]
fn auto_takes_no_adapter_for_few_bodies() {
    let home = Home::with_drop_scene();
    let ended = home
        .run_with_gpu(&["run", "drop.toml", "--steps", "1", "--out", "auto"])
        .expect_code(0);
    let hardware = list_adapters().iter().any(|a| a.usable && !a.software);
    let summary = home.read("auto/summary.json");
    assert!(summary.contains("\"backend\": \"cpu\""), "{summary}");
    let why = if hardware {
        "bodies are few for"
    } else {
        "no hardware adapter"
    };
    assert!(ended.stderr.contains(why), "{}", ended.stderr);
}

#[test]
fn compare_finds_that_the_backends_agree() {
    let home = Home::with_drop_scene();
    let ended = home
        .run_with_gpu(&[
            "compare",
            "drop.toml",
            "--adapter",
            &adapter(),
            "--skip",
            "20",
            "--steps",
            "20",
            "--every",
            "2",
        ])
        .expect_code(0);
    let rows: Vec<&str> = ended
        .stdout
        .lines()
        .filter(|line| line.starts_with("velocity ") || line.starts_with("position "))
        .collect();
    assert!(
        ended.stdout.contains("10 steps compared"),
        "{}",
        ended.stdout
    );
    // Two passes, every method, two backends.
    let methods = Method::ALL.len();
    assert_eq!(rows.len(), 4 * methods, "{}", ended.stdout);
    let on_gpu = rows.iter().filter(|row| row.contains(" gpu: ")).count();
    assert_eq!(on_gpu, 2 * methods, "{}", ended.stdout);
    let verdict = ended.stdout.lines().last().unwrap();
    assert!(
        verdict.starts_with("verdict: CPU and GPU agree"),
        "{verdict}"
    );
}

#[test]
fn experiments_pass_on_a_named_adapter() {
    let home = Home::new();
    home.run_with_gpu(&[
        "reproduce",
        "baumgarte_limit",
        "--backend",
        "gpu",
        "--adapter",
        &adapter(),
        "--output",
        "out",
    ])
    .expect_code(0);
    let results: serde_json::Value = serde_json::from_str(&home.read("out/results.json")).unwrap();
    let backend = results["provenance"]["backend"].as_str().unwrap();
    assert!(backend.starts_with("gpu: "), "{backend}");
    assert_eq!(results["pass"], true);
}

#[test]
fn bench_measures_a_named_adapter_beside_the_cpu() {
    let home = Home::new();
    home.run_with_gpu(&[
        "bench",
        "--quick",
        "--sizes",
        "60",
        "--adapter",
        &adapter(),
        "--json",
        "out.json",
    ])
    .expect_code(0);
    let results: serde_json::Value = serde_json::from_str(&home.read("out.json")).unwrap();
    let name = results["adapter"]["name"].as_str().unwrap().to_lowercase();
    assert!(name.contains(&adapter().to_lowercase()), "{name}");
    let dispatch = &results["dispatch"];
    let latency = dispatch["per_dispatch_us"].as_f64().unwrap();
    let round_trip = dispatch["round_trip_us"].as_f64().unwrap();
    assert!(latency > 0.0 && round_trip > latency, "{dispatch}");
    for section in ["sweeps", "residuals", "stages"] {
        let rows = results[section].as_array().unwrap();
        let on_gpu = rows.iter().filter(|row| {
            let backend = row["backend"].as_str().unwrap();
            backend.starts_with("gpu: ")
        });
        assert_eq!(2 * on_gpu.count(), rows.len(), "{section}");
    }
    // The same problems from the same start: as many passes to the residual on both, or nearly.
    let passes = |backend: &str| -> Vec<f64> {
        let rows = results["residuals"].as_array().unwrap();
        rows.iter()
            .filter(|row| row["backend"].as_str().unwrap().starts_with(backend))
            .map(|row| row["passes"].as_f64().unwrap())
            .collect()
    };
    for (cpu, gpu) in passes("cpu").iter().zip(passes("gpu")) {
        assert!(
            (cpu - gpu).abs() <= 0.1 * cpu + 8.0,
            "{cpu} and {gpu} passes"
        );
    }
}

#[test]
fn problems_of_a_run_on_an_adapter_are_solved_to_the_same_impulses() {
    let home = Home::with_drop_scene();
    // In substeps too.
    let soft = home
        .read("drop.toml")
        .replace("method = \"post\"\niterations = 10\n", "");
    home.write(
        "soft.toml",
        &soft.replace("method = \"pgs\"\niterations = 20\n", ""),
    );
    let adapter = adapter();
    for scene in ["drop", "soft"] {
        home.run_with_gpu(&[
            "run",
            &format!("{scene}.toml"),
            "--steps=40",
            "--adapter",
            &adapter,
            "--out",
            scene,
            "--no-picture",
            "--dump-problem=25,40",
        ])
        .expect_code(0);
        for step in [25, 40] {
            let file = format!("{scene}/problem_{step}.json");
            let ended = home
                .run_with_gpu(&["solve", &file, "--adapter", &adapter, "--json"])
                .expect_code(0);
            let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
            assert_eq!(report["recorded"]["same_bits"], true, "{report}");
            assert_eq!(report["backend"], "gpu");
            // On the CPU other bits, and nearly the same impulses.
            let ended = home
                .run_with_gpu(&["solve", &file, "--backend=cpu", "--json"])
                .expect_code(0);
            let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
            let recorded = &report["recorded"];
            let number = |name: &str| recorded[name].as_f64().unwrap();
            assert!(
                number("largest_difference") < 1e-3 * number("largest_impulse"),
                "{report}"
            );
        }
    }
}
