//! Files that are read, and files that cannot be.

use crate::support::friction_file::{self, from_json};
use crate::support::recorded::FrictionProblem;
use drystone::math::{Mat3, Vec3};
use drystone::solver::nsgs::NsgsOptions;
use serde_json::{Value, json};

/// One contact of a unit mass that falls with 1 m/s and slides with 1 m/s.
fn small() -> Value {
    json!({
        "name": "slide", "kind": "local", "dimension": 3, "contacts": 1, "mu": [0.5],
        "W": {"rows": 3, "cols": 3, "format": "csc",
              "colptr": [0, 1, 2, 3], "rowidx": [0, 1, 2], "values": [1.0, 1.0, 1.0]},
        "q": [-1.0, 1.0, 0.0],
    })
}

/// The same in global form: the mass is 2 kg, and the body's own velocity the sliding one.
fn small_global() -> Value {
    json!({
        "kind": "global", "dimension": 3, "mu": [0.5],
        "M": {"rows": 3, "cols": 3, "format": "csc",
              "colptr": [0, 1, 2, 3], "rowidx": [0, 1, 2], "values": [2.0, 2.0, 2.0]},
        "H": {"rows": 3, "cols": 3, "format": "csc",
              "colptr": [0, 1, 2, 3], "rowidx": [2, 0, 1], "values": [1.0, 1.0, 1.0]},
        "f": [2.0, 0.0, -1.0],
        "w": [-0.5, 0.0, 0.0],
    })
}

fn read(value: &Value) -> Result<FrictionProblem, String> {
    from_json(&value.to_string(), "some.json").map_err(|error| error.to_string())
}

#[test]
fn a_sliding_mass_is_slowed_by_half_its_landing() {
    for (value, mass) in [(small(), 1.0), (small_global(), 2.0)] {
        let problem = read(&value).unwrap();
        let solution = problem.solve(&NsgsOptions::default()).unwrap();
        let [[normal, t1, t2]] = solution.impulses[..] else {
            panic!("one contact");
        };
        assert!((normal - mass).abs() < 1e-15);
        assert!((t1 + 0.5 * mass).abs() < 1e-15 && t2 == 0.0);
        assert!((solution.velocities[0][1] - 0.5).abs() < 1e-15);
        assert!(solution.verdict.merit_1 < 1e-15 && solution.verdict.residual < 1e-15);
        let judged = problem.judge(&[[mass, 0.0, 0.0]]).unwrap();
        // Without friction it would go on with 1 m/s; the natural map asks for half of that.
        assert!((judged.residual - 0.5).abs() < 1e-15, "{judged:?}");
        assert!(problem.judge(&[]).is_err());
    }
    assert_eq!(read(&small()).unwrap().name, "slide");
}

/// `merit_1` by hand, at an impulse that solves nothing.
#[test]
fn merit_1_is_as_defined() {
    let problem = read(&small()).unwrap();
    // u = (-1, 1, 0), u~_n = -1 + 0.5 = -0.5; r - u~ = (0.5, -1, 0), which lies outside of the cone
    // and outside of its polar: P = (0.5 + 0.5)/(1.25) (1, -0.5, 0) = (0.8, -0.4, 0).
    let expected = 0.8_f64.hypot(0.4) / (1.0 + 2.0_f64.sqrt().sqrt());
    let found = problem.judge(&[[0.0; 3]]).unwrap().merit_1;
    assert!((found - expected).abs() < 1e-15, "{found} {expected}");
}

