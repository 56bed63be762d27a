//! A triangle of a mesh as a body sees it.

use crate::constants::CLIP_TOLERANCE;
use crate::math::Vec3;
use crate::world::{Face, TriangleMesh};

/// Linear functions of a place, all evaluated at once.
struct LinearForms<const N: usize> {
    /// By coordinate.
    gradients: [[f64; N]; 3],
    offsets: [f64; N],
}

impl<const N: usize> LinearForms<N> {
    /// By their gradients, and where they are zero.
    fn new(forms: [(Vec3, Vec3); N]) -> Self {
        let (mut gradients, mut offsets) = ([[0.0; N]; 3], [0.0; N]);
        for (k, (gradient, zero)) in forms.iter().enumerate() {
            for axis in 0..3 {
                gradients[axis][k] = gradient[axis];
            }
            offsets[k] = gradient.dot(zero);
        }
        Self { gradients, offsets }
    }

    #[inline(always)]
    fn at(&self, place: &Vec3) -> [f64; N] {
        let [x, y, z] = &self.gradients;
        std::array::from_fn(|k| x[k] * place.x + y[k] * place.y + z[k] * place.z - self.offsets[k])
    }
}

/// A triangle in the axes of the mesh, from the origin of a body.
pub(super) struct Front {
    pub(super) triangle: u32,
    pub(super) corners: [Vec3; 3],
    pub(super) face: Face,
    /// From each corner to the next `[m]`.
    pub(super) sides: [Vec3; 3],
    /// Distances within each side over its length, and the height above the plane.
    above: LinearForms<4>,
}

impl Front {
    /// Of a triangle that has these corners.
    #[inline]
    pub(super) fn new(mesh: &TriangleMesh, triangle: u32, corners: [Vec3; 3]) -> Self {
        let [a, b, c] = corners;
        let normal = mesh.normals()[triangle as usize];
        let sides = [b - a, c - b, a - c];
        let inward = |side: &Vec3| normal.cross(side) / side.norm_squared();
        let [first, second, third] = [inward(&sides[0]), inward(&sides[1]), inward(&sides[2])];
        Self {
            triangle,
            corners,
            face: Face {
                normal,
                offset: normal.dot(&a),
                first: 0,
                count: 3,
            },
            sides,
            above: LinearForms::new([(first, a), (second, b), (third, c), (normal, a)]),
        }
    }

    /// A vector along it and into it from one of its sides, of any length.
    pub(super) fn inward(&self, side: usize) -> Vec3 {
        let [x, y, z] = &self.above.gradients;
        Vec3::new(x[side], y[side], z[side])
    }

    /// How far a place is within each side, over the length of that, and above the triangle `[m]`.
    #[inline(always)]
    pub(super) fn place(&self, at: &Vec3) -> ([f64; 3], f64) {
        let [first, second, third, height] = self.above.at(at);
        ([first, second, third], height)
    }

    /// The largest of these for some places, and the least height.
    #[inline]
    pub(super) fn extent(&self, places: &[Vec3]) -> ([f64; 3], [f64; 2]) {
        let mut most = [f64::NEG_INFINITY; 4];
        let mut lowest = f64::INFINITY;
        for at in places {
            let above = self.above.at(at);
            for (most, above) in most.iter_mut().zip(above) {
                // Without the care that `f64::max` takes of NaN, which there is none of.
                *most = if above > *most { above } else { *most };
            }
            lowest = if above[3] < lowest { above[3] } else { lowest };
        }
        let [first, second, third, highest] = most;
        ([first, second, third], [lowest, highest])
    }

    /// Least distance of a place within the triangle from its sides, by what [`Self::place`] says of it `[m]`.
    #[inline]
    pub(super) fn least_from_sides(&self, inside: &[f64; 3]) -> f64 {
        let of_side = |(inside, side): (&f64, &Vec3)| inside * side.norm();
        let distances = inside.iter().zip(&self.sides).map(of_side);
        distances.fold(f64::INFINITY, f64::min)
    }

    /// True if a place, by what [`Self::place`] says of it, is straight above or below the triangle.
    #[inline(always)]
    pub(super) fn holds(inside: &[f64; 3]) -> bool {
        inside.iter().all(|&inside| inside >= -CLIP_TOLERANCE)
    }
}
