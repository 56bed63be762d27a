// Worlds of Bullet's, and what is measured of them.
#ifndef SCENES_H
#define SCENES_H

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

/// Processor time of all threads: of one, it is the time that passes where nothing else runs.
inline double processor_seconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// A solver, and the processor time that it takes.
class Timed : public btConstraintSolver
{
public:
    explicit Timed(std::unique_ptr<btConstraintSolver> solver) : m_solver(std::move(solver)) {}
    void prepareSolve(int bodies, int manifolds) override { m_solver->prepareSolve(bodies, manifolds); }
    void allSolved(const btContactSolverInfo &info, btIDebugDraw *drawer) override { m_solver->allSolved(info, drawer); }
    void reset() override { m_solver->reset(); }
    btConstraintSolverType getSolverType() const override { return m_solver->getSolverType(); }
    btScalar solveGroup(btCollisionObject **bodies, int body_count, btPersistentManifold **manifolds, int manifold_count,
                        btTypedConstraint **constraints, int constraint_count, const btContactSolverInfo &info,
                        btIDebugDraw *drawer, btDispatcher *dispatcher) override
    {
        const double start = processor_seconds();
        const btScalar residual = m_solver->solveGroup(bodies, body_count, manifolds, manifold_count, constraints,
                                                       constraint_count, info, drawer, dispatcher);
        seconds += processor_seconds() - start;
        return residual;
    }
    double seconds = 0;

private:
    std::unique_ptr<btConstraintSolver> m_solver;
};

/// Penetrations found afresh, and energies.
struct Measure
{
    double mean = 0, worst = 0; // over points that overlap [m]
    double kinetic = 0;         // a body [J]
    int points = 0, lost = 0;   // bodies below the ground or not a number
};

class Scene
{
public:
    static constexpr btScalar h = btScalar(1) / 60;

    Scene(std::unique_ptr<btConstraintSolver> solver, int iterations)
        : m_dispatcher(&m_configuration), solver(std::move(solver)),
          m_world(&m_dispatcher, &m_broadphase, &this->solver, &m_configuration)
    {
        m_world.setGravity(btVector3(0, 0, btScalar(-9.81)));
        m_world.getSolverInfo().m_numIterations = iterations;
        add(new btBoxShape(btVector3(100, 100, 1)), 0, btTransform(btQuaternion::getIdentity(), btVector3(0, 0, -1)));
    }
    ~Scene()
    {
        for (auto &body : m_bodies)
            m_world.removeRigidBody(body.get());
    }

    btRigidBody &add(btCollisionShape *shape, btScalar mass, const btTransform &pose)
    {
        m_shapes.emplace_back(shape);
        btVector3 inertia(0, 0, 0);
        if (mass > 0)
            shape->calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
        info.m_startWorldTransform = pose;
        info.m_friction = btScalar(std::sqrt(0.5)); // of two: 0.5
        m_bodies.emplace_back(new btRigidBody(info));
        m_bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        m_world.addRigidBody(m_bodies.back().get());
        return *m_bodies.back();
    }

    void step() { m_world.stepSimulation(h, 0, h); }

    /// Of the poses as they are: manifolds are emptied and found again.
    Measure measure()
    {
        Measure measure;
        for (int i = 0; i < m_dispatcher.getNumManifolds(); ++i)
            m_dispatcher.getManifoldByIndexInternal(i)->clearManifold();
        m_world.performDiscreteCollisionDetection();
        for (int i = 0; i < m_dispatcher.getNumManifolds(); ++i) {
            const btPersistentManifold &manifold = *m_dispatcher.getManifoldByIndexInternal(i);
            for (int at = 0; at < manifold.getNumContacts(); ++at) {
                const double depth = -double(manifold.getContactPoint(at).getDistance());
                if (depth <= 0)
                    continue;
                measure.mean += depth;
                measure.worst = std::max(measure.worst, depth);
                ++measure.points;
            }
        }
        measure.mean /= std::max(1, measure.points);
        int moving = 0;
        for (const auto &body : m_bodies) {
            if (body->getInvMass() == 0)
                continue;
            ++moving;
            const btVector3 &v = body->getLinearVelocity(), &w = body->getAngularVelocity();
            const btVector3 momentum = body->getInvInertiaTensorWorld().inverse() * w;
            measure.kinetic += 0.5 * (v.length2() / body->getInvMass() + w.dot(momentum));
            const btScalar z = body->getWorldTransform().getOrigin().z();
            measure.lost += !(z > -1 && z < 1000);
        }
        measure.kinetic /= std::max(1, moving);
        return measure;
    }