/// Half of a coupled mass matrix, and the whole of it.
#[test]
fn half_a_mass_matrix_is_completed() {
    let mut half = small_global();
    half["M"] = json!({"rows": 3, "cols": 3, "format": "csc",
        "colptr": [0, 1, 3, 5], "rowidx": [0, 0, 1, 0, 2], "values": [4.0, 1.0, 3.0, 0.5, 2.0]});
    let mut whole = small_global();
    whole["M"] = json!({"rows": 3, "cols": 3, "format": "csc", "colptr": [0, 3, 5, 7],
        "rowidx": [0, 1, 2, 0, 1, 0, 2], "values": [4.0, 1.0, 0.5, 1.0, 3.0, 0.5, 2.0]});
    let (half, whole) = (read(&half).unwrap(), read(&whole).unwrap());
    assert_eq!(half.delassus, whole.delassus);
    let mass = Mat3::new(4.0, 1.0, 0.5, 1.0, 3.0, 0.0, 0.5, 0.0, 2.0);
    let inverse = mass.try_inverse().unwrap();
    let expected = inverse * Vec3::new(2.0, 0.0, -1.0);
    // The rows are z, x, y.
    for (row, axis) in [2, 0, 1].into_iter().enumerate() {
        let offset = if row == 0 { -0.5 } else { 0.0 };
        assert!((whole.q[row] - expected[axis] - offset).abs() < 1e-15);
        assert!((whole.delassus.entry(row, row) - inverse[(axis, axis)]).abs() < 1e-15);
    }
}

#[test]
fn mistakes_are_named_with_file_and_field() {
    let change = |path: &str, new: Value| {
        let mut value = if path.contains("/M") || path.contains("/H") || path == "/f" {
            small_global()
        } else {
            small()
        };
        *value.pointer_mut(path).unwrap() = new;
        read(&value).unwrap_err()
    };
    for (path, new, expected) in [
        ("/kind", json!("mixed"), "some.json: kind: \"mixed\""),
        ("/dimension", json!(2), "some.json: dimension: 2; 3"),
        ("/contacts", json!(2), "some.json: contacts: 2; 1"),
        ("/mu", json!([-0.1]), "some.json: mu[0]: -0.1"),
        ("/mu", json!([0.5, 0.5]), "some.json: contacts"),
        ("/mu", json!("rough"), "some.json: mu: a list"),
        ("/q", json!([0.0, 1.0]), "some.json: q: 2 numbers; 3"),
        ("/q/1", json!("fast"), "some.json: q[1]: \"fast\"; a number"),
        ("/W/format", json!("csr"), "some.json: W: format: \"csr\""),
        ("/W/rows", json!(4), "some.json: W: 4 x 3"),
        ("/W/cols", json!(4), "some.json: W: colptr: 4 entries"),
        ("/W/cols", json!(u64::MAX), "some.json: W: colptr"),
        ("/W/cols", json!(-1), "some.json: W: cols: a whole"),
        ("/W/rowidx/2", json!(3), "some.json: W: rowidx[2]: row 3"),
        ("/W/rowidx/2", json!(0.5), "some.json: W: rowidx[2]: 0.5"),
        ("/W/colptr/3", json!(2), "some.json: W: colptr: goes"),
        ("/W/colptr/1", json!(3), "some.json: W: "),
        ("/W/values", json!([1.0]), "some.json: W: rowidx, values"),
        ("/M/values/1", json!(0.0), "some.json: M: singular"),
        ("/M/rows", json!(4), "some.json: M: 4 x 3"),
        ("/H/rows", json!(2), "some.json: H: rowidx[0]"),
        ("/f", json!([1.0]), "some.json: M: 3 x 3; 1 x 1"),
    ] {
        let message = change(path, new.clone());
        assert!(
            message.contains(expected),
            "{path} {new}: {message}; expected {expected}"
        );
    }
    let mut missing = small();
    missing.as_object_mut().unwrap().remove("q");
    assert!(
        read(&missing)
            .unwrap_err()
            .contains("some.json: q: is missing")
    );
    let broken = from_json("{\"kind\": 1e999}", "some.json").unwrap_err();
    assert!(broken.to_string().contains("some.json: is no JSON"));
    let absent = friction_file::read("no/such/file.json".as_ref()).unwrap_err();
    assert!(absent.to_string().contains("no/such/file.json"));
}
