//! The rotation by a vector, by its series and by cosine and sine.

use drystone::internals::math;
use drystone::math::{Pose, Quat, Vec3};

#[test]
fn the_series_is_as_exact_as_cosine_and_sine() {
    let axis = Vec3::new(0.48, -0.6, 0.64);
    for k in 0..=1200 {
        // Both sides of the angle up to which the series is used.
        let theta = axis * (f64::from(k) / 1000.0);
        let (series, exact) = (math::exp(&theta), Quat::from_scaled_axis(theta));
        let off = (series.coords - exact.coords).norm();
        assert!(off <= 3e-16, "{off:e} at {theta}");
        assert!((series.coords.norm() - 1.0).abs() <= 3e-16);
    }
    assert_eq!(math::exp(&Vec3::zeros()), Quat::identity());
}

#[test]
fn many_small_turns_leave_a_unit_quaternion() {
    use drystone::world::{Body, Shape};
    let pose = Pose::new(Vec3::zeros(), Quat::identity());
    let mut body = Body::dynamic_with_mass(Shape::Sphere { radius: 1.0 }, pose, 1.0)
        .unwrap_or_else(|error| panic!("{error}"));
    for step in 0..100_000 {
        let turn = Vec3::new(0.01, 0.02 * f64::from(step % 7), -0.03);
        body.displace(&Vec3::zeros(), &turn);
    }
    assert!((body.pose.orientation.coords.norm() - 1.0).abs() <= 1e-15);
}
