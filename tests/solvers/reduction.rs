//! Mixed problems: contacts beside joints, which may repeat or contradict each other.

use drystone::internals::lcp::{LcpProblem, LcpStatus, MixedProblem, Reduction};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Joints and frictionless contacts on a system of `N` coordinates.
struct System {
    inverse_mass: DMatrix<f64>,
    joints: DMatrix<f64>,
    joint_bias: DVector<f64>,
    contacts: DMatrix<f64>,
    contact_bias: DVector<f64>,
    free_velocity: DVector<f64>,
}

impl System {
    fn random(random: &mut Pcg64, joints: usize, contacts: usize) -> Self {
        const N: usize = 12;
        let mut matrix =
            |rows, columns| DMatrix::from_fn(rows, columns, |_, _| random.random_range(-1.0..1.0));
        let factor = matrix(N, N);
        Self {
            inverse_mass: &factor * factor.transpose() + DMatrix::identity(N, N),
            joints: matrix(joints, N),
            joint_bias: matrix(joints, 1).column(0).into_owned(),
            contacts: matrix(contacts, N),
            contact_bias: matrix(contacts, 1).column(0).map(f64::abs),
            free_velocity: matrix(N, 1).column(0).into_owned(),
        }
    }

    /// The same joint rows once more, and their sum.
    fn with_redundant_joints(&self) -> Self {
        let rows = self.joints.nrows();
        let twice = |i: usize| if i < rows { i } else { i - rows };
        let mut joints = DMatrix::from_fn(2 * rows + 1, self.joints.ncols(), |i, j| {
            self.joints[(twice(i.min(2 * rows - 1)), j)]
        });
        let mut joint_bias = DVector::from_fn(2 * rows + 1, |i, _| {
            self.joint_bias[twice(i.min(2 * rows - 1))]
        });
        joints.set_row(2 * rows, &self.joints.row_sum());
        joint_bias[2 * rows] = self.joint_bias.sum();
        Self {
            inverse_mass: self.inverse_mass.clone(),
            joints,
            joint_bias,
            contacts: self.contacts.clone(),
            contact_bias: self.contact_bias.clone(),
            free_velocity: self.free_velocity.clone(),
        }
    }

    /// Joint impulses as free variables, contact impulses as unknowns (Cline and Pai, eq. 8).
    fn mixed(&self) -> MixedProblem {
        let joints = &self.joints * &self.inverse_mass;
        let contacts = &self.contacts * &self.inverse_mass;
        MixedProblem {
            equality: &joints * self.joints.transpose(),
            equality_coupling: &joints * self.contacts.transpose(),
            equality_offset: &self.joints * &self.free_velocity + &self.joint_bias,
            complementarity_coupling: &contacts * self.joints.transpose(),
            complementarity: LcpProblem {
                matrix: &contacts * self.contacts.transpose(),
                q: &self.contacts * &self.free_velocity + &self.contact_bias,
            },
        }
    }

    /// Velocity after joint and contact impulses.
    fn velocity(&self, joint: &DVector<f64>, contact: &DVector<f64>) -> DVector<f64> {
        let impulse = self.joints.transpose() * joint + self.contacts.transpose() * contact;
        &self.free_velocity + &self.inverse_mass * impulse
    }
}

#[test]
fn joints_and_contacts_hold_with_and_without_redundancy() {
    let mut random = Pcg64::seed_from_u64(11);
    for case in 0..60 {
        let plain = System::random(&mut random, 1 + case % 4, 1 + case % 5);
        let mut velocities = Vec::new();
        for system in [plain.with_redundant_joints(), plain] {
            let mixed = system.mixed();
            mixed.validate().unwrap();
            let solution = Reduction::new(&mixed).solve();
            let contacts = &solution.complementarity;
            assert!(contacts.is_solved(), "case {case}: {:?}", contacts.status);
            assert!(solution.equality_residual < 1e-10);
            let velocity = system.velocity(&solution.x, &contacts.z);
            let joints = (&system.joints * &velocity + &system.joint_bias).amax();
            assert!(joints < 1e-10, "case {case}: joints off by {joints:e}");
            let gap = &system.contacts * &velocity + &system.contact_bias;
            assert!(gap.min() > -1e-10);
            assert!(gap.dot(&contacts.z).abs() < 1e-9);
            velocities.push(velocity);
        }
        let difference = (&velocities[0] - &velocities[1]).amax();
        assert!(difference < 1e-9, "case {case}: {difference:e}");
    }
}

