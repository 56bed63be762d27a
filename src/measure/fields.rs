//! Fields of a crowd on a grid: density, momentum and stress, by coarse-graining.
//!
//! A kernel `phi` of reach w spreads every body, and every force of a contact or joint along its branch:
//!
//! ```text
//! density           rho(x) = sum_i m_i phi(x - x_i)
//! momentum          p(x)   = sum_i m_i v_i phi(x - x_i),          V = p / rho
//! kinetic stress    K(x)   = sum_i m_i (v_i - V)(v_i - V)^T phi(x - x_i)
//! contact stress    C(x)   = sum_c f_c l_c^T int_0^1 phi(x - b_c - s l_c) ds
//! joint stress      J(x)   = the same over the joints j
//! boundary force    t(x)   = sum_k f_k phi(x - c_k)
//! phi(r) = 315 / (64 pi w^3) (1 - r^2 / w^2)^3, 0 beyond w
//! ```
//!
//! i runs over the dynamic bodies, c over the contacts that press: `f_c` is the force on body A and `l_c` the way from `b_c` at B to A, between
//! centres, or from or to the contact point or anchor `c_k` of a body k that is not dynamic, or of the world, whose force on the other is `f_k`. With these, whatever the state,
//!
//! ```text
//! d p / dt + div (rho V V^T + K + C + J) = rho g + t
//! ```
//!
//! but for the forces of loads, which are in none of them. Stresses are positive under pressure. The sums over the grid, times the volume of a cell, are total
//! mass, momentum and `sum f l^T`: every kernel is divided by its own sum over the grid, continued beyond its ends, so that nothing is lost to
//! the size of the cells; what is spread beyond the ends is not there.
//!
//! Sources: Goldhirsch 2010 (Granular Matter 12, 239) for the fields, eqs. 10 to 33; Weinhart et al. 2012 (Granular Matter 14, 289) for
//! boundaries; Müller et al. 2003 for the kernel, whose integral along a line is exact by four Gauss points.

use super::Seen;
use crate::math::{Aabb, Mat3, Vec3};
use crate::parallel;
use std::f64::consts::PI;

/// Cells of a box, and the reach of the kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
pub struct FieldGrid {
    min: Vec3,
    /// Sides of a cell `[m]`.
    spacing: Vec3,
    cells: [usize; 3],
    width: f64,
}

impl FieldGrid {
    /// Cells of at most the given spacing that fill the box, and a kernel that reaches `width`, at least the spacing; all `[m]`.
    #[must_use]
    pub fn new(within: &Aabb, spacing: f64, width: f64) -> Self {
        let sides = within.max - within.min;
        let cells = [0, 1, 2].map(|axis| ((sides[axis] / spacing - 1e-6).ceil() as usize).max(1));
        let spacing = Vec3::from_fn(|axis, _| sides[axis] / cells[axis] as f64);
        Self {
            min: within.min,
            spacing,
            cells,
            // A kernel between the centres of cells would be nowhere.
            width: width.max(spacing.max()),
        }
    }

    /// Its least corner `[m]`.
    #[must_use]
    pub fn min(&self) -> Vec3 {
        self.min
    }

    /// Sides of a cell `[m]`.
    #[must_use]
    pub fn spacing(&self) -> Vec3 {
        self.spacing
    }

    /// Cells along x, y and z.
    #[must_use]
    pub fn cells(&self) -> [usize; 3] {
        self.cells
    }

    /// Volume of a cell `[m^3]`.
    #[must_use]
    pub fn cell_volume(&self) -> f64 {
        self.spacing.x * self.spacing.y * self.spacing.z
    }

    /// Centre of a cell, also of one beyond the ends.
    fn center(&self, cell: [i64; 3]) -> Vec3 {
        Vec3::from_fn(|axis, _| self.min[axis] + (cell[axis] as f64 + 0.5) * self.spacing[axis])
    }

    /// First and last cell along an axis whose centres the kernel may reach from a segment; cells go on beyond the ends.
    fn reached(&self, from: &Vec3, along: &Vec3, axis: usize) -> [i64; 2] {
        let ends = [from[axis], from[axis] + along[axis]];
        let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let cell = |at: f64| (at - self.min[axis]) / self.spacing[axis] - 0.5;
        [
            cell(low - self.width).ceil() as i64,
            cell(high + self.width).floor() as i64,
        ]
    }

