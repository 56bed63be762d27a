//! A [`Problem`](crate::problem::Problem) as blocks: impulses act on body velocities, and no matrix is formed.

use super::LocalRule;
use super::cone::Section;
use super::iteration::{Residual, System};
use super::joint_group::JointGroup;
use super::local::ContactBlock;
use super::row::{Mass, Row, Twist};
use crate::problem::{AsProblem, ProblemRef};

/// A contact with its three rows.
#[derive(Debug, Clone)]
struct Point {
    /// Normal, tangent 1, tangent 2.
    rows: [Row; 3],
    /// Velocity that a unit normal impulse leaves `[1/kg]`.
    softness: f64,
    block: ContactBlock,
}

/// Bodies, contacts and joints in f64.
///
/// Unknowns are the impulses of the contacts, three each, then those of the joint rows.
#[derive(Debug, Clone)]
pub struct Bodies {
    masses: Vec<Mass>,
    points: Vec<Point>,
    groups: Vec<JointGroup>,
    joint_row_count: usize,
    section: Section,
    rule: LocalRule,
    /// Most turns of a visit to joint rows.
    joint_turns: u32,
    /// What the impulses have added to each body's velocity.
    changes: Vec<Twist>,
}

impl Point {
    /// The contact `index` of a problem.
    fn new(problem: &ProblemRef<'_>, index: usize, masses: &[Mass]) -> Self {
        let contact = &problem.contacts[index];
        let bodies = [contact.body_a as usize, contact.body_b as usize];
        let biases = [f64::from(contact.bias), 0.0, 0.0];
        let jacobian = contact.jacobian();
        let rows: [Row; 3] =
            std::array::from_fn(|i| Row::new(bodies, jacobian[i], biases[i], masses));
        let delassus: [[f64; 3]; 3] =
            std::array::from_fn(|i| std::array::from_fn(|j| rows[i].delassus(&rows[j])));
        let response = delassus[0][0];
        let softness = problem.softness_of(index, response) * response;
        let block = ContactBlock::new(delassus, f64::from(contact.friction)).softened(softness);
        Self {
            rows,
            softness,
            block,
        }
    }

    /// Relative velocity under a normal impulse, which a soft row gives way to `[m/s]`.
    fn velocity(&self, changes: &[Twist], normal_impulse: f64) -> [f64; 3] {
        let [n, t1, t2] = std::array::from_fn(|i| self.rows[i].velocity(changes));
        [n + self.softness * normal_impulse, t1, t2]
    }
}

impl Bodies {
    /// Widens a valid problem; no impulse acts yet.
    #[must_use]
    pub fn new(problem: &dyn AsProblem, rule: LocalRule) -> Self {
        let problem = &problem.as_problem();
        let masses: Vec<Mass> = problem.bodies.iter().map(Mass::new).collect();
        Self {
            points: (0..problem.contacts.len())
                .map(|index| Point::new(problem, index, &masses))
                .collect(),
            groups: JointGroup::all(problem.joint_rows, &masses),
            joint_row_count: problem.joint_rows.len(),
            section: Section::new(problem.friction_cone, problem.friction_law),
            rule,
            joint_turns: rule.iterations(),
            changes: vec![[0.0; 6]; masses.len()],
            masses,
        }
    }

