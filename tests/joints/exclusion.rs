//! Pairs of bodies that do not collide because they are joined.

use super::body;
use drystone::math::{Pose, Vec3};
use drystone::world::World;
use drystone::world::joint::{Joint, JointKind};

#[test]
fn excluded_pairs_are_sorted_and_listed_once() {
    let mut world = World::new(Vec3::zeros());
    for _ in 0..5 {
        world.add(body(Pose::identity())).unwrap();
    }
    let mut join = |a, b| {
        world
            .add_joint(Joint::new(JointKind::Ball, a, Some(b)))
            .unwrap() as usize
    };
    join(3, 1);
    join(1, 3);
    join(0, 4);
    let touching = join(2, 4);
    let broken = join(0, 1);
    world.joints[touching].collide = true;
    world.joints[broken].broken = true;
    world
        .add_joint(Joint::new(JointKind::Ball, 2, None))
        .unwrap();
    assert_eq!(world.excluded_pairs(), [[0, 4], [1, 3]]);
}
