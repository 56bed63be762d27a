//! Mixed problems: contacts beside joints, which may repeat or contradict each other.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use drystone::lcp::reduction::Reduction;
use drystone::lcp::{LcpProblem, LcpStatus, MixedProblem};
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
