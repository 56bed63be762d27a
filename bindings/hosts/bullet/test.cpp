// drystone in Bullet: piles come to rest on Bullet's own contacts, a wall stands, a ball bounces, a platform carries, random worlds lose nothing.
#include "drystone_bullet.h"
#include "scenes.h"

#include <cstdio>
#include <cstdlib>

namespace {

int failures = 0;

void expect(bool holds, const char *what, double found)
{
    std::printf("%s %s: %g\n", holds ? "ok    " : "FAILED", what, found);
    failures += holds ? 0 : 1;
}

std::unique_ptr<btConstraintSolver> drystone_solver(unsigned threads = 1)
{
    return std::make_unique<drystone::BulletSolver>(threads);
}

Measure after(Scene &scene, int steps)
{
    for (int i = 0; i < steps; ++i)
        scene.step();
    return scene.measure();
}

/// 1,000 boxes at the breaking threshold of 0.02 m that Bullet has.
void boxes_rest()
{
    Scene scene(drystone_solver(), 10);
    boxes(scene, 1000);
    const Measure found = after(scene, 600);
    expect(gContactBreakingThreshold == btScalar(0.02), "breaking threshold [m]", gContactBreakingThreshold);
    expect(found.kinetic < 0.01, "1,000 boxes: kinetic energy [J a body]", found.kinetic);
    expect(found.mean < 5e-4, "1,000 boxes: mean penetration [m]", found.mean);
    expect(found.lost == 0, "1,000 boxes: lost", found.lost);
}

/// A light ball that turns about a body's centre on a rod: the body and all that it touches is solved with constraints.
void hang(Scene &scene, btRigidBody &from)
{
    const btVector3 hook = from.getWorldTransform().getOrigin(), centre = hook + btVector3(0, 2, 0);
    btRigidBody &ball = scene.add(new btSphereShape(btScalar(0.1)), btScalar(0.01), btTransform(btQuaternion::getIdentity(), centre));
    scene.join(new btPoint2PointConstraint(ball, from, hook - centre, btVector3(0, 0, 0)), hook);
}

/// What holds a box on a slope is its weight, and stays so when Bullet finds its contacts again and gives them directions of its own.
void friction_is_kept()
{
    Scene scene(drystone_solver(), 10);
    const btQuaternion slope(btVector3(1, 2, 0).normalized(), btScalar(0.3));
    scene.add(new btBoxShape(btVector3(4, 4, btScalar(0.5))), 0, btTransform(slope, btVector3(0, 0, 5)));
    scene.add(new btBoxShape(btVector3(btScalar(0.5), btScalar(0.5), btScalar(0.5))), 1, btTransform(slope, btVector3(0, 0, 5) + quatRotate(slope, btVector3(0, 0, 1))));
    // Not `after`, which empties the manifolds.
    for (int i = 0; i < 60; ++i)
        scene.step();
    const btVector3 off = scene.started_with() - btVector3(0, 0, btScalar(9.81) * Scene::h);
    expect(off.length() < 0.002, "a box on a slope: impulses to start from, beside its weight [N s]", off.length());
}

/// Its contacts give way with the square of a substep, and the last box is lower by the sum: by 6 mm with the recommended substeps, 24 mm with 8.
void wall_stands(bool joined, unsigned substeps, double sag)
{
    Scene scene(std::make_unique<drystone::BulletSolver>(1, substeps), 10);
    wall(scene, 30);
    if (joined)
        hang(scene, *scene.bodies().back());
    const Measure found = after(scene, 600);
    double highest = 0;
    for (const auto &body : scene.bodies())
        highest = std::max(highest, double(body->getWorldTransform().getOrigin().z()));
    expect(std::abs(highest - 14.75) < sag, "wall of 30 rows: height of the last [m]", highest);
    expect(found.kinetic < 1e-3, "wall of 30 rows: kinetic energy [J a body]", found.kinetic);
}

void ball_bounces(bool joined)
{
    Scene scene(drystone_solver(), 10);
    scene.bodies()[0]->setRestitution(1);
    btTransform pose(btQuaternion::getIdentity(), btVector3(0, 0, btScalar(1.5)));
    btRigidBody &ball = scene.add(new btSphereShape(btScalar(0.5)), 2, pose);
    ball.setRestitution(btScalar(0.7));
    if (joined)
        hang(scene, ball);
    double highest = 0, last = 0;
    bool rises = false;
    for (int i = 0; i < 60; ++i) {
        scene.step();
        const double z = ball.getWorldTransform().getOrigin().z();
        rises |= z > last && i > 5;
        highest = rises ? std::max(highest, z) : highest;
        last = z;
    }
    expect(std::abs(highest - 0.5 - 0.49) < 0.03, "ball: height of the bounce from 1 m with 0.7 [m]", highest - 0.5);
}

/// A box that is 0.3 m deep in the ground comes up within half a second, and does not fly.
void deep_box_comes_up()
{
    Scene scene(std::make_unique<drystone::BulletSolver>(1, 6), 10);
    btTransform pose(btQuaternion::getIdentity(), btVector3(0, 0, btScalar(0.2)));
    btRigidBody &box = scene.add(new btBoxShape(btVector3(0.5f, 0.5f, 0.5f)), 1, pose);
    double highest = 0, fastest = 0;
    for (int i = 0; i < 30; ++i) {
        scene.step();
        highest = std::max(highest, double(box.getWorldTransform().getOrigin().z()));
        fastest = std::max(fastest, double(box.getLinearVelocity().length()));
    }
    expect(std::abs(box.getWorldTransform().getOrigin().z() - 0.5) < 0.01, "deep box: height [m]", box.getWorldTransform().getOrigin().z());
    expect(highest < 0.505, "deep box: greatest height [m]", highest);
    expect(fastest < 0.2, "deep box: greatest speed [m/s]", fastest);
}

/// Two bodies whose joint is 0.2 m apart come together, and are not thrown.
void torn_joint_comes_together()
{
    Scene scene(drystone_solver(), 10);
    scene.world().setGravity(btVector3(0, 0, 0));
    btTransform pose(btQuaternion::getIdentity(), btVector3(0, 0, 5));
    btRigidBody &a = scene.add(new btSphereShape(btScalar(0.2)), 1, pose);
    pose.setOrigin(btVector3(btScalar(1.2), 0, 5));
    btRigidBody &b = scene.add(new btBoxShape(btVector3(0.3f, 0.2f, 0.1f)), 5, pose);
    const btVector3 half(btScalar(0.5), 0, 0);
    scene.join(new btPoint2PointConstraint(a, b, half, -half), btVector3(btScalar(0.6), 0, 5));
    double fastest = 0;
    for (int i = 0; i < 60; ++i) {
        scene.step();
        fastest = std::max(fastest, double(std::max(a.getLinearVelocity().length(), b.getLinearVelocity().length())));
    }
    const double error = (a.getWorldTransform() * half - b.getWorldTransform() * -half).length();
    expect(error < 1e-4, "torn joint: error [m]", error);
    expect(fastest < 1e-3, "torn joint: greatest speed [m/s]", fastest);
}

/// A ball on a soft joint comes to rest where its weight has pulled it, and has no velocity there.
void soft_joint_holds()
{
    Scene scene(drystone_solver(), 10);
    const btVector3 place(0, 0, 5);
    btRigidBody &ball = scene.add(new btSphereShape(btScalar(0.2)), 2, btTransform(btQuaternion::getIdentity(), place));
    btPoint2PointConstraint &joint = scene.join(new btPoint2PointConstraint(ball, btVector3(0, 0, 0)), place);
    joint.setParam(BT_CONSTRAINT_CFM, btScalar(1), -1);
    double last = 0;
    for (int i = 0; i < 300; ++i) {
        last = ball.getWorldTransform().getOrigin().z();
        scene.step();
    }
    const double z = ball.getWorldTransform().getOrigin().z();
    // Softness 1 over the row's response 1/m, a fifth of the error a part: by g h^2 / 0.2, h being an eighth of the step.
    const double sag = 9.81 * std::pow(double(Scene::h) / 8, 2) / 0.2;
    expect(std::abs(5 - z - sag) < 0.05 * sag, "soft joint: height [m]", z);
    expect(std::abs(z - last) < 1e-5, "soft joint: way of the last step [m]", z - last);
    expect(ball.getLinearVelocity().length() < 1e-3, "soft joint: speed at rest [m/s]", ball.getLinearVelocity().length());
}

/// A kinematic platform at 1 m/s takes a box along.
void platform_carries(bool joined)
{
    Scene scene(drystone_solver(), 10);
    btTransform pose(btQuaternion::getIdentity(), btVector3(0, 0, btScalar(0.25)));
    btRigidBody &platform = scene.add(new btBoxShape(btVector3(3, 3, btScalar(0.25))), 0, pose);
    platform.setCollisionFlags(platform.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    pose.setOrigin(btVector3(0, 0, 1));
    btRigidBody &box = scene.add(new btBoxShape(btVector3(0.5f, 0.5f, 0.5f)), 1, pose);
    if (joined)
        hang(scene, box);
    for (int i = 1; i <= 120; ++i) {
        btTransform moved(btQuaternion::getIdentity(), btVector3(Scene::h * btScalar(i), 0, btScalar(0.25)));
        platform.setWorldTransform(moved);
        scene.step();
    }
    expect(std::abs(box.getLinearVelocity().x() - 1) < 1e-2, "platform: speed of what it carries [m/s]", box.getLinearVelocity().x());
}

/// A ball of 0.5 m whose rolling friction is a length of 0.02 m with the ground's coefficient: rolled at 2 m/s, spun, and put on an incline that it is held on.
void rolling_stops()
{
    const btScalar length = btScalar(0.02), radius = btScalar(0.5), g = btScalar(9.81);
    const auto ball_in = [&](Scene &scene) -> btRigidBody & {
        btRigidBody &ball = scene.add(new btSphereShape(radius), 1, btTransform(btQuaternion::getIdentity(), btVector3(0, 0, radius)));
        const btScalar of_ground = scene.bodies()[0]->getFriction();
        ball.setRollingFriction(length / of_ground);
        ball.setSpinningFriction(length / of_ground);
        return ball;
    };
    Scene rolls(drystone_solver(), 10);
    btRigidBody &rolling = ball_in(rolls);
    rolling.setLinearVelocity(btVector3(2, 0, 0));
    rolling.setAngularVelocity(btVector3(0, 2 / radius, 0));
    after(rolls, 60);
    const double left = 2 - 5.0 / 7.0 * length * g / radius;
    expect(std::abs(rolling.getLinearVelocity().x() - left) < 0.02, "rolling friction: speed after 1 s [m/s]", rolling.getLinearVelocity().x());
    after(rolls, 420);
    expect(rolling.getLinearVelocity().length() < 1e-3, "rolling friction: speed after 8 s [m/s]", rolling.getLinearVelocity().length());
    Scene spins(drystone_solver(), 10);
    btRigidBody &spinning = ball_in(spins);
    spinning.setAngularVelocity(btVector3(0, 0, 10));
    after(spins, 60);
    const double spin = 10 - length * g / (0.4 * radius * radius);
    expect(std::abs(spinning.getAngularVelocity().z() - spin) < 0.05, "spinning friction: spin after 1 s [rad/s]", spinning.getAngularVelocity().z());
    for (const btScalar tilt : {btScalar(0.03), btScalar(0.06)}) {
        Scene tilted(drystone_solver(), 10);
        tilted.world().setGravity(g * btVector3(std::sin(tilt), 0, -std::cos(tilt)));
        btRigidBody &ball = ball_in(tilted);
        after(tilted, 120);
        const double pull = std::max(0.0, std::sin(double(tilt)) - length / radius * std::cos(double(tilt)));
        const double speed = 2 * 5.0 / 7.0 * g * pull;
        expect(std::abs(ball.getLinearVelocity().x() - speed) < 0.01, "rolling friction on an incline: speed after 2 s [m/s]", ball.getLinearVelocity().x());
    }
}

/// Makes what touches a body with the callback's flag a belt at 0.5 m/s, as Bullet has them.
bool on_belt(btManifoldPoint &point, const btCollisionObjectWrapper *a, int, int, const btCollisionObjectWrapper *, int, int)
{
    const bool is_first = (a->getCollisionObject()->getCollisionFlags() & btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK) != 0;
    point.m_contactPointFlags |= BT_CONTACT_FLAG_LATERAL_FRICTION_INITIALIZED;
    point.m_lateralFrictionDir1 = btVector3(0, 1, 0);
    point.m_lateralFrictionDir2 = btVector3(1, 0, 0);
    point.m_contactMotion1 = is_first ? -0.5f : 0.5f;
    return true;
}

/// A box that is set down on a belt, by Bullet's own solver and by drystone's.
void belt_carries(std::unique_ptr<btConstraintSolver> solver, bool joined, const char *what)
{
    Scene scene(std::move(solver), 10);
    scene.bodies()[0]->setCollisionFlags(scene.bodies()[0]->getCollisionFlags() | btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK);
    gContactAddedCallback = on_belt;
    scene.keep_friction_directions();
    btTransform pose(btQuaternion::getIdentity(), btVector3(0, 0, btScalar(0.5)));
    btRigidBody &box = scene.add(new btBoxShape(btVector3(0.5f, 0.5f, 0.5f)), 1, pose);
    if (joined)
        hang(scene, box);
    // 0.5 m/s by mu g: after a tenth of a second.
    after(scene, 60);
    gContactAddedCallback = nullptr;
    const btVector3 &v = box.getLinearVelocity();
    expect(std::abs(v.y() - 0.5) < 0.01 && std::abs(v.x()) < 0.01, what, v.y());
    expect(std::abs(box.getWorldTransform().getOrigin().y() - (0.5 - 0.5 * 0.5 * 0.5 / 4.905)) < 0.02, "belt: way [m]",
           box.getWorldTransform().getOrigin().y());
}

/// A ball of 2 kg that hangs from a point 1 m above: what the joint bears is its weight, and beyond what it bears it breaks.
void pendulum_swings()
{
    Scene scene(drystone_solver(), 10);
    const btVector3 centre(0, 0, 3), pivot(0, 0, 4);
    btRigidBody &ball = scene.add(new btSphereShape(btScalar(0.1)), 2, btTransform(btQuaternion::getIdentity(), centre));
    btPoint2PointConstraint &joint = scene.join(new btPoint2PointConstraint(ball, pivot - centre), pivot);
    btJointFeedback feedback;
    joint.setJointFeedback(&feedback);
    scene.step();
    expect(std::abs(feedback.m_appliedForceBodyA.z() - 2 * 9.81) < 0.05, "pendulum: force [N]", feedback.m_appliedForceBodyA.z());
    expect(std::abs(joint.getAppliedImpulse() - 2 * 9.81 * double(Scene::h)) < 1e-3, "pendulum: impulse [N s]", joint.getAppliedImpulse());
    ball.setLinearVelocity(btVector3(btScalar(0.1), 0, 0));
    int passes = 0;
    double last = ball.getWorldTransform().getOrigin().x(), first_time = 0, last_time = 0;
    for (int i = 1; i <= 1200; ++i) {
        scene.step();
        const double x = ball.getWorldTransform().getOrigin().x();
        if (last < 0 && x >= 0) {
            last_time = (i - x / (x - last)) * double(Scene::h);
            first_time = passes++ ? first_time : last_time;
        }
        last = x;
    }
    // A ball that turns about the pivot, by 0.03 rad.
    const double period = 2 * 3.14159265 * std::sqrt((1 + 0.4 * 0.01) / 9.81);
    const double found = (last_time - first_time) / std::max(1, passes - 1);
    expect(std::abs(found - period) < 0.01 * period, "pendulum: period over that of the formula", found / period);
    expect(scene.worst_joint() < 1e-4, "pendulum: joint's error [m]", scene.worst_joint());
    joint.setBreakingImpulseThreshold(btScalar(0.9 * 2 * 9.81) * Scene::h);
    after(scene, 120);
    expect(!joint.isEnabled() && ball.getWorldTransform().getOrigin().z() < 0.2, "pendulum: height once it broke [m]",
           ball.getWorldTransform().getOrigin().z());
}

/// A wheel on a motor of 3 rad/s, then against a limit.
void motor_turns()
{
    Scene scene(drystone_solver(), 10);
    const btVector3 place(0, 0, 3), axis(0, 1, 0);
    btRigidBody &wheel = scene.add(new btBoxShape(btVector3(1, 0.1f, 0.2f)), 4, btTransform(btQuaternion::getIdentity(), place));
    const Frames frames(wheel, btTypedConstraint::getFixedBody(), place, btVector3(1, 0, 0), axis);
    btHingeConstraint &hinge = scene.join(new btHingeConstraint(wheel, btTypedConstraint::getFixedBody(), frames.a, frames.b), place);
    hinge.enableAngularMotor(true, 3, btScalar(0.1));
    const double inertia = 4.0 / 12 * (4 + 0.16);
    scene.step();
    expect(std::abs(std::abs(wheel.getAngularVelocity().y()) - 0.1 / inertia) < 1e-3, "motor: speed of its impulse over that of the formula",
           std::abs(wheel.getAngularVelocity().y()) / (0.1 / inertia));
    after(scene, 60);
    expect(std::abs(std::abs(wheel.getAngularVelocity().y()) - 3) < 0.01, "motor: speed [rad/s]", wheel.getAngularVelocity().y());
    hinge.enableMotor(false);
    hinge.setLimit(hinge.getHingeAngle() - 1, hinge.getHingeAngle() + 1);
    const double middle = hinge.getHingeAngle();
    double widest = 0;
    for (int i = 0; i < 120; ++i) {
        scene.step();
        widest = std::max(widest, std::abs(double(hinge.getHingeAngle()) - middle));
    }
    expect(widest > 0.9 && widest < 1.02, "motor: widest angle within limits of 1 rad", widest);
}

void ragdolls_rest()
{
    Scene scene(drystone_solver(), 10);
    ragdolls(scene, 20);
    double apart = 0;
    for (int i = 0; i < 600; ++i) {
        scene.step();
        apart = std::max(apart, scene.worst_joint());
    }
    const Measure found = scene.measure();
    expect(apart < 0.05, "20 ragdolls: largest error of a joint [m]", apart);
    expect(scene.worst_joint() < 0.002, "20 ragdolls: error of joints at rest [m]", scene.worst_joint());
    expect(found.mean < 1e-3, "20 ragdolls: mean penetration [m]", found.mean);
    expect(found.kinetic < 0.05, "20 ragdolls: kinetic energy [J a body]", found.kinetic);
    expect(found.lost == 0, "20 ragdolls: lost", found.lost);
}

/// Twenty links with 200 times the mass of one at their end.
void chain_holds()
{
    Scene scene(drystone_solver(), 10);
    chain(scene, 20);
    double apart = 0;
    for (int i = 0; i < 600; ++i) {
        scene.step();
        apart = std::max(apart, scene.worst_joint());
    }
    expect(apart < 0.05, "chain: largest error of a joint in its fall [m]", apart);
    expect(scene.worst_joint() < 0.001, "chain: error of joints at the end [m]", scene.worst_joint());
}

/// A box that lands, solved in one call with a doll that it does not touch, comes to the same bits as without.
void joints_elsewhere_change_nothing()
{
    double height[2];
    for (const bool has_doll : {false, true}) {
        Scene scene(drystone_solver(), 10);
        scene.put_islands_together();
        boxes(scene, 1);
        if (has_doll)
            doll(scene, btTransform(btQuaternion::getIdentity(), btVector3(40, 0, 3)));
        after(scene, 60);
        height[has_doll] = scene.bodies()[5]->getWorldTransform().getOrigin().z();
    }
    expect(height[0] == height[1], "box with a doll elsewhere: height [m]", height[1]);
}

/// Boxes, balls, capsules and hulls of masses from 0.1 to 100 kg, thrown into a fence; every fifth world has dolls.
void random_worlds(int count)
{
    int lost = 0;
    double worst = 0;
    for (int seed = 0; seed < count; ++seed) {
        std::mt19937 random(static_cast<unsigned>(seed));
        std::uniform_real_distribution<float> number(0, 1);
        Scene scene(drystone_solver(1 + unsigned(seed % 2)), 10);
        fence(scene, 8);
        for (int i = 0; i < 120; ++i) {
            const float size = 0.2f + 0.4f * number(random);
            btCollisionShape *shape = nullptr;
            switch (random() % 4) {
            case 0: shape = new btBoxShape(btVector3(size, 0.5f * size, 0.7f * size)); break;
            case 1: shape = new btSphereShape(size); break;
            case 2: shape = new btCapsuleShape(0.5f * size, size); break;
            default: {
                btConvexHullShape *hull = new btConvexHullShape();
                for (int point = 0; point < 12; ++point)
                    hull->addPoint(unit(random) * size, false);
                hull->recalcLocalAabb();
                shape = hull;
            }
            }
            const float mass = std::pow(10.0f, -1 + 3 * number(random));
            btRigidBody &body = scene.add(shape, mass, btTransform(turn(random), place(i) + btVector3(0, 0, 1)));
            body.setLinearVelocity(unit(random) * 8 * number(random));
            body.setAngularVelocity(unit(random) * 10 * number(random));
            body.setRestitution(seed % 3 == 0 ? number(random) : 0);
        }
        for (int i = 0; i < (seed % 5 == 1 ? 4 : 0); ++i)
            doll(scene, btTransform(turn(random), place(i * 25) + btVector3(0, 0, 6)));
        const Measure found = after(scene, 240);
        lost += found.lost;
        worst = std::max(worst, found.kinetic);
    }
    expect(lost == 0, "random worlds: bodies lost or not a number", lost);
    expect(worst < 3000, "random worlds: largest kinetic energy [J a body]", worst);
}

} // namespace

int main(int count, char **words)
{
    boxes_rest();
    friction_is_kept();
    wall_stands(false, 8, 0.03);
    for (const bool joined : {false, true}) {
        wall_stands(joined, 0, 0.02);
        ball_bounces(joined);
        platform_carries(joined);
    }
    belt_carries(std::make_unique<btSequentialImpulseConstraintSolver>(), false, "belt by Bullet's own solver: speed [m/s]");
    belt_carries(drystone_solver(), false, "belt: speed [m/s]");
    belt_carries(drystone_solver(), true, "belt with a joint: speed [m/s]");
    rolling_stops();
    deep_box_comes_up();
    torn_joint_comes_together();
    soft_joint_holds();
    pendulum_swings();
    motor_turns();
    chain_holds();
    joints_elsewhere_change_nothing();
    ragdolls_rest();
    random_worlds(count > 1 ? std::atoi(words[1]) : 30);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
