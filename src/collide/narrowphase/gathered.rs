//! The points of a body and the triangles of a mesh, before few of them are chosen.

use super::direction::perpendicular;
use super::envelope::{Bearing, bearing_points};
use super::manifold::{Manifold, Point};
use super::query::Query;
use crate::constants::{MAX_MESH_GROUPS, MESH_GROUP};
use crate::math::{Mat3, Vec3};
use crate::world::TriangleMesh;
use arrayvec::ArrayVec;

/// Most points that are gathered of a ball, and of another body.
pub(super) const OF_BALL: usize = 12;
pub(super) const OF_BODY: usize = 64;

/// A mesh where it stands: origin of its axes, rotation, and what it is.
pub(super) type StandingMesh<'a> = (&'a Vec3, &'a Mat3, &'a TriangleMesh);

/// Bits that tell points of one name apart.
const RANKS: u32 = 7;

/// Marks the name of a point whose normal turns with the second of two bodies, as a face of the second of two solids does.
const OF_SECOND: u32 = 1 << 30;

/// A name for a point of some kind, of a feature of the mesh and one of the body: the same for the same ones, and hardly ever for
/// others.
pub(super) fn name(kind: u32, [of_mesh, of_body]: [u32; 2]) -> u32 {
    // The finalizer of MurmurHash3.
    let mut mixed = of_mesh
        .wrapping_mul(0x9e37_79b1)
        .wrapping_add(of_body.wrapping_mul(0x85eb_ca77))
        .wrapping_add(kind.wrapping_mul(0xc2b2_ae3d));
    mixed ^= mixed >> 16;
    mixed = mixed.wrapping_mul(0x85eb_ca6b);
    mixed ^= mixed >> 13;
    mixed = mixed.wrapping_mul(0xc2b2_ae35);
    mixed ^= mixed >> 16;
    mixed & (OF_SECOND - 1) & !RANKS
}

/// Where on a mesh a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    /// On a triangle.
    Face(u32),
    /// Where a side or a corner of a triangle meets the body: other triangles have the same point, by its name.
    Edge(u32),
}

impl On {
    fn triangle(self) -> u32 {
        match self {
            Self::Face(triangle) | Self::Edge(triangle) => triangle,
        }
    }
}

/// A point, and where on the mesh it is.
#[derive(Debug, Clone, Copy)]
struct OnMesh {
    point: Point,
    on: On,
}

impl OnMesh {
    /// True if the other one is the same point, as neighbouring triangles have it.
    fn is_same(&self, other: &Self, same: f64) -> bool {
        let [known, new] = [&self.point, &other.point];
        let is_one = match (self.on, other.on) {
            (On::Edge(_), On::Edge(_)) => known.feature == new.feature,
            _ => (known.position - new.position).norm_squared() <= same * same,
        };
        is_one && known.normal.dot(&new.normal) > MESH_GROUP
    }

    /// Of points that are one, that along the triangle which the body faces most comes first: along others the same gap is longer.
    fn order(&self) -> (f64, u32) {
        (self.point.separation.abs(), self.on.triangle())
    }
}

/// Points of several triangles, normals from the mesh to the body; of more than `MOST` the deepest.
pub(super) struct Gathered<const MOST: usize>(ArrayVec<OnMesh, MOST>);