    /// Calls `add` with each cell of a layer that a segment's kernel reaches, of the `columns` along x and y, and with the kernel there.
    fn visit(
        &self,
        from: &Vec3,
        along: &Vec3,
        layer: i64,
        columns: [[i64; 2]; 2],
        mut add: impl FnMut([i64; 2], f64),
    ) {
        let [[first_x, last_x], [first_y, last_y]] = columns;
        for y in first_y..=last_y {
            for x in first_x..=last_x {
                let at = self.center([x, y, layer]) - from;
                let value = along_segment(&at, along, self.width);
                if value > 0.0 {
                    add([x, y], value);
                }
            }
        }
    }

    /// A segment with what its kernel is to be divided by.
    fn source(&self, from: Vec3, along: Vec3) -> Source {
        let columns = [0, 1].map(|axis| self.reached(&from, &along, axis));
        let [first, last] = self.reached(&from, &along, 2);
        let mut sum = 0.0;
        for layer in first..=last {
            self.visit(&from, &along, layer, columns, |_, value| sum += value);
        }
        let share = 1.0 / (sum * self.cell_volume());
        Source {
            from,
            along,
            share: if share.is_finite() { share } else { 0.0 },
        }
    }
}

/// A segment, or a point, whose kernel is spread.
#[derive(Debug, Clone, Copy)]
struct Source {
    from: Vec3,
    along: Vec3,
    /// One over the sum of its kernel times the volume of a cell.
    share: f64,
}

/// The kernel at a distance, its square given `[1/m^3]`.
fn kernel(squared: f64, width: f64) -> f64 {
    let rest = (1.0 - squared / (width * width)).max(0.0);
    315.0 / (64.0 * PI * width.powi(3)) * rest * rest * rest
}

/// The mean of the kernel over a segment from the origin, seen from `at` `[1/m^3]`.
fn along_segment(at: &Vec3, along: &Vec3, width: f64) -> f64 {
    let (squared, across) = (along.norm_squared(), at.dot(along));
    let beyond = at.norm_squared() - width * width;
    if squared <= (1e-9 * width).powi(2) {
        return kernel(at.norm_squared(), width);
    }
    // The part of the segment within reach: s^2 l^2 - 2 s at.l + at^2 < w^2.
    let discriminant = across * across - squared * beyond;
    if discriminant <= 0.0 {
        return 0.0;
    }
    let root = discriminant.sqrt();
    let start = ((across - root) / squared).max(0.0);
    let end = ((across + root) / squared).min(1.0);
    if end <= start {
        return 0.0;
    }
    let (middle, half) = (f64::midpoint(start, end), 0.5 * (end - start));
    // There it is a polynomial of degree 6.
    GAUSS.iter().fold(0.0, |sum, (place, weight)| {
        let s = middle + half * place;
        sum + half * weight * kernel((at - along * s).norm_squared(), width)
    })
}

/// Places and weights of Gauss' quadrature with four points on [-1, 1], exact to degree 7.
const GAUSS: [(f64, f64); 4] = [
    (-0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
    (-0.339_981_043_584_856_26, 0.652_145_154_862_546_2),
    (0.339_981_043_584_856_26, 0.652_145_154_862_546_2),
    (0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
];

/// Fields in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Field {
    /// `[kg/m^3]`
    pub density: f64,
    /// `[kg/(m^2 s)]`
    pub momentum: Vec3,
    /// Momentum over density, 0 where nothing is `[m/s]`.
    pub velocity: Vec3,
    /// Of velocities about the mean one, positive `[Pa]`.
    pub kinetic_stress: Mat3,
    /// Positive under pressure `[Pa]`.
    pub contact_stress: Mat3,
    /// Stress that joints carry, positive under pressure `[Pa]`.
    pub joint_stress: Mat3,
    /// Force of the world and of bodies that are not dynamic on those that are, by contacts and joints `[N/m^3]`.
    pub boundary_force: Vec3,
}

/// An end of the way that a force takes.
#[derive(Debug, Clone, Copy)]
struct End {
    is_dynamic: bool,
    /// Centre of a dynamic body, else the point that the force acts on `[m]`.
    at: Vec3,
}

/// A force between two bodies, or a body and the world.
#[derive(Debug, Clone, Copy)]
struct Link {
    /// On A `[N]`.
    force: Vec3,
    /// At A and at B.
    ends: [End; 2],
}

impl Link {
    /// The force on the dynamic body, and where the other one exerts it; `None` if both are dynamic, or neither.
    fn of_boundary(&self) -> Option<(Vec3, Vec3)> {
        let [a, b] = &self.ends;
        match (a.is_dynamic, b.is_dynamic) {
            (true, false) => Some((b.at, self.force)),
            (false, true) => Some((a.at, -self.force)),
            (true, true) | (false, false) => None,
        }
    }
}

/// The contacts that press.
fn contacts<'a>(seen: &Seen<'a>) -> impl Iterator<Item = Link> + use<'a> {
    let (world, network) = (seen.world, seen.network());
    network.pressing().map(move |(contact, force)| {
        let [a, b] = network.branch(contact);
        let end = |body: u32, at| End {
            is_dynamic: world.bodies[body as usize].is_dynamic(),
            at,
        };
        let ends = [end(contact.bodies[0], a), end(contact.bodies[1], b)];
        Link { force, ends }
    })
}

