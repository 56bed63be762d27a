//! Dense LCPs: problems of the literature, worst cases, and random ones against an enumeration of
//! all complementary bases.

use drystone::internals::lcp::{
    LcpProblem, LcpSolution, LcpStatus, dantzig, fischer_burmeister, lemke, min_map,
};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn problem(rows: &[&[f64]], q: &[f64]) -> LcpProblem {
    LcpProblem {
        matrix: DMatrix::from_fn(q.len(), q.len(), |i, j| rows[i][j]),
        q: DVector::from_row_slice(q),
    }
}

fn random_matrix(random: &mut Pcg64, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| random.random_range(-1.0..1.0))
}

fn random_vector(random: &mut Pcg64, rows: usize) -> DVector<f64> {
    DVector::from_fn(rows, |_, _| random.random_range(-1.0..1.0))
}

/// Every basic solution `z`: each row either has `w_i = 0`, or `z_i = 0`, or (up to 6 rows, for
/// degenerate bases) both.
fn enumerate(problem: &LcpProblem) -> Vec<DVector<f64>> {
    let n = problem.size();
    let sides: usize = if n <= 6 { 3 } else { 2 };
    let mut solutions = Vec::new();
    for code in 0..sides.pow(n as u32) {
        let side = |i: usize| code / sides.pow(i as u32) % sides;
        let columns: Vec<usize> = (0..n).filter(|&i| side(i) == 1).collect();
        let rows: Vec<usize> = (0..n).filter(|&i| side(i) != 0).collect();
        let mut z = DVector::zeros(n);
        if !columns.is_empty() {
            let block = DMatrix::from_fn(rows.len(), columns.len(), |i, j| {
                problem.matrix[(rows[i], columns[j])]
            });
            let right = DVector::from_fn(rows.len(), |i, _| -problem.q[rows[i]]);
            let solved = if rows.len() == columns.len() {
                block.lu().solve(&right)
            } else {
                block.svd(true, true).solve(&right, 1e-12).ok()
            };
            let Some(solved) = solved else { continue };
            for (&j, &value) in columns.iter().zip(solved.iter()) {
                z[j] = value;
            }
        }
        if min_map(&z, &problem.slack(&z)) <= 1e-9 {
            solutions.push(z);
        }
    }
    solutions
}

/// The status and the numbers must agree, whatever they are.
fn check_honest(name: &str, problem: &LcpProblem, solution: &LcpSolution) {
    let w = problem.slack(&solution.z);
    assert_eq!(w, solution.w, "{name}: w is not M z + q");
    assert!(solution.z.iter().all(|&z| z >= 0.0), "{name}: negative z");
    assert_eq!(min_map(&solution.z, &w), solution.residual, "{name}");
    assert_eq!(
        solution.is_solved(),
        solution.residual <= 1e-9 * (1.0 + problem.q.amax()),
        "{name}: {:?} with residual {:e}",
        solution.status,
        solution.residual
    );
}

#[test]
fn residuals_vanish_at_solutions_only() {
    let z = DVector::from_row_slice(&[0.0, 2.0]);
    let w = DVector::from_row_slice(&[3.0, 0.0]);
    assert_eq!(min_map(&z, &w), 0.0);
    assert_eq!(fischer_burmeister(&z, &w), 0.0);
    let z = DVector::from_row_slice(&[-0.5, 3.0]);
    let w = DVector::from_row_slice(&[3.0, 4.0]);
    assert_eq!(min_map(&z, &w), 3.0);
    assert_eq!(fischer_burmeister(&z, &w), 2.0);
    let nan = DVector::from_row_slice(&[f64::NAN, 0.0]);
    assert!(min_map(&nan, &w).is_nan() && min_map(&w, &nan).is_nan());
    assert!(fischer_burmeister(&nan, &w).is_nan());
}

#[test]
fn validation_names_what_is_wrong() {
    let mut bad = problem(&[&[1.0, 0.0], &[0.0, 1.0]], &[1.0, 2.0]);
    assert!(bad.validate().is_ok());
    bad.matrix[(0, 1)] = f64::INFINITY;
    assert!(bad.validate().is_err());
    bad.matrix = DMatrix::zeros(2, 3);
    assert!(bad.validate().unwrap_err().to_string().contains("2 x 3"));
}

#[test]
fn small_problems_have_their_known_answers() {
    // One solution (4/3, 7/3); q >= 0; and no row at all.
    let one = problem(&[&[2.0, 1.0], &[1.0, 2.0]], &[-5.0, -6.0]);
    for solution in [lemke::solve(&one), dantzig::solve(&one)] {
        assert!(solution.is_solved());
        assert!((solution.z[0] - 4.0 / 3.0).abs() < 1e-14);
        assert!((solution.z[1] - 7.0 / 3.0).abs() < 1e-14);
    }
    let trivial = problem(&[&[-1.0]], &[0.5]);
    assert_eq!(lemke::solve(&trivial).z[0], 0.0);
    let empty = problem(&[], &[]);
    assert!(lemke::solve(&empty).is_solved() && dantzig::solve(&empty).is_solved());
}

