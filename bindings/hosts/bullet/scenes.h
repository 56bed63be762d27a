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
        for (auto &joint : m_joints)
            m_world.removeConstraint(joint.constraint.get());
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

    /// Adds a constraint of two bodies at a point, which do not collide any more.
    template <typename T> T &join(T *constraint, const btVector3 &point)
    {
        const btTransform &a = constraint->getRigidBodyA().getWorldTransform(), &b = constraint->getRigidBodyB().getWorldTransform();
        m_joints.push_back({std::unique_ptr<btTypedConstraint>(constraint), a.invXform(point), b.invXform(point)});
        m_world.addConstraint(constraint, true);
        return *constraint;
    }

    /// Largest distance of the two ends of a joint [m].
    double worst_joint() const
    {
        double worst = 0;
        for (const Joint &joint : m_joints) {
            const btTransform &a = joint.constraint->getRigidBodyA().getWorldTransform();
            const btTransform &b = joint.constraint->getRigidBodyB().getWorldTransform();
            worst = std::max(worst, double((a * joint.end_a - b * joint.end_b).length()));
        }
        return worst;
    }

    /// Has all islands solved in one call.
    void put_islands_together() { m_world.getSolverInfo().m_minimumSolverBatchSize = 1 << 30; }

    /// Lets contacts keep the directions and the motion that a callback gave them.
    void keep_friction_directions() { m_world.getSolverInfo().m_solverMode |= SOLVER_ENABLE_FRICTION_DIRECTION_CACHING; }

    /// Sum of the impulses that a step begins with at the contacts of the last body, which Bullet has just found again [N s].
    btVector3 started_with()
    {
        m_world.performDiscreteCollisionDetection();
        btVector3 sum(0, 0, 0);
        for (int i = 0; i < m_dispatcher.getNumManifolds(); ++i) {
            const btPersistentManifold &manifold = *m_dispatcher.getManifoldByIndexInternal(i);
            const bool is_a = manifold.getBody0() == m_bodies.back().get(), is_b = manifold.getBody1() == m_bodies.back().get();
            for (int at = 0; at < manifold.getNumContacts(); ++at) {
                const btManifoldPoint &point = manifold.getContactPoint(at);
                sum += btScalar(int(is_a) - int(is_b)) *
                       (point.m_normalWorldOnB * point.m_appliedImpulse + point.m_lateralFrictionDir1 * point.m_appliedImpulseLateral1 +
                        point.m_lateralFrictionDir2 * point.m_appliedImpulseLateral2);
            }
        }
        return sum;
    }

    /// A step, or so many that are together as long.
    void step(int division = 1)
    {
        for (int i = 0; i < division; ++i)
            m_world.stepSimulation(h / btScalar(division), 0, h);
    }

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
    btDiscreteDynamicsWorld &world() { return m_world; }

private:
    struct Joint
    {
        std::unique_ptr<btTypedConstraint> constraint;
        btVector3 end_a, end_b;
    };
    btDefaultCollisionConfiguration m_configuration;
    btCollisionDispatcher m_dispatcher;
    btDbvtBroadphase m_broadphase;

public:
    Timed solver;

private:
    btDiscreteDynamicsWorld m_world;
    std::vector<std::unique_ptr<btCollisionShape>> m_shapes;
    std::vector<std::unique_ptr<btRigidBody>> m_bodies;
    std::vector<Joint> m_joints;
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


/// Frames of two bodies for a joint at a point of the world with this axis (x of the frames, or z where a constraint turns about that).
struct Frames
{
    btTransform a, b;
    Frames(const btRigidBody &first, const btRigidBody &second, const btVector3 &point, const btVector3 &x, const btVector3 &z)
    {
        const btVector3 y = z.cross(x);
        const btTransform frame(btMatrix3x3(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]), point);
        a = first.getWorldTransform().inverse() * frame;
        b = second.getWorldTransform().inverse() * frame;
    }
};

