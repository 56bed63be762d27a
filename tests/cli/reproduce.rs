//! Reproduced experiments: rows, figures, the page, and how the command refuses.

use crate::program::{Home, entries};
use serde_json::Value;

/// Experiments that take well under a second each.
const CHEAP: [&str; 2] = ["double_pendulum_stability", "painleve_rod"];

/// Experiments of joints that take a few seconds together.
const WITH_JOINTS: [&str; 4] = ["pendulum", "chain6", "baumgarte_limit", "rectangle_pushed"];

/// Experiments of the papers' claims that take well under a second each and measure no time.
const CLAIMS: [&str; 12] = [
    "fourth_order",
    "error_and_speed",
    "error_removal",
    "redundancy",
    "solvability",
    "ratio_metric",
    "infeasibility_bound",
    "sweep_and_sort",
    "event_stepper",
    "impacts",
    "resting_contact",
    "constraint_stabilization",
];

/// The documents between `<svg` and `</svg>` of a page.
fn inline_figures(page: &str) -> Vec<&str> {
    page.match_indices("<svg ")
        .map(|(start, _)| {
            let end = page[start..].find("</svg>").unwrap();
            &page[start..start + end + "</svg>".len()]
        })
        .collect()
}

/// Fails unless a document is well-formed and has curves and labelled axes.
fn expect_figure(svg: &str) {
    let document = roxmltree::Document::parse(svg).unwrap();
    let count = |name: &str| {
        document
            .descendants()
            .filter(|node| node.has_tag_name(name))
            .count()
    };
    assert!(count("polyline") > 0, "no curve");
    assert!(count("text") > 8, "no labels");
    let words: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text())
        .collect();
    let with_unit = words.iter().filter(|word| word.contains('['));
    assert!(with_unit.count() >= 1, "no unit in {words:?}");
}

/// Text as it stands in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('\'', "&#39;")
}

/// Fails unless the page of a folder shows every figure in it and every row of `results.json`.
pub(crate) fn expect_whole_page(home: &Home, folder: &str) -> Value {
    let page = home.read(&format!("{folder}/index.html"));
    let results: Value =
        serde_json::from_str(&home.read(&format!("{folder}/results.json"))).unwrap();
    let inline = inline_figures(&page);
    for figure in &inline {
        expect_figure(figure);
    }
    let files: Vec<String> = entries(&home.path(folder))
        .into_iter()
        .filter(|name| name.ends_with(".svg"))
        .collect();
    assert_eq!(files.len(), inline.len(), "{files:?}");
    for file in files {
        let svg = home.read(&format!("{folder}/{file}"));
        expect_figure(&svg);
        // The page adds attributes to the first tag only.
        let body = svg.split_once('>').unwrap().1.trim_end();
        assert!(page.contains(body), "{file}");
    }
    for experiment in results["experiments"].as_array().unwrap() {
        let name = experiment["name"].as_str().unwrap();
        assert!(page.contains(&format!("id=\"{name}\"")), "{name}");
        let rows = experiment["rows"].as_array().unwrap();
        assert!(!rows.is_empty(), "{name}");
        for row in rows {
            for key in ["quantity", "expected_text"] {
                let text = escaped(row[key].as_str().unwrap());
                assert!(page.contains(&format!(">{text}</td>")), "{text}");
            }
        }
    }
    for forbidden in ["<script", "http-equiv", "src=", "@import", "url("] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("prefers-color-scheme:dark"));
    results
}

#[test]
fn cheap_experiments_pass_and_leave_a_page() {
    let home = Home::new();
    let mut args = vec!["reproduce"];
    args.extend(CHEAP);
    let ended = home.run(&args).expect_code(0);
    assert_eq!(entries(&home.path("runs")), ["reproduce-1"]);
    let results = expect_whole_page(&home, "runs/reproduce-1");
    assert_eq!(results["pass"], true);
    assert_eq!(results["provenance"]["backend"], "cpu");
    assert_eq!(
        results["provenance"]["command"],
        "drystone reproduce double_pendulum_stability painleve_rod"
    );
    let experiments = results["experiments"].as_array().unwrap();
    assert_eq!(experiments.len(), CHEAP.len());
    for (experiment, name) in experiments.iter().zip(CHEAP) {
        assert_eq!(experiment["name"], name);
        assert_eq!(experiment["pass"], true);
        for row in experiment["rows"].as_array().unwrap() {
            assert_eq!(row["pass"], true, "{row:#}");
        }
    }
    // The paper's slip stands beside the right number.
    let rows = experiments[0]["rows"].as_array().unwrap();
    let limit = rows.iter().find(|row| row["published"] == "0.83").unwrap();
    assert!((limit["measured"].as_f64().unwrap() - 0.082_842_7).abs() < 1e-5);

    for part in ["0.83", "0.0828427", "pass", "rows pass", "index.html"] {
        assert!(ended.stdout.contains(part), "{part} in {}", ended.stdout);
    }
    assert!(!ended.stdout.contains("FAIL"), "{}", ended.stdout);
    let longest = ended.stdout.lines().map(|l| l.chars().count()).max();
    assert!(longest <= Some(100), "{longest:?}\n{}", ended.stdout);
    assert!(
        ended.stderr.contains("painleve_rod (2 of 2)"),
        "{}",
        ended.stderr
    );
}

