//! Hart's ratio metric by its definition, a linear program that a library solves, certified by its dual; beside its closed form.

use crate::cases::cases;
use crate::polyhedra::{direction, rotation};
use drystone::collide::ratio_metric;
use drystone::math::{Pose, Vec3};
use drystone::world::Polyhedron;
use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOptions, Variable};
use nalgebra::Vector4;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Enlargements at which the answer is refined, as the library's tolerance is absolute.
const ENLARGED: [f64; 2] = [1e6, 1e11];

/// `min t such that A_i (x - x_i) <= t b_i`, in units of the distance of the centres and with rows divided by their reach `b`:
/// `along . x - t <= least`.
struct Program {
    rows: Vec<(Vec3, f64)>,
    /// The ratio of a `t` of 1.
    unit: f64,
}

/// Between what two numbers the ratio lies.
#[derive(Debug)]
struct Certified {
    /// No less, by multipliers of the constraints (weak duality).
    least: f64,
    /// No more, by a point that both reach.
    most: f64,
}

impl Program {
    fn new(solids: [&Polyhedron; 2], poses: [&Pose; 2]) -> Self {
        let arms: [Vec3; 2] = std::array::from_fn(|k| poses[k].direction(&solids[k].center()));
        let apart = (poses[1].position - poses[0].position) + (arms[1] - arms[0]);
        let distance = apart.norm();
        let reach = |k: usize, face: &drystone::world::Face| {
            face.offset - face.normal.dot(&solids[k].center())
        };
        let reaches = |k: usize| solids[k].faces().iter().map(move |face| reach(k, face));
        let unit = reaches(0).chain(reaches(1)).fold(f64::INFINITY, f64::min);
        let mut rows = Vec::new();
        for (k, center) in [Vec3::zeros(), apart / distance].into_iter().enumerate() {
            rows.extend(solids[k].faces().iter().map(|face| {
                let along = poses[k].direction(&face.normal) * (unit / reach(k, face));
                (along, along.dot(&center))
            }));
        }
        Self {
            rows,
            unit: distance / unit,
        }
    }

    /// Distances of a point and a `t` from each constraint.
    fn slacks(&self, at: &Vector4<f64>) -> Vec<f64> {
        let of = |(along, least): &(Vec3, f64)| least - (along.dot(&at.xyz()) - at.w);
        self.rows.iter().map(of).collect()
    }

    /// The least `t` that the library finds around a place where constraints keep these slacks.
    fn around(&self, slacks: &[f64], reach: f64) -> Vector4<f64> {
        let mut program = Problem::new(OptimizationDirection::Minimize);
        let x = [(); 3].map(|()| program.add_var(0.0, (-reach, reach)));
        let t = program.add_var(1.0, (-reach, reach));
        for ((along, _), slack) in self.rows.iter().zip(slacks) {
            let row = [(x[0], along.x), (x[1], along.y), (x[2], along.z), (t, -1.0)];
            program.add_constraint(row, ComparisonOp::Le, *slack);
        }
        let found = answer(&program);
        Vector4::new(found(x[0]), found(x[1]), found(x[2]), found(t))
    }

    /// Rest of the row `t` that weights of some rows leave: their sum is to be that row, `(0, 1)`.
    fn left(&self, weights: &[(usize, f64)]) -> Vector4<f64> {
        let sum: Vector4<f64> = weights
            .iter()
            .map(|&(at, weight)| self.rows[at].0.push(1.0) * weight)
            .sum();
        Vector4::w() - sum
    }

    /// The dual's weights of the constraints that hold with equality.
    fn multipliers(&self, active: &[usize]) -> Vec<(usize, f64)> {
        let mut weights: Vec<(usize, f64)> = active.iter().map(|&at| (at, 0.0)).collect();
        for enlarged in [1.0].into_iter().chain(ENLARGED) {
            let left = self.left(&weights) * enlarged;
            let mut program = Problem::new(OptimizationDirection::Maximize);
            let changes: Vec<Variable> = weights
                .iter()
                .map(|(at, weight)| {
                    program.add_var(-self.rows[*at].1, (-weight * enlarged, f64::INFINITY))
                })
                .collect();
            for axis in 0..4 {
                let part = |at: usize| self.rows[at].0.push(1.0)[axis];
                let row = changes.iter().zip(active).map(|(&of, &at)| (of, part(at)));
                program.add_constraint(row.collect::<Vec<_>>(), ComparisonOp::Eq, left[axis]);
            }
            let found = answer(&program);
            for ((_, weight), change) in weights.iter_mut().zip(changes) {
                *weight = (*weight + found(change) / enlarged).max(0.0);
            }
        }
        weights
    }