/// A doll of 11 capsules, six cones with a twist and four hinges, all with limits; its pelvis is at the pose.
inline void doll(Scene &scene, const btTransform &at)
{
    const btVector3 ex(1, 0, 0), ey(0, 1, 0), ez(0, 0, 1);
    const auto capsule = [&](bool along_x, btScalar radius, btScalar height, btScalar mass, const btVector3 &place) -> btRigidBody & {
        btCollisionShape *shape = new btCapsuleShapeZ(radius, height);
        if (along_x) {
            delete shape;
            shape = new btCapsuleShapeX(radius, height);
        }
        return scene.add(shape, mass, at * btTransform(btQuaternion::getIdentity(), place));
    };
    const auto turn = [&](const btVector3 &axis) { return at.getBasis() * axis; };
    const auto hinge = [&](btRigidBody &a, btRigidBody &b, const btVector3 &place, const btVector3 &axis, const btVector3 &side,
                           btScalar low, btScalar high) {
        const Frames frames(a, b, at * place, turn(side), turn(axis));
        scene.join(new btHingeConstraint(a, b, frames.a, frames.b), at * place).setLimit(low, high);
    };
    const auto cone = [&](btRigidBody &a, btRigidBody &b, const btVector3 &place, const btVector3 &axis, btScalar swing) {
        const btVector3 side = btFabs(axis.y()) < btScalar(0.5) ? ey : ex;
        const Frames frames(a, b, at * place, turn(axis), turn(side));
        scene.join(new btConeTwistConstraint(a, b, frames.a, frames.b), at * place).setLimit(swing, swing, btScalar(0.4));
    };
    btRigidBody &pelvis = capsule(false, 0.15f, 0.1f, 10, btVector3(0, 0, 0));
    btRigidBody &chest = capsule(false, 0.15f, 0.2f, 15, btVector3(0, 0, 0.35f));
    btRigidBody &head = capsule(false, 0.1f, 0.05f, 4, btVector3(0, 0, 0.75f));
    cone(pelvis, chest, btVector3(0, 0, 0.15f), ez, 0.5f);
    cone(chest, head, btVector3(0, 0, 0.62f), ez, 0.6f);
    for (const btScalar side : {-1.0f, 1.0f}) {
        btRigidBody &thigh = capsule(false, 0.07f, 0.35f, 6, btVector3(side * 0.18f, 0, -0.35f));
        btRigidBody &shin = capsule(false, 0.06f, 0.35f, 4, btVector3(side * 0.18f, 0, -0.8f));
        cone(pelvis, thigh, btVector3(side * 0.18f, 0, -0.1f), -ez, 0.8f);
        hinge(thigh, shin, btVector3(side * 0.18f, 0, -0.58f), ex, ey, -2, 0);
        btRigidBody &arm = capsule(true, 0.05f, 0.25f, 2, btVector3(side * 0.38f, 0, 0.5f));
        btRigidBody &forearm = capsule(true, 0.04f, 0.25f, 1.5f, btVector3(side * 0.72f, 0, 0.5f));
        cone(chest, arm, btVector3(side * 0.2f, 0, 0.5f), ex * side, 1);
        hinge(arm, forearm, btVector3(side * 0.55f, 0, 0.5f), ez, ex, side > 0 ? 0 : -2, side > 0 ? 2 : 0);
    }
}

/// Dolls that fall into a fence of 6 m.
inline void ragdolls(Scene &scene, int count)
{
    fence(scene, 3);
    for (int i = 0; i < count; ++i) {
        const btVector3 place(btScalar(i % 2) * 3 - 1.5f, btScalar(i / 2 % 2) * 3 - 1.5f, 1 + 2.2f * btScalar(i / 4));
        doll(scene, btTransform(btQuaternion(btVector3(1, btScalar(i % 3), 1).normalized(), btScalar(0.4) * btScalar(i)), place));
    }
}

/// A chain of links of 0.1 kg and so much at its end, hung up level.
inline void chain(Scene &scene, int links)
{
    btRigidBody *last = nullptr;
    for (int i = 0; i <= links; ++i) {
        const bool is_load = i == links;
        btCollisionShape *shape = new btBoxShape(btVector3(0.1f, 0.05f, 0.05f));
        if (is_load) {
            delete shape;
            shape = new btSphereShape(0.3f);
        }
        const btVector3 place(0.25f * float(i) + (is_load ? 0.2f : 0), 0, 12);
        btRigidBody &body = scene.add(shape, is_load ? 20 : 0.1f, btTransform(btQuaternion::getIdentity(), place));
        const btVector3 joint(0.25f * float(i) - 0.125f, 0, 12);
        const btVector3 of_body = joint - place;
        if (last)
            scene.join(new btPoint2PointConstraint(body, *last, of_body, joint - last->getWorldTransform().getOrigin()), joint);
        else
            scene.join(new btPoint2PointConstraint(body, of_body), joint);
        last = &body;
    }
}

#endif