#[test]
fn claims_of_the_papers_hold() {
    for backend in ["cpu", "lemke"] {
        let home = Home::new();
        let mut args = vec![
            "reproduce",
            "--backend",
            backend,
            "--output",
            "out",
            "--quiet",
        ];
        args.extend(CLAIMS);
        args.extend(["motion_derivatives", "implicit_enforcement"]);
        home.run(&args).expect_code(0);
        let results = expect_whole_page(&home, "out");
        let experiments = results["experiments"].as_array().unwrap();
        assert_eq!(experiments.len(), CLAIMS.len() + 2);
        assert_eq!(results["pass"], true);
    }
}

#[test]
fn fixed_points_are_those_of_their_laws() {
    let home = Home::new();
    home.run(&["reproduce", "fixed_points", "--output", "out", "--quiet"])
        .expect_code(0);
    let results = expect_whole_page(&home, "out");
    assert_eq!(results["experiments"][0]["pass"], true);
}

#[test]
fn joints_drift_and_stay_as_in_the_papers() {
    for backend in ["cpu", "lemke"] {
        let home = Home::new();
        let mut args = vec!["reproduce", "--backend", backend, "--output", "out"];
        args.extend(WITH_JOINTS);
        home.run(&args).expect_code(0);
        let results = expect_whole_page(&home, "out");
        let experiments = results["experiments"].as_array().unwrap();
        assert_eq!(experiments.len(), WITH_JOINTS.len());
        let chain = experiments.iter().find(|e| e["name"] == "chain6").unwrap();
        let rows = chain["rows"].as_array().unwrap();
        let measured = |start: &str| {
            let row = rows
                .iter()
                .find(|row| row["quantity"].as_str().unwrap().starts_with(start));
            row.unwrap()["measured"].as_f64().unwrap()
        };
        // In millimetres, the paper's order: each method is better than the one before.
        let errors = [
            measured("g = 9.81, none: largest"),
            measured("g = 9.81, Baumgarte 50: largest"),
            measured("g = 9.81, Baumgarte 200: largest"),
            measured("g = 9.81, before the post-step: largest"),
            measured("g = 9.81, after the post-step: largest"),
        ];
        assert!(errors.windows(2).all(|e| e[1] < 0.5 * e[0]), "{errors:?}");
        assert!(
            (errors[0] - 2.73).abs() < 0.03 * 2.73,
            "{backend}: {errors:?}"
        );
        assert!(errors[4] < 3e-5, "{backend}: {errors:?}");
    }
}

#[test]
fn json_is_what_the_folder_holds() {
    let home = Home::new();
    let ended = home
        .run(&[
            "reproduce",
            "painleve_rod",
            "--backend",
            "lemke",
            "--json",
            "--output",
            "out",
        ])
        .expect_code(0);
    let printed: Value = serde_json::from_str(&ended.stdout).unwrap();
    let written: Value = serde_json::from_str(&home.read("out/results.json")).unwrap();
    assert_eq!(printed, written);
    assert_eq!(printed["provenance"]["backend"], "lemke");
    assert_eq!(printed["pass"], true);
}

#[test]
fn results_are_never_overwritten() {
    let home = Home::new();
    let one = ["reproduce", CHEAP[0]];
    home.run(&one).expect_code(0);
    home.run(&one).expect_code(0);
    assert_eq!(entries(&home.path("runs")), ["reproduce-1", "reproduce-2"]);
    let before = home.read("runs/reproduce-1/index.html");
    let ended = home
        .run(&["reproduce", CHEAP[0], "--output", "runs/reproduce-1"])
        .expect_code(2);
    assert!(
        ended.stderr.contains("never overwritten"),
        "{}",
        ended.stderr
    );
    assert_eq!(home.read("runs/reproduce-1/index.html"), before);
}

#[test]
fn the_list_names_every_experiment_and_runs_none() {
    let home = Home::new();
    let ended = home.run(&["reproduce", "--list"]).expect_code(0);
    let json = home.run(&["reproduce", "--list", "--json"]).expect_code(0);
    let list: Value = serde_json::from_str(&json.stdout).unwrap();
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), 28);
    for experiment in list {
        for key in ["name", "title", "source"] {
            let text = experiment[key].as_str().unwrap();
            assert!(ended.stdout.contains(text), "{text} in {}", ended.stdout);
        }
    }
    assert!(entries(&home.path(".")).is_empty());
}

#[test]
fn unknown_names_are_refused_with_the_nearest_one() {
    let home = Home::new();
    let ended = home.run(&["reproduce", "painleve_rot"]).expect_code(2);
    assert!(
        ended.stderr.contains("similar value") && ended.stderr.contains("'painleve_rod'"),
        "{}",
        ended.stderr
    );
    for args in [
        &["reproduce", "--backend", "tpu"][..],
        &["reproduce", "--adapter", "x"],
        &["reproduce", "--threads", "0"],
    ] {
        home.run(args).expect_code(2);
    }
    assert!(entries(&home.path(".")).is_empty());
}

#[test]
fn a_missing_gpu_is_said_and_nothing_is_run() {
    let home = Home::new();
    let ended = home
        .run(&["reproduce", CHEAP[0], "--backend", "gpu"])
        .expect_code(2);
    assert!(ended.stderr.contains("no GPU adapter"), "{}", ended.stderr);
    assert!(ended.stdout.is_empty());
    assert!(entries(&home.path(".")).is_empty());
}
