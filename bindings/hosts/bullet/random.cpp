// Random worlds of Bullet's for so many seconds, built with sanitizers: no body is lost and no number stops being one.
#include "drystone_bullet.h"
#include "scenes.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using Random = std::mt19937;

float number(Random &random, float least, float most)
{
    return std::uniform_real_distribution<float>(least, most)(random);
}

btCollisionShape *shape_of(Random &random)
{
    const float size = number(random, 0.15f, 0.7f);
    switch (random() % 7) {
    case 0: return new btBoxShape(btVector3(size, number(random, 0.1f, 0.5f), number(random, 0.1f, 0.5f)));
    case 1: return new btSphereShape(size);
    case 2: return new btCapsuleShape(0.5f * size, size);
    case 3: return new btCylinderShape(btVector3(size, 0.5f * size, size));
    case 4: return new btConeShape(size, size);
    case 5: {
        auto *compound = new btCompoundShape();
        static btSphereShape part(0.3f);
        compound->addChildShape(btTransform(btQuaternion::getIdentity(), btVector3(size, 0, 0)), &part);
        compound->addChildShape(btTransform(btQuaternion::getIdentity(), btVector3(-size, 0, 0)), &part);
        return compound;
    }
    default: {
        auto *hull = new btConvexHullShape();
        for (int point = 0; point < 12; ++point)
            hull->addPoint(unit(random) * size, false);
        hull->recalcLocalAabb();
        return hull;
    }
    }
}

btTypedConstraint *constraint_of(Random &random, btRigidBody &a, btRigidBody &b)
{
    // Both frames are one in the world, so that it holds at the start.
    const btTransform frame(turn(random), (a.getWorldTransform().getOrigin() + b.getWorldTransform().getOrigin()) * btScalar(0.5));
    const btTransform in_a = a.getWorldTransform().inverse() * frame, in_b = b.getWorldTransform().inverse() * frame;
    switch (random() % 6) {
    case 0: return new btPoint2PointConstraint(a, b, in_a.getOrigin(), in_b.getOrigin());
    case 1: {
        auto *hinge = new btHingeConstraint(a, b, in_a, in_b);
        if (random() % 2)
            hinge->setLimit(number(random, -1, 0), number(random, 0, 1));
        if (random() % 2)
            hinge->enableAngularMotor(true, number(random, -5, 5), number(random, 0, 5));
        return hinge;
    }
    case 2: {
        auto *slider = new btSliderConstraint(a, b, in_a, in_b, true);
        slider->setLowerLinLimit(number(random, -0.5f, 0));
        slider->setUpperLinLimit(number(random, 0, 0.5f));
        return slider;
    }
    case 3: {
        auto *cone = new btConeTwistConstraint(a, b, in_a, in_b);
        cone->setLimit(number(random, 0.1f, 1), number(random, 0.1f, 1), number(random, 0.1f, 1));
        return cone;
    }
    case 4: return new btFixedConstraint(a, b, in_a, in_b);
    default: {
        auto *spring = new btGeneric6DofSpring2Constraint(a, b, in_a, in_b);
        for (int axis = 0; axis < 6; ++axis) {
            spring->enableSpring(axis, random() % 2);
            spring->setStiffness(axis, number(random, 1, 100));
            spring->setDamping(axis, number(random, 0, 1));
        }
        return spring;
    }
    }
}

/// True if every number of every body is one, and no body has got through the ground.
bool is_whole(const Scene &scene, unsigned seed, int step)
{
    for (const auto &body : scene.bodies()) {
        const btVector3 &at = body->getWorldTransform().getOrigin(), &v = body->getLinearVelocity(), &w = body->getAngularVelocity();
        const double all = double(at.length2()) + double(v.length2()) + double(w.length2());
        if (!std::isfinite(all) || (body->getInvMass() != 0 && at.z() < -1)) {
            std::printf("FAILED world %u, step %d: a body at (%g, %g, %g) with %g m/s\n", seed, step, at.x(), at.y(), at.z(), v.length());
            return false;
        }
    }
    return true;
}

