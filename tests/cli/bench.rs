//! Measurements: what they name, how they hang together, and what they are written as.

use crate::program::{Home, entries};
use drystone::solver::Method;
use serde_json::Value;

/// A bench of tiny piles, and its JSON.
fn tiny(home: &Home, more: &[&str]) -> (String, Value) {
    let args = ["bench", "--quick", "--sizes", "40,90", "--json", "out.json"];
    let ended = home.run(&[&args, more].concat()).expect_code(0);
    (
        ended.stdout,
        serde_json::from_str(&home.read("out.json")).unwrap(),
    )
}

fn rows<'a>(results: &'a Value, section: &str) -> &'a Vec<Value> {
    results[section].as_array().unwrap()
}

#[test]
fn without_a_gpu_the_cpu_is_measured_and_the_reason_given() {
    let home = Home::new();
    let (text, results) = tiny(&home, &["--threads", "1"]);
    assert!(results["adapter"]["name"].is_null());
    assert!(results["dispatch"].is_null());
    let why = results["adapter"]["missing"].as_str().unwrap();
    assert!(!why.is_empty() && text.contains(why), "{why} in {text}");
    assert_eq!(results["machine"]["threads"], 1);
    for name in ["cpu", "system", "simd"] {
        let value = results["machine"][name].as_str().unwrap();
        assert!(
            !value.is_empty() && text.contains(value),
            "{name} in {text}"
        );
    }
    assert_eq!(results["provenance"]["version"], env!("CARGO_PKG_VERSION"));
    assert!(text.contains("drystone bench --quick --sizes"), "{text}");

    // Two piles of spheres and one of boxes, by every method.
    let methods = Method::ALL.len();
    assert_eq!(rows(&results, "sweeps").len(), 3 * methods);
    assert_eq!(rows(&results, "residuals").len(), 2 * methods);
    assert_eq!(rows(&results, "stages").len(), 3);
    for method in Method::ALL {
        assert!(text.contains(method.name()), "{} in {text}", method.name());
    }
    assert_eq!(entries(&home.path(".")), ["out.json"]);
}

#[test]
fn figures_hang_together() {
    let home = Home::new();
    let (_, results) = tiny(&home, &["--backend", "cpu"]);
    for sweep in rows(&results, "sweeps") {
        let number = |name: &str| sweep[name].as_f64().unwrap();
        assert!(number("contacts") > 0.0, "{sweep}");
        let (rate, micros) = (number("contact_iterations_per_second"), number("sweep_us"));
        if micros > 0.0 {
            assert!(
                (rate * micros * 1e-6 / number("contacts") - 1.0).abs() < 1e-6,
                "{sweep}"
            );
        }
        let bandwidth = 1e-9 * rate * number("bytes_per_contact");
        assert!(
            (number("gigabytes_per_second") - bandwidth).abs() <= 1e-9 * bandwidth,
            "{sweep}"
        );
    }
    for found in rows(&results, "residuals") {
        let residual = found["residual_over_gh"].as_f64().unwrap();
        let target = found["target_over_gh"].as_f64().unwrap();
        assert_eq!(
            found["reached"].as_bool().unwrap(),
            residual <= target,
            "{found}"
        );
        assert!(found["passes"].as_u64().unwrap() >= 1);
    }
    for stage in rows(&results, "stages") {
        let number = |name: &str| stage[name].as_f64().unwrap();
        let parts = [
            "broadphase_ms",
            "narrowphase_ms",
            "pack_ms",
            "solve_ms",
            "position_ms",
            "other_ms",
        ];
        let sum: f64 = parts.iter().map(|part| number(part)).sum();
        assert!((sum - number("step_ms")).abs() <= 1e-6 * sum, "{stage}");
        assert!(
            number("contacts") > 0.0 && number("step_ms") > 0.0,
            "{stage}"
        );
    }
}

#[test]
fn results_fit_the_schema_that_is_printed() {
    let home = Home::new();
    let schema = home.run(&["bench", "--schema"]).expect_code(0).stdout;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let (_, results) = tiny(&home, &[]);
    assert!(
        validator.is_valid(&results),
        "{:?}",
        validator.validate(&results)
    );
    let mut broken = results;
    broken["sweeps"][0]["sweep_us"] = "fast".into();
    assert!(!validator.is_valid(&broken));
}