    /// Velocity of each body before the solve.
    pub(super) fn velocities_before(&self) -> impl Iterator<Item = Twist> + '_ {
        self.masses.iter().map(|mass| mass.velocity)
    }

    /// What the impulses have added to it.
    pub(super) fn changes(&self) -> &[Twist] {
        &self.changes
    }

    /// Relative velocity of a contact before the solve, bias included `[m/s]`.
    #[must_use]
    pub fn free_velocity(&self, contact: usize) -> [f64; 3] {
        std::array::from_fn(|i| self.points[contact].rows[i].free)
    }

    /// Velocity that unit impulses of contact `j` cause along the rows of contact `i` `[1/kg]`.
    #[must_use]
    pub fn delassus(&self, i: usize, j: usize) -> [[f64; 3]; 3] {
        let (rows, others) = (&self.points[i].rows, &self.points[j].rows);
        std::array::from_fn(|d| std::array::from_fn(|e| rows[d].delassus(&others[e])))
    }

    fn visit_point(&mut self, index: usize, r: &mut [f64]) {
        let point = &self.points[index];
        if !point.block.is_usable() {
            return;
        }
        let before = [r[3 * index], r[3 * index + 1], r[3 * index + 2]];
        let u = point.velocity(&self.changes, before[0]);
        let after = point.block.visit(before, u, &self.section, self.rule);
        for (d, row) in point.rows.iter().enumerate() {
            row.apply(after[d] - before[d], &mut self.changes);
        }
        r[3 * index..3 * index + 3].copy_from_slice(&after);
    }

    fn visit_group(&mut self, index: usize, r: &mut [f64]) {
        let group = &self.groups[index];
        let first = 3 * self.points.len() + group.first;
        let r = &mut r[first..first + group.len()];
        group.visit(r, &mut self.changes, self.joint_turns);
    }

    /// The unknowns of a group.
    fn of_group<'a>(&self, group: &JointGroup, r: &'a [f64]) -> &'a [f64] {
        let first = 3 * self.points.len() + group.first;
        &r[first..first + group.len()]
    }
}

impl System for Bodies {
    fn unknowns(&self) -> usize {
        3 * self.points.len() + self.joint_row_count
    }

    fn refresh(&mut self, r: &[f64]) {
        self.changes.fill([0.0; 6]);
        for (point, r) in self.points.iter().zip(r.chunks(3)) {
            for (row, &r) in point.rows.iter().zip(r) {
                row.apply(r, &mut self.changes);
            }
        }
        for group in &self.groups {
            let first = 3 * self.points.len() + group.first;
            group.apply(&r[first..first + group.len()], &mut self.changes);
        }
    }

    fn sweep(&mut self, r: &mut [f64]) {
        (0..self.groups.len()).for_each(|i| self.visit_group(i, r));
        (0..self.points.len()).for_each(|i| self.visit_point(i, r));
    }

    fn ease(&mut self) -> bool {
        self.rule.ease(&self.section)
    }

    fn residual(&self, r: &[f64]) -> Residual {
        let contacts = self.points.iter().zip(r.chunks(3)).map(|(point, r)| {
            let u = point.velocity(&self.changes, r[0]);
            point.block.residual([r[0], r[1], r[2]], u, &self.section)
        });
        let joints = self
            .groups
            .iter()
            .flat_map(|group| group.residuals(self.of_group(group, r), &self.changes));
        Residual::over(contacts.chain(joints))
    }

    fn admit(&self, r: &mut [f64]) {
        let (contacts, joints) = r.split_at_mut(3 * self.points.len());
        for (point, r) in self.points.iter().zip(contacts.chunks_mut(3)) {
            let admissible = point.block.admissible([r[0], r[1], r[2]], &self.section);
            r.copy_from_slice(&admissible);
        }
        for group in &self.groups {
            group.admit(&mut joints[group.first..group.first + group.len()]);
        }
    }

    fn weights(&self) -> Vec<f64> {
        let contacts = self.points.iter().flat_map(|point| {
            let mass = point.block.residual_mass;
            [if mass > 0.0 { (1.0 / mass).sqrt() } else { 0.0 }; 3]
        });
        contacts
            .chain(self.groups.iter().flat_map(JointGroup::weights))
            .collect()
    }

    fn speed_scale(&self) -> f64 {
        let contacts = self
            .points
            .iter()
            .filter(|point| point.block.is_usable())
            .flat_map(|point| point.rows.iter().map(|row| row.free.abs()));
        let joints = self.groups.iter().map(JointGroup::largest_speed);
        contacts.chain(joints).fold(0.0, f64::max)
    }
}