#[test]
fn contradictory_joints_are_reported() {
    let mut random = Pcg64::seed_from_u64(12);
    let mut system = System::random(&mut random, 2, 2).with_redundant_joints();
    system.joint_bias[0] += 1.0;
    let mixed = system.mixed();
    let solution = Reduction::new(&mixed).solve();
    assert_eq!(solution.complementarity.status, LcpStatus::RayTermination);
    assert!(solution.equality_residual > 0.1);
}

#[test]
fn blocks_that_do_not_fit_are_refused() {
    let mut random = Pcg64::seed_from_u64(13);
    let mut mixed = System::random(&mut random, 2, 3).mixed();
    mixed.equality_coupling = DMatrix::zeros(2, 2);
    let message = mixed.validate().unwrap_err().to_string();
    assert!(message.contains("equality coupling"), "{message}");
}

/// Every `z` that solves a mixed problem with some `x`: for each choice of rows with `w = 0`, all
/// equations together in the least-squares sense.
fn enumerate(mixed: &MixedProblem) -> Vec<DVector<f64>> {
    let (m, n) = (mixed.equality_offset.len(), mixed.complementarity.size());
    let mut solutions = Vec::new();
    for choice in 0..1_usize << n {
        let active: Vec<usize> = (0..n).filter(|&i| choice >> i & 1 == 1).collect();
        let size = m + active.len();
        let block = DMatrix::from_fn(size, size, |i, j| match (i < m, j < m) {
            (true, true) => mixed.equality[(i, j)],
            (true, false) => mixed.equality_coupling[(i, active[j - m])],
            (false, true) => mixed.complementarity_coupling[(active[i - m], j)],
            (false, false) => mixed.complementarity.matrix[(active[i - m], active[j - m])],
        });
        let right = DVector::from_fn(size, |i, _| {
            if i < m {
                -mixed.equality_offset[i]
            } else {
                -mixed.complementarity.q[active[i - m]]
            }
        });
        let solved = if size == 0 {
            right.clone()
        } else {
            block.clone().svd(true, true).solve(&right, 1e-11).unwrap()
        };
        let x = solved.rows(0, m).into_owned();
        let mut z = DVector::zeros(n);
        for (&i, &value) in active.iter().zip(solved.iter().skip(m)) {
            z[i] = value;
        }
        let w = &mixed.complementarity_coupling * &x + mixed.complementarity.slack(&z);
        let equality =
            &mixed.equality * &x + &mixed.equality_coupling * &z + &mixed.equality_offset;
        let off = w.iter().zip(z.iter()).map(|(&w, &z)| w.min(z).abs());
        if off.fold(0.0, f64::max) < 1e-9 && equality.iter().all(|x| x.abs() < 1e-9) {
            solutions.push(z);
        }
    }
    solutions
}

/// Up to twelve unknowns, four of them free, of low rank and with arbitrary offsets: solved exactly
/// when some choice of rows has a solution.
#[test]
fn mixed_problems_are_solved_exactly_when_they_can_be() {
    let mut random = Pcg64::seed_from_u64(14);
    let (mut solved, mut unsolvable) = (0, 0);
    for case in 0..300 {
        let (m, n) = (1 + case % 4, 1 + case % 8);
        let rank = if case % 2 == 0 { m + n } else { m.max(n) };
        let mut matrix =
            |rows, columns| DMatrix::from_fn(rows, columns, |_, _| random.random_range(-1.0..1.0));
        let jacobian = matrix(m + n, rank);
        let all = &jacobian * jacobian.transpose();
        let mut offset = matrix(m + n, 1).column(0).into_owned();
        if case % 3 == 0 {
            // Equalities that agree, the others not pushed apart.
            let velocity = matrix(rank, 1);
            offset = (&jacobian * velocity).column(0).into_owned();
        }
        let mixed = MixedProblem {
            equality: all.view((0, 0), (m, m)).into_owned(),
            equality_coupling: all.view((0, m), (m, n)).into_owned(),
            equality_offset: offset.rows(0, m).into_owned(),
            complementarity_coupling: all.view((m, 0), (n, m)).into_owned(),
            complementarity: LcpProblem {
                matrix: all.view((m, m), (n, n)).into_owned(),
                q: offset.rows(m, n).into_owned(),
            },
        };
        let found = Reduction::new(&mixed).solve();
        let expected = enumerate(&mixed);
        assert_eq!(
            found.complementarity.is_solved(),
            !expected.is_empty(),
            "case {case}: {found:?} {expected:?}"
        );
        if expected.is_empty() {
            unsolvable += 1;
        } else {
            solved += 1;
        }
    }
    println!("{solved} solved, {unsolvable} without solution");
    assert!(solved > 150 && unsolvable > 30, "{solved} {unsolvable}");
}