    const std::vector<std::unique_ptr<btRigidBody>> &bodies() const { return m_bodies; }

private:
    btDefaultCollisionConfiguration m_configuration;
    btCollisionDispatcher m_dispatcher;
    btDbvtBroadphase m_broadphase;

public:
    Timed solver;

private:
    btDiscreteDynamicsWorld m_world;
    std::vector<std::unique_ptr<btCollisionShape>> m_shapes;
    std::vector<std::unique_ptr<btRigidBody>> m_bodies;
};

inline btVector3 unit(std::mt19937 &random)
{
    std::uniform_real_distribution<float> number(-1, 1);
    for (;;) {
        const btVector3 v(number(random), number(random), number(random));
        if (v.length2() > 0.01f && v.length2() < 1)
            return v.normalized();
    }
}

inline btQuaternion turn(std::mt19937 &random)
{
    std::uniform_real_distribution<float> angle(0, 6.28f);
    return btQuaternion(unit(random), angle(random));
}

/// Walls around a square of this half width.
inline void fence(Scene &scene, btScalar half)
{
    for (int side = 0; side < 4; ++side) {
        const btScalar x = side < 2 ? (side ? half + 1 : -half - 1) : 0, y = side < 2 ? 0 : (side > 2 ? half + 1 : -half - 1);
        const btVector3 extents = side < 2 ? btVector3(1, half + 2, 50) : btVector3(half + 2, 1, 50);
        scene.add(new btBoxShape(extents), 0, btTransform(btQuaternion::getIdentity(), btVector3(x, y, 50)));
    }
}

/// Places ten wide and ten deep, layer over layer.
inline btVector3 place(int i)
{
    return btVector3(1.6f * float(i % 10) - 7.2f, 1.6f * float(i / 10 % 10) - 7.2f, 1 + 1.6f * float(i / 100));
}

/// Boxes of 1 m dropped, turned at random, into a fence of 16 m.
inline void boxes(Scene &scene, int count)
{
    std::mt19937 random(1);
    fence(scene, 8);
    for (int i = 0; i < count; ++i) {
        scene.add(new btBoxShape(btVector3(0.5f, 0.5f, 0.5f)), 1, btTransform(turn(random), place(i)));
    }
}

/// Boxes of 1 m in a block ten wide, set down a little apart.
inline void block(Scene &scene, int count)
{
    for (int i = 0; i < count; ++i) {
        const btVector3 place(1.05f * float(i % 10), 1.05f * float(i / 10 % 10), 0.55f + 1.02f * float(i / 100));
        scene.add(new btBoxShape(btVector3(0.5f, 0.5f, 0.5f)), 1, btTransform(btQuaternion::getIdentity(), place));
    }
}

/// Hulls of 14 points on a sphere of 0.6 m dropped into a fence.
inline void hulls(Scene &scene, int count)
{
    std::mt19937 random(2);
    fence(scene, 8);
    for (int i = 0; i < count; ++i) {
        btConvexHullShape *hull = new btConvexHullShape();
        for (int point = 0; point < 14; ++point)
            hull->addPoint(unit(random) * btScalar(0.6), false);
        hull->recalcLocalAabb();
        scene.add(hull, 1, btTransform(turn(random), place(i)));
    }
}

/// A wall of 1 m x 0.5 m x 0.5 m bricks in a running bond.
inline void wall(Scene &scene, int rows)
{
    for (int row = 0; row < rows; ++row)
        for (int brick = 0; brick < 10; ++brick) {
            const btVector3 place(1.01f * float(brick) + (row % 2 ? 0.5f : 0), 0, 0.25f + 0.5f * float(row));
            scene.add(new btBoxShape(btVector3(0.5f, 0.25f, 0.25f)), 1, btTransform(btQuaternion::getIdentity(), place));
        }
}

#endif