#[test]
fn unsolvable_problems_are_reported() {
    // w = -z - 1 < 0; w1 = -1 whatever z is; and a pair that pulls itself apart.
    for (name, unsolvable) in [
        ("negative", problem(&[&[-1.0]], &[-1.0])),
        (
            "zero row",
            problem(&[&[0.0, 0.0], &[0.0, 1.0]], &[-1.0, -1.0]),
        ),
        (
            "contradiction",
            problem(&[&[1.0, -1.0], &[-1.0, 1.0]], &[-1.0, -1.0]),
        ),
    ] {
        assert!(enumerate(&unsolvable).is_empty(), "{name}");
        for solution in [lemke::solve(&unsolvable), dantzig::solve(&unsolvable)] {
            check_honest(name, &unsolvable, &solution);
            assert_eq!(solution.status, LcpStatus::RayTermination, "{name}");
        }
    }
    let limited = lemke::Options {
        seeds: 2,
        random_bases: 0,
        max_pivots: 2,
    };
    let murty = murty(6);
    let solution = lemke::solve_with(&murty, limited);
    assert_eq!(solution.status, LcpStatus::MaxPivots);
    check_honest("limited", &murty, &solution);
}

#[test]
fn overflow_is_reported() {
    let tiny = problem(&[&[1e-200]], &[-1e200]);
    for solution in [lemke::solve(&tiny), dantzig::solve(&tiny)] {
        assert!(!solution.is_solved(), "{solution:?}");
        assert!(solution.z[0].is_finite());
    }
}

/// Murty's example (CPS, section 6.6): exponentially many pivots for a covering vector of ones.
fn murty(n: usize) -> LcpProblem {
    LcpProblem {
        matrix: DMatrix::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => 2.0,
            std::cmp::Ordering::Less => 0.0,
        }),
        q: DVector::repeat(n, -1.0),
    }
}

#[test]
fn worst_cases_take_few_pivots() {
    let murty = murty(12);
    let solution = lemke::solve(&murty);
    check_honest("Murty 12", &murty, &solution);
    assert!(solution.is_solved());
    assert!(solution.pivots < 100, "Murty: {} pivots", solution.pivots);
    // Fathi's example: Murty's matrix times its transpose, positive definite.
    let mut fathi = self::murty(16);
    fathi.matrix = &fathi.matrix * fathi.matrix.transpose();
    let solution = lemke::solve(&fathi);
    assert!(solution.is_solved());
    assert!(solution.pivots < 100, "Fathi: {} pivots", solution.pivots);
}

#[test]
fn answers_repeat_bit_for_bit() {
    let mut random = Pcg64::seed_from_u64(1);
    let factor = random_matrix(&mut random, 30, 20);
    let problem = LcpProblem {
        matrix: &factor * factor.transpose(),
        q: &factor * random_vector(&mut random, 20),
    };
    assert_eq!(lemke::solve(&problem), lemke::solve(&problem));
}

#[test]
fn random_positive_definite_problems_have_the_enumerated_answer() {
    let mut random = Pcg64::seed_from_u64(2);
    for case in 0..300 {
        let n = 1 + case % 8;
        let factor = random_matrix(&mut random, n, n);
        let skew = random_matrix(&mut random, n, n);
        let problem = LcpProblem {
            matrix: &factor * factor.transpose()
                + DMatrix::identity(n, n) * 0.1
                + (&skew - skew.transpose()),
            q: random_vector(&mut random, n),
        };
        let solution = lemke::solve(&problem);
        check_honest("positive definite", &problem, &solution);
        assert!(solution.is_solved(), "case {case}: {:?}", solution.status);
        let all = enumerate(&problem);
        assert!(!all.is_empty());
        for z in all {
            assert!((z - &solution.z).amax() < 1e-8, "case {case}");
        }
    }
}

#[test]
fn random_semidefinite_problems_are_solved_exactly_when_they_can_be() {
    let mut random = Pcg64::seed_from_u64(3);
    let (mut solved, mut unsolvable) = (0, 0);
    for case in 0..300 {
        let n = 2 + case % 4;
        let rank = 1 + case % n;
        let factor = random_matrix(&mut random, n, rank);
        let mut matrix = &factor * factor.transpose();
        if case % 3 == 0 {
            let skew = random_matrix(&mut random, n, n);
            matrix += &skew - skew.transpose();
        }
        let problem = LcpProblem {
            matrix,
            q: random_vector(&mut random, n),
        };
        let solution = lemke::solve(&problem);
        check_honest("semidefinite", &problem, &solution);
        assert_eq!(
            solution.is_solved(),
            !enumerate(&problem).is_empty(),
            "case {case}: {solution:?}"
        );
        if solution.is_solved() {
            solved += 1;
        } else {
            unsolvable += 1;
        }
    }
    assert!(solved > 100 && unsolvable > 20, "{solved} {unsolvable}");
}