impl<const MOST: usize> Gathered<MOST> {
    // A constant would be copied, all of its room.
    pub(super) fn new() -> Self {
        Self(ArrayVec::new())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the body and the mesh overlap at a point.
    pub(super) fn overlap(&self) -> bool {
        self.0.iter().any(|item| item.point.separation <= 0.0)
    }

    /// Adds a point if the query admits it. Of points that are one, as those of neighbouring triangles are at their common edge, one
    /// stays; such points are no farther from each other than `same` `[m]`.
    pub(super) fn add(&mut self, query: &Query, point: Point, on: On, same: f64) {
        if !query.admits(&point.position, &point.normal, point.separation) {
            return;
        }
        let new = OnMesh { point, on };
        let mut known = self.0.iter_mut();
        if let Some(item) = known.find(|item| item.is_same(&new, same)) {
            // Whichever triangle comes first, the outcome is the same.
            if new.order() < item.order() {
                *item = new;
            }
            return;
        }
        if self.0.try_push(new).is_ok() {
            return;
        }
        let shallowest = (1..MOST).fold(0, |best, at| {
            if self.0[at].point.separation > self.0[best].point.separation {
                at
            } else {
                best
            }
        });
        if point.separation < self.0[shallowest].point.separation {
            self.0[shallowest] = new;
        }
    }

    /// Visits the few points that stand for each direction, the deepest direction first.
    pub(super) fn visit_groups(&mut self, query: &Query, mut visit: impl FnMut(&Manifold)) {
        let items = &mut self.0;
        items.sort_unstable_by_key(|item| (item.point.feature, item.on.triangle()));
        let mut rank = 0;
        for at in 0..items.len() {
            rank = if at > 0 && items[at].point.feature == items[at - 1].point.feature & !RANKS {
                (rank + 1).min(RANKS)
            } else {
                0
            };
            items[at].point.feature |= rank;
        }
        // Of A and B the mesh is the second one, unless the two were swapped.
        let of_mesh = if query.is_swapped() { 0 } else { OF_SECOND };
        let mut taken = [false; MOST];
        for _ in 0..MAX_MESH_GROUPS {
            let mut free = (0..items.len()).filter(|&at| !taken[at]);
            let Some(first) = free.next() else {
                return;
            };
            let deepest = free.fold(first, |best, at| {
                if items[at].point.separation < items[best].point.separation {
                    at
                } else {
                    best
                }
            });
            let Point {
                normal, separation, ..
            } = items[deepest].point;
            let level = query.level_around(separation);
            let u = perpendicular(&normal);
            let v = normal.cross(&u);
            let mut group = [0; MOST];
            let mut count = 0;
            for at in 0..items.len() {
                if !taken[at] && items[at].point.normal.dot(&normal) > MESH_GROUP {
                    taken[at] = true;
                    group[count] = at;
                    count += 1;
                }
            }
            let laid = |k: usize| {
                let Point {
                    position,
                    separation,
                    ..
                } = &items[group[k]].point;
                [u.dot(position), v.dot(position), *separation]
            };
            let bearing = Bearing {
                level,
                slope: query.slope,
                ..Bearing::POINTS
            };
            let (chosen, count) = bearing_points::<MOST>(count, &bearing, laid, |k| {
                let Point {
                    feature,
                    separation,
                    ..
                } = items[group[k]].point;
                query.keeps(feature | of_mesh, separation)
            });
            let mut manifold = Manifold::new();
            for &k in &chosen[..count] {
                let point = &items[group[k]].point;
                manifold.push(Point {
                    feature: point.feature | of_mesh,
                    normal: query.orient(&point.normal),
                    ..*point
                });
            }
            visit(&manifold);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::SPANNING_POINTS;
    use crate::math::Vec3;

    #[test]
    fn names_leave_room_for_ranks_and_marks() {
        let mut names: Vec<u32> = (0..100)
            .flat_map(|a| (0..100).map(move |b| name(a % 3, [a, b])))
            .collect();
        assert!(
            names
                .iter()
                .all(|name| name & RANKS == 0 && name >> 30 == 0)
        );
        names.sort_unstable();
        names.dedup();
        // Of 10,000 among 2^27 some 0.4 pairs are expected to be alike.
        assert!(names.len() > 9_995);
    }

    #[test]
    fn of_many_points_few_stay_in_each_direction() {
        let query = Query::within(Vec3::zeros(), 1.0, [1.0; 2]);
        let mut gathered = Gathered::<64>::new();
        for k in 0..200 {
            let x = f64::from(k % 20);
            let up = k % 2 == 0;
            let point = Point {
                feature: name(0, [k, 0]),
                position: Vec3::new(x, f64::from(k / 20), if up { 0.0 } else { x }),
                normal: if up { Vec3::z() } else { Vec3::x() },
                separation: if k == 42 { -0.5 } else { 0.001 * x },
            };
            gathered.add(&query, point, On::Face(k), 1e-9);
        }
        let mut groups: Vec<Vec<Point>> = Vec::new();
        gathered.visit_groups(&query, |manifold| groups.push(manifold.as_slice().to_vec()));
        assert_eq!(groups.len(), 2);
        let along = |axis: Vec3| {
            let points = groups.iter().flatten();
            points.filter(move |point| point.normal.dot(&axis).abs() > 0.5)
        };
        // Four span what is level. The one that is deep is among them, and as many beside it as span the rest.
        assert_eq!(along(Vec3::x()).count(), SPANNING_POINTS);
        assert_eq!(along(Vec3::z()).count(), 1 + SPANNING_POINTS);
        assert!(along(Vec3::z()).any(|point| point.separation == -0.5));
    }
}