    fn solve(&self) -> Certified {
        let nothing: Vec<f64> = self.rows.iter().map(|row| row.1).collect();
        let mut at = self.around(&nothing, 1e6);
        for enlarged in ENLARGED {
            let slacks: Vec<f64> = self
                .slacks(&at)
                .iter()
                .map(|slack| slack * enlarged)
                .collect();
            at += self.around(&slacks, 1e4) / enlarged;
        }
        let slacks = self.slacks(&at);
        let most = at.w - slacks.iter().copied().fold(f64::INFINITY, f64::min);
        let active: Vec<usize> = (0..slacks.len()).filter(|&k| slacks[k] < 1e-9).collect();
        let weights = self.multipliers(&active);
        // Their sum says `t >= height` but for what is left.
        let height: f64 = weights
            .iter()
            .map(|&(k, weight)| -self.rows[k].1 * weight)
            .sum();
        let least = height - self.left(&weights).abs().dot(&at.abs());
        Certified {
            least: least * self.unit,
            most: most * self.unit,
        }
    }
}

fn answer(program: &Problem) -> impl Fn(Variable) -> f64 {
    let mut options = SolveOptions::default();
    options.tolerances.feasibility = 1e-9;
    let found = program
        .solve_with(options)
        .unwrap()
        .into_solution()
        .unwrap();
    move |of| found.var_value(of)
}

fn block(half: Vec3) -> Polyhedron {
    let corner = |k: usize| {
        Vec3::from_fn(|axis, _| half[axis] * if k >> axis & 1 == 0 { -1.0 } else { 1.0 })
    };
    Polyhedron::hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
}

/// A box, a plate or a needle down to a thousandth, a tetrahedron, a rock of up to 64 faces, or a cylinder as a polyhedron.
fn solid(random: &mut Pcg64) -> Polyhedron {
    let mut between = |low: f64, high: f64| low + (high - low) * random.random::<f64>();
    let (thin, half) = (10_f64.powf(between(-3.0, -1.0)), between(0.2, 1.0));
    let of = [half, between(0.2, 1.0), between(0.2, 1.0)];
    match random.random_range(0..8) {
        0 => block(Vec3::from(of)),
        1 => block(Vec3::new(1.0, half, 1e-3)),
        2 => block(Vec3::new(half, thin, thin)),
        3 => loop {
            let corners: Vec<Vec3> = (0..4).map(|_| direction(random)).collect();
            if let Ok(found) = Polyhedron::hull(&corners) {
                break found;
            }
        },
        4 => Polyhedron::prism(random.random_range(3..65), 0.5, 0.6).unwrap(),
        5 => Polyhedron::prism(random.random_range(3..65), 1.0, thin).unwrap(),
        _ => {
            let points = random.random_range(4..35);
            let points: Vec<Vec3> = (0..points)
                .map(|_| direction(random).component_mul(&Vec3::from(of)))
                .collect();
            Polyhedron::hull(&points).unwrap()
        }
    }
}

#[test]
fn the_certified_program_is_the_closed_form() {
    let mut random = Pcg64::seed_from_u64(41);
    let (mut apart, mut touching) = (0, 0);
    let mut worst = [0.0_f64; 2];
    for case in 0..cases(2_000) {
        let size = 10_f64.powf(-3.0 + 5.0 * random.random::<f64>());
        let solids = [solid(&mut random), solid(&mut random)].map(|solid| {
            let solid = solid.scaled(size);
            if random.random() {
                solid.centered()
            } else {
                solid
            }
        });
        let far = direction(&mut random) * size * 10_f64.powf(6.0 * random.random::<f64>() - 2.0);
        let first = Pose::new(far, rotation(&mut random));
        let (along, turned) = (direction(&mut random) * size, rotation(&mut random));
        let mut second = Pose::new(
            first.position + along * (0.05 + 2.0 * random.random::<f64>()),
            turned,
        );
        let arms = [solids[0].center(), solids[1].center()];
        if case % 3 == 0 {
            // The ratio is proportional to the distance of the centres.
            let ratio = ratio_metric(solids.each_ref(), [&first, &second])
                .unwrap()
                .ratio;
            let centers = [first.point(&arms[0]), second.point(&arms[1])];
            second.position += (centers[1] - centers[0]) * (1.0 / ratio - 1.0);
            touching += 1;
        }
        let poses = [&first, &second];
        let found = ratio_metric(solids.each_ref(), poses).unwrap();
        let program = Program::new(solids.each_ref(), poses).solve();
        let off = |value: f64| (value / found.ratio - 1.0).abs();
        worst = [
            worst[0].max(off(program.least)),
            worst[1].max(off(program.most)),
        ];
        assert!(
            off(program.least).max(off(program.most)) <= 1e-10,
            "{case}: {} {program:?}, size {size}",
            found.ratio
        );
        apart += usize::from(found.ratio > 1.0 + 1e-6);
    }
    assert!(
        apart > 600 && touching > 600,
        "{apart} apart, {touching} touching"
    );
    assert!(worst.into_iter().fold(0.0, f64::max) < 1e-11, "{worst:?}");
}