/// For an arbitrary matrix the method may find nothing where there is something, and must say so.
#[test]
fn random_arbitrary_problems_are_never_answered_wrongly() {
    let mut random = Pcg64::seed_from_u64(4);
    let (mut solvable, mut missed) = (0, 0);
    for case in 0..400 {
        let n = 1 + case % 5;
        let problem = LcpProblem {
            matrix: random_matrix(&mut random, n, n),
            q: random_vector(&mut random, n),
        };
        let solution = lemke::solve(&problem);
        check_honest("arbitrary", &problem, &solution);
        let exists = !enumerate(&problem).is_empty();
        assert!(exists || !solution.is_solved(), "case {case}");
        solvable += usize::from(exists);
        missed += usize::from(exists && !solution.is_solved());
    }
    println!("{missed} of {solvable} solvable problems not solved");
    assert!(
        solvable > 200 && missed * 20 < solvable,
        "{missed} {solvable}"
    );
}

#[test]
fn dantzig_agrees_with_lemke_on_semidefinite_problems() {
    let mut random = Pcg64::seed_from_u64(5);
    let mut worst = 0.0_f64;
    for case in 0..300 {
        let n = 1 + case % 24;
        let rank = if case % 2 == 0 { n } else { 1 + n / 2 };
        let factor = random_matrix(&mut random, n, rank);
        let problem = LcpProblem {
            matrix: &factor * factor.transpose(),
            q: &factor * random_vector(&mut random, rank),
        };
        let first = lemke::solve(&problem);
        let second = dantzig::solve(&problem);
        check_honest("Lemke", &problem, &first);
        check_honest("Dantzig", &problem, &second);
        assert!(first.is_solved(), "case {case}: Lemke {:?}", first.status);
        assert!(
            second.is_solved(),
            "case {case}: Dantzig {:?}",
            second.status
        );
        // z need not be unique, M z is.
        let scale = 1.0 + problem.q.amax();
        worst = worst.max((&first.w - &second.w).amax() / scale);
    }
    println!("largest relative difference of M z: {worst:e}");
    assert!(worst < 1e-9, "{worst:e}");
}

/// Four equal corners under a plate: every row is redundant, every ratio ties.
#[test]
fn a_plate_on_four_corners_is_carried() {
    let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let problem = LcpProblem {
        matrix: DMatrix::from_fn(4, 4, |i, j| {
            1.0 + 3.0 * (corners[i][0] * corners[j][0] + corners[i][1] * corners[j][1])
        }),
        q: DVector::repeat(4, -1.0),
    };
    for solution in [lemke::solve(&problem), dantzig::solve(&problem)] {
        check_honest("plate", &problem, &solution);
        assert!(solution.is_solved());
        assert!((solution.z.sum() - 1.0).abs() < 1e-12);
    }
}

/// Problems collected from the literature, read from the folder that `DRYSTONE_DATA` names.
#[test]
fn problems_of_the_literature() {
    let Some(folder) = std::env::var_os("DRYSTONE_DATA") else {
        return;
    };
    let path = std::path::Path::new(&folder).join("lcp/literature.json");
    let text = std::fs::read_to_string(path).unwrap();
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut run = 0;
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        // One entry has an answer and no problem.
        let (Some(rows), Some(q)) = (case["M"].as_array(), case["q"].as_array()) else {
            continue;
        };
        let numbers = |row: &serde_json::Value| -> Vec<f64> {
            let row = row.as_array().unwrap();
            row.iter().map(|x| x.as_f64().unwrap()).collect()
        };
        let rows: Vec<Vec<f64>> = rows.iter().map(numbers).collect();
        let problem = LcpProblem {
            matrix: DMatrix::from_fn(q.len(), q.len(), |i, j| rows[i][j]),
            q: DVector::from_fn(q.len(), |i, _| q[i].as_f64().unwrap()),
        };
        problem.validate().unwrap();
        let solution = lemke::solve(&problem);
        println!(
            "{name}: {:?}, {} pivots, residual {:.1e}",
            solution.status, solution.pivots, solution.residual
        );
        check_honest(name, &problem, &solution);
        let solvable = if problem.size() <= 12 {
            !enumerate(&problem).is_empty()
        } else {
            case.get("one_solution").is_some()
        };
        assert_eq!(solution.is_solved(), solvable, "{name}");
        assert!(!solvable || solution.residual <= 1e-9, "{name}");
        run += 1;
    }
    assert!(run >= 24, "only {run} problems were read");
}
