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

void wall_stands()
{
    Scene scene(drystone_solver(), 10);
    wall(scene, 30);
    const Measure found = after(scene, 600);
    double highest = 0;
    for (const auto &body : scene.bodies())
        highest = std::max(highest, double(body->getWorldTransform().getOrigin().z()));
    expect(std::abs(highest - 14.75) < 0.02, "wall of 30 rows: height of the last [m]", highest);
    expect(found.kinetic < 1e-3, "wall of 30 rows: kinetic energy [J a body]", found.kinetic);
}

void ball_bounces()
{
    Scene scene(drystone_solver(), 10);
    scene.bodies()[0]->setRestitution(1);
    btTransform pose(btQuaternion::getIdentity(), btVector3(0, 0, btScalar(1.5)));
    btRigidBody &ball = scene.add(new btSphereShape(btScalar(0.5)), 2, pose);
    ball.setRestitution(btScalar(0.7));
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

/// A kinematic platform at 1 m/s takes a box along.
void platform_carries()
{
    Scene scene(drystone_solver(), 10);
    btTransform pose(btQuaternion::getIdentity(), btVector3(0, 0, btScalar(0.25)));
    btRigidBody &platform = scene.add(new btBoxShape(btVector3(3, 3, btScalar(0.25))), 0, pose);
    platform.setCollisionFlags(platform.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    pose.setOrigin(btVector3(0, 0, 1));
    btRigidBody &box = scene.add(new btBoxShape(btVector3(0.5f, 0.5f, 0.5f)), 1, pose);
    for (int i = 1; i <= 120; ++i) {
        btTransform moved(btQuaternion::getIdentity(), btVector3(Scene::h * btScalar(i), 0, btScalar(0.25)));
        platform.setWorldTransform(moved);
        scene.step();
    }
    expect(std::abs(box.getLinearVelocity().x() - 1) < 1e-2, "platform: speed of what it carries [m/s]", box.getLinearVelocity().x());
}

/// Boxes, balls, capsules and hulls of masses from 0.1 to 100 kg, thrown into a fence; every few worlds without gravity.
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
    wall_stands();
    ball_bounces();
    platform_carries();
    random_worlds(count > 1 ? std::atoi(words[1]) : 30);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