bool world(unsigned seed)
{
    Random random(seed);
    Scene scene(std::make_unique<drystone::BulletSolver>(1 + seed % 3), 1 + int(random() % 20));
    fence(scene, 8);
    if (random() % 4 == 0)
        scene.world().setGravity(unit(random) * number(random, 0, 20) - btVector3(0, 0, 5));
    if (random() % 4 == 0)
        scene.put_islands_together();
    std::vector<btRigidBody *> moved;
    const int count = 10 + int(random() % 110);
    for (int i = 0; i < count; ++i) {
        const float mass = random() % 12 ? std::pow(10.0f, number(random, -2, 3)) : 0;
        btRigidBody &body = scene.add(shape_of(random), mass, btTransform(turn(random), place(i) + btVector3(0, 0, 1)));
        body.setFriction(number(random, 0, 1.5f));
        body.setRestitution(random() % 3 ? 0 : number(random, 0, 1));
        if (seed % 4 == 3) {
            body.setRollingFriction(number(random, 0, 0.05f));
            body.setSpinningFriction(number(random, 0, 0.05f));
        }
        body.setDamping(number(random, 0, 0.2f), number(random, 0, 0.2f));
        if (mass == 0) {
            body.setCollisionFlags(body.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
            moved.push_back(&body);
            continue;
        }
        body.setLinearVelocity(unit(random) * number(random, 0, 15));
        body.setAngularVelocity(unit(random) * number(random, 0, 30));
        if (random() % 2)
            body.forceActivationState(ACTIVE_TAG);
        if (random() % 3 == 0)
            body.setFlags(body.getFlags() | BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY);
        btRigidBody &other = *scene.bodies()[scene.bodies().size() - 2];
        // A body that another one of a thousand times its mass drags along is dragged through what is in the way.
        const float ratio = mass * other.getInvMass();
        if (i > 0 && random() % 6 == 0 && ratio < 1000 && ratio * 1000 >= (other.getInvMass() > 0)) {
            // On a lever of 2 m a spin of 30 rad/s is a metre a step: Bullet's contacts come too late for it.
            body.setAngularVelocity(btVector3(0, 0, 0));
            other.setAngularVelocity(btVector3(0, 0, 0));
            scene.join(constraint_of(random, body, other), body.getWorldTransform().getOrigin());
        }
    }
    const bool has_dolls = random() % 6 == 0;
    for (int i = 0; i < 3 * has_dolls; ++i)
        doll(scene, btTransform(turn(random), place(i * 25) + btVector3(0, 0, 6)));
    const int division = 1 << random() % 3;
    for (int step = 0; step < 240; ++step) {
        for (btRigidBody *body : moved) {
            btTransform to = body->getWorldTransform();
            to.setOrigin(to.getOrigin() + btVector3(0, 0, number(random, -0.02f, 0.02f)));
            body->setWorldTransform(to);
        }
        if (step % 60 == 59) {
            // Somebody else moves a body, pushes one, and takes its contacts from one.
            btRigidBody &body = *scene.bodies()[random() % scene.bodies().size()];
            if (body.getInvMass() != 0) {
                body.activate();
                body.applyImpulse(unit(random) * 3 / body.getInvMass(), unit(random) * btScalar(0.1));
            }
        }
        scene.step(division);
        if (!is_whole(scene, seed, step))
            return false;
    }
    return true;
}

} // namespace

int main(int count, char **words)
{
    const double seconds = count > 1 ? std::atof(words[1]) : 20;
    const auto began = std::chrono::steady_clock::now();
    unsigned seed = count > 2 ? unsigned(std::atoi(words[2])) : 0;
    int worlds = 0, failures = 0;
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() < seconds) {
        failures += !world(seed++);
        ++worlds;
    }
    std::printf("%s %d random worlds of 240 steps, %d failed\n", failures ? "FAILED" : "ok    ", worlds, failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
