//! What impulses do to bodies, in every lane.

use super::{BodyInertia, BodyVelocity};
use crate::simd::{Simd, Vector, vector};

/// Linear and angular velocity of a body.
pub(crate) type Motion<S> = (Vector<S>, Vector<S>);

/// What an impulse `[N s]` and a moment about the centre of mass `[N m s]` add to a body's velocities.
#[inline(always)]
pub(crate) fn change_by<S: Simd>(
    impulse: Vector<S>,
    moment: Vector<S>,
    inverse_mass: S,
    inverse_inertia: &[S; 6],
) -> Motion<S> {
    (
        vector::scale(impulse, inverse_mass),
        vector::symmetric_mul(inverse_inertia, moment),
    )
}

/// The same of one of the copies of a body, each of which has one over their number of its mass.
#[inline(always)]
pub(crate) fn change_of_copy<S: Simd>(
    impulse: Vector<S>,
    moment: Vector<S>,
    inverse_mass: S,
    inverse_inertia: &[S; 6],
    copies: S,
) -> Motion<S> {
    let (linear, angular) = change_by(impulse, moment, inverse_mass * copies, inverse_inertia);
    (linear, vector::scale(angular, copies))
}

impl BodyVelocity {
    /// Adds what an impulse and a moment do to a body of this inertia.
    #[inline(always)]
    pub(crate) fn push(&mut self, inertia: &BodyInertia, impulse: [f32; 3], moment: [f32; 3]) {
        self.add(change_by(
            impulse,
            moment,
            self.inverse_mass,
            &inertia.inverse,
        ));
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, (linear, angular): Motion<f32>) {
        self.linear = vector::add(self.linear, linear);
        self.angular = vector::add(self.angular, angular);
    }
}