/// The joints that carry something.
fn joints<'a>(seen: &Seen<'a>) -> impl Iterator<Item = Link> + use<'a> {
    let world = seen.world;
    let end = |body: Option<u32>, anchor: Vec3| match body.map(|body| &world.bodies[body as usize])
    {
        Some(body) if body.is_dynamic() => End {
            is_dynamic: true,
            at: body.pose.position,
        },
        body => End {
            is_dynamic: false,
            at: body.map_or(anchor, |body| body.pose.point(&anchor)),
        },
    };
    let all = world.joints.iter().zip(seen.joint_forces);
    let carrying = all.filter(|(_, wrench)| wrench.force != Vec3::zeros());
    carrying.map(move |(joint, wrench)| Link {
        force: wrench.force,
        ends: [
            end(Some(joint.body_a), joint.frame_a.position),
            end(joint.body_b, joint.frame_b.position),
        ],
    })
}

/// The fields of a state in the cells of a grid, x fastest, then y, then z.
///
/// Kernels are polynomials of finite reach, spread over bodies and along the branches of contacts and joints (Goldhirsch 2010); stresses are positive
/// under pressure. The sums over the cells, times their volume, are mass, momentum and `sum f l^T` of what is within. Forces of
/// loads are in none of them.
#[must_use]
pub fn fields(grid: &FieldGrid, seen: &Seen<'_>) -> Vec<Field> {
    let dynamic: Vec<_> = seen
        .world
        .bodies
        .iter()
        .filter(|b| b.is_dynamic())
        .collect();
    let mut bodies = Vec::new();
    parallel::fill(&mut bodies, dynamic.len(), 64, |at| {
        grid.source(dynamic[at].pose.position, Vec3::zeros())
    });
    let of_contacts: Vec<Link> = contacts(seen).collect();
    let of_joints: Vec<Link> = joints(seen).collect();
    let sources = |links: &[Link]| {
        let mut sources = Vec::new();
        parallel::fill(&mut sources, links.len(), 64, |at| {
            let [a, b] = links[at].ends.map(|end| end.at);
            grid.source(b, a - b)
        });
        sources
    };
    let (contact_branches, joint_branches) = (sources(&of_contacts), sources(&of_joints));
    let boundary: Vec<(Source, Vec3)> = of_contacts
        .iter()
        .chain(&of_joints)
        .filter_map(Link::of_boundary)
        .map(|(at, force)| (grid.source(at, Vec3::zeros()), force))
        .collect();
    let [along_x, along_y, along_z] = grid.cells;
    let mut layers = Vec::new();
    parallel::fill(&mut layers, along_z, 1, |layer| {
        let mut cells = vec![Field::default(); along_x * along_y];
        let spread = |source: &Source, cells: &mut [Field], add: &dyn Fn(&mut Field, f64)| {
            let Source { from, along, share } = source;
            let [first, last] = grid.reached(from, along, 2);
            if !(first..=last).contains(&(layer as i64)) {
                return;
            }
            let columns = [0, 1].map(|axis| {
                let [first, last] = grid.reached(from, along, axis);
                [first.max(0), last.min(grid.cells[axis] as i64 - 1)]
            });
            grid.visit(from, along, layer as i64, columns, |[x, y], value| {
                add(&mut cells[x as usize + y as usize * along_x], value * share);
            });
        };
        for (body, source) in dynamic.iter().zip(&bodies) {
            let (mass, velocity) = (body.mass.mass, body.linear_velocity);
            let flux = velocity * velocity.transpose() * mass;
            spread(source, &mut cells, &|cell, value| {
                cell.density += mass * value;
                cell.momentum += velocity * (mass * value);
                cell.kinetic_stress += flux * value;
            });
        }
        for (link, source) in of_contacts.iter().zip(&contact_branches) {
            let stress = link.force * source.along.transpose();
            spread(source, &mut cells, &|cell, value| {
                cell.contact_stress += stress * value;
            });
        }
        for (link, source) in of_joints.iter().zip(&joint_branches) {
            let stress = link.force * source.along.transpose();
            spread(source, &mut cells, &|cell, value| {
                cell.joint_stress += stress * value;
            });
        }
        for (source, force) in &boundary {
            spread(source, &mut cells, &|cell, value| {
                cell.boundary_force += force * value;
            });
        }
        for cell in cells.iter_mut().filter(|cell| cell.density > 0.0) {
            cell.velocity = cell.momentum / cell.density;
            cell.kinetic_stress -= cell.momentum * cell.velocity.transpose();
        }
        cells
    });
    layers.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;
    use crate::collide::ContactPoint;
    use crate::math::{Pose, Quat};
    use crate::measure::momentum;
    use crate::world::{Body, Shape, World};

    const BOX: Aabb = Aabb {
        min: Vec3::new(-2.0, -2.0, -2.0),
        max: Vec3::new(2.0, 2.0, 3.0),
    };

    /// A ground below z = 0 and three balls that lean on each other and on it; forces as they may be.
    fn leaning() -> (World, Vec<ContactPoint>, Vec<Vec3>) {
        let mut world = World::new(-Vec3::z());
        let ground = Shape::HalfSpace {
            normal: Vec3::z(),
            offset: 0.0,
        };
        world.add(Body::fixed(ground, Pose::identity())).unwrap();
        let ball = Shape::Sphere { radius: 0.5 };
        let places = [
            Vec3::new(-0.5, 0.1, 0.5),
            Vec3::new(0.5, 0.0, 0.5),
            Vec3::new(0.0, 0.2, 1.35),
        ];
        for (at, place) in places.iter().enumerate() {
            let pose = Pose::new(*place, Quat::identity());
            let mut body = Body::dynamic_with_mass(ball.clone(), pose, 1.0 + at as f64).unwrap();
            body.linear_velocity = Vec3::new(0.3 * at as f64, -0.2, 0.1);
            world.add(body).unwrap();
        }
        let mut contacts = Vec::new();
        let mut forces = Vec::new();
        for (pair, force) in [
            ([0_u32, 1_u32], Vec3::new(0.1, 0.0, -3.0)),
            ([0, 2], Vec3::new(0.0, 0.2, -2.5)),
            ([1, 2], Vec3::new(-0.7, 0.1, 0.0)),
            ([1, 3], Vec3::new(-0.4, 0.0, -1.2)),
            ([2, 3], Vec3::new(0.4, -0.1, -1.1)),
        ] {
            let [a, b] = pair.map(|body| world.bodies[body as usize].pose.position);
            let (position, normal) = if pair[0] == 0 {
                (Vec3::new(b.x, b.y, 0.0), -Vec3::z())
            } else {
                (0.5 * (a + b), (a - b).normalize())
            };
            contacts.push(ContactPoint {
                bodies: pair,
                feature: 0,
                position,
                normal,
                separation: 0.0,
            });
            forces.push(force);
        }
        (world, contacts, forces)
    }

    fn seen<'a>(world: &'a World, contacts: &'a [ContactPoint], forces: &'a [Vec3]) -> Seen<'a> {
        Seen {
            contacts,
            contact_forces: forces,
            ..Seen::without_forces(world)
        }
    }

    #[test]
    fn kernels_are_one_and_their_lines_exact() {
        // By Simpson's rule, over the radius and along a segment.
        let (width, steps) = (0.7, 2000);
        let simpson = |from: f64, to: f64, value: &dyn Fn(f64) -> f64| {
            let h = (to - from) / f64::from(steps);
            (0..=steps).fold(0.0, |sum, at| {
                let weight = match at {
                    0 => 1.0,
                    _ if at == steps => 1.0,
                    _ => f64::from(2 + 2 * (at % 2)),
                };
                sum + weight * h / 3.0 * value(from + h * f64::from(at))
            })
        };
        let whole = simpson(0.0, width, &|r| 4.0 * PI * r * r * kernel(r * r, width));
        assert!((whole - 1.0).abs() < 1e-9, "{whole}");
        let along = Vec3::new(1.0, -0.4, 0.3);
        for at in [
            Vec3::new(0.3, 0.1, 0.0),
            Vec3::new(-0.2, 0.0, 0.1),
            Vec3::new(1.1, -0.3, 0.2),
            Vec3::new(0.5, 1.0, 1.0),
        ] {
            let found = along_segment(&at, &along, width);
            let expected = simpson(0.0, 1.0, &|s| {
                kernel((at - along * s).norm_squared(), width)
            });
            assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        }
    }

    #[test]
    fn sums_are_those_of_the_bodies_and_forces() {
        let (world, contacts, forces) = leaning();
        let seen = seen(&world, &contacts, &forces);
        for (spacing, width) in [(0.25, 0.5), (0.5, 0.5), (0.3, 0.9)] {
            let grid = FieldGrid::new(&BOX, spacing, width);
            let found = fields(&grid, &seen);
            assert_eq!(found.len(), grid.cells().iter().product::<usize>());
            let mut sum = Field::default();
            for cell in &found {
                sum.density += cell.density;
                sum.momentum += cell.momentum;
                sum.contact_stress += cell.contact_stress;
                sum.boundary_force += cell.boundary_force;
                sum.kinetic_stress +=
                    cell.kinetic_stress + cell.momentum * cell.velocity.transpose();
            }
            let volume = grid.cell_volume();
            assert!((sum.density * volume - 6.0).abs() < 1e-12);
            assert!((sum.momentum * volume - momentum(&world).linear).norm() < 1e-12);
            let stress = seen.network().stress(&BOX) * (4.0 * 4.0 * 5.0);
            assert!((sum.contact_stress * volume - stress).norm() < 1e-12);
            let ground = -forces[0] - forces[1];
            assert!((sum.boundary_force * volume - ground).norm() < 1e-12);
            let flux = world.bodies[1..].iter().fold(Mat3::zeros(), |sum, body| {
                sum + body.linear_velocity * body.linear_velocity.transpose() * body.mass.mass
            });
            assert!((sum.kinetic_stress * volume - flux).norm() < 1e-12);
        }
    }

    #[test]
    fn the_stress_balances_the_forces_everywhere() {
        let (world, contacts, forces) = leaning();
        let seen = seen(&world, &contacts, &forces);
        let grid = FieldGrid::new(&BOX, 0.05, 0.6);
        let found = fields(&grid, &seen);
        // Of each body, from its contacts: what div C has to be, by Goldhirsch's identity.
        let spread: Vec<(Source, Vec3)> = (1..4_u32)
            .map(|body| {
                let force = seen.network().on_body(body).force;
                let at = world.bodies[body as usize].pose.position;
                (grid.source(at, Vec3::zeros()), force)
            })
            .collect();
        let [x, y, z] = grid.cells();
        let at = |i: usize, j: usize, k: usize| &found[i + x * (j + y * k)];
        let h = grid.spacing();
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for k in 1..z - 1 {
            for j in 1..y - 1 {
                for i in 1..x - 1 {
                    let divergence =
                        (at(i + 1, j, k).contact_stress - at(i - 1, j, k).contact_stress).column(0)
                            / (2.0 * h.x)
                            + (at(i, j + 1, k).contact_stress - at(i, j - 1, k).contact_stress)
                                .column(1)
                                / (2.0 * h.y)
                            + (at(i, j, k + 1).contact_stress - at(i, j, k - 1).contact_stress)
                                .column(2)
                                / (2.0 * h.z);
                    let place = grid.center([i as i64, j as i64, k as i64]);
                    let on_bodies = spread.iter().fold(Vec3::zeros(), |sum, (source, force)| {
                        let value = kernel((place - source.from).norm_squared(), 0.6);
                        sum + force * (value * source.share)
                    });
                    // Contacts push bodies: - div C + t is what they spread.
                    let expected = at(i, j, k).boundary_force - on_bodies;
                    worst = worst.max((divergence - expected).norm());
                    largest = largest.max(expected.norm());
                }
            }
        }
        // Central differences of cells of a twelfth of the kernel.
        assert!(worst < 0.03 * largest, "{worst} of {largest}");
        assert!(largest > 1.0);
    }
}
