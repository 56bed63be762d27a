// drystone as Bullet's constraint solver: contacts with friction and restitution, kinematic bodies.
//
//     drystone::BulletSolver solver;
//     btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
//
// What a contact carries from step to step is in Bullet's own manifold points, so that it lives and dies with them.
#ifndef DRYSTONE_BULLET_H
#define DRYSTONE_BULLET_H

#include "drystone.h"

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace drystone {

class BulletSolver : public btConstraintSolver
{
public:
    /// With so many threads of its own; `substeps` 0 is drystone's own number.
    explicit BulletSolver(unsigned threads = 1, unsigned substeps = 0) : m_substeps(substeps)
    {
        if (ds_abi_version() != DS_ABI_VERSION)
            throw std::runtime_error("drystone: header and library are of different versions");
        check(ds_create(threads, &m_solver));
    }
    ~BulletSolver() override { ds_destroy(m_solver); }
    BulletSolver(const BulletSolver &) = delete;
    BulletSolver &operator=(const BulletSolver &) = delete;

    void reset() override {}
    btConstraintSolverType getSolverType() const override { return BT_SEQUENTIAL_IMPULSE_SOLVER; }

    btScalar solveGroup(btCollisionObject **objects, int object_count, btPersistentManifold **manifolds,
                        int manifold_count, btTypedConstraint **, int constraint_count,
                        const btContactSolverInfo &info, btIDebugDraw *, btDispatcher *) override
    {
        if (constraint_count > 0)
            throw std::runtime_error("drystone: this solver takes contacts only, and no constraints");
        take_bodies(objects, object_count, info.m_timeStep);
        take_contacts(manifolds, manifold_count);
        solve(info.m_timeStep);
        give_bodies(info.m_timeStep);
        give_contacts();
        return 0;
    }

private:
    template <typename T> using Array = btAlignedObjectArray<T>;

    static void check(ds_status status)
    {
        if (status != DS_OK)
            throw std::runtime_error(std::string("drystone: ") + ds_message());
    }

    static void put(float (&to)[3], const btVector3 &from)
    {
        to[0] = float(from.x());
        to[1] = float(from.y());
        to[2] = float(from.z());
    }
    static btVector3 get(const float (&from)[3]) { return btVector3(from[0], from[1], from[2]); }

    void take_bodies(btCollisionObject **objects, int count, btScalar h)
    {
        m_rigid.resizeNoInitialize(0);
        m_bodies.resizeNoInitialize(0);
        m_increments.resizeNoInitialize(0);
        m_gravity = 0;
        for (int i = 0; i < count; ++i)
            index_of(objects[i], h);
    }

    /// The index of an object's body; static ones come with their contacts.
    unsigned index_of(btCollisionObject *object, btScalar h)
    {
        const int companion = object->getCompanionId();
        if (companion >= 0 && companion < m_rigid.size() && m_rigid[companion] == object)
            return unsigned(companion);
        ds_body body = {};
        ds_velocity increment = {};
        put(body.linear_velocity, object->getInterpolationLinearVelocity());
        put(body.angular_velocity, object->getInterpolationAngularVelocity());
        btRigidBody *rigid = btRigidBody::upcast(object);
        if (rigid && !object->isStaticOrKinematicObject()) {
            const btMatrix3x3 &inertia = rigid->getInvInertiaTensorWorld();
            put(body.linear_velocity, rigid->getLinearVelocity());
            put(body.angular_velocity, rigid->getAngularVelocity());
            body.inverse_mass = float(rigid->getInvMass());
            const float entries[6] = {float(inertia[0][0]), float(inertia[0][1]), float(inertia[0][2]),
                                      float(inertia[1][1]), float(inertia[1][2]), float(inertia[2][2])};
            std::copy(entries, entries + 6, body.inverse_inertia);
            btVector3 spin = inertia * rigid->getTotalTorque() * h;
            if (rigid->getFlags() & BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY)
                spin += rigid->computeGyroscopicImpulseImplicit_Body(h);
            put(increment.linear, rigid->getTotalForce() * rigid->getInvMass() * h);
            put(increment.angular, spin);
            m_gravity = btMax(m_gravity, rigid->getGravity().length());
        } else if (!object->isKinematicObject()) {
            body = ds_body{};
        }
        object->setCompanionId(m_rigid.size());
        m_rigid.push_back(object);
        m_bodies.push_back(body);
        m_increments.push_back(increment);
        return unsigned(m_rigid.size() - 1);
    }

    void take_contacts(btPersistentManifold **manifolds, int count)
    {
        m_points.resizeNoInitialize(0);
        m_contacts.resizeNoInitialize(0);
        m_gaps.resizeNoInitialize(0);
        m_restitutions.resizeNoInitialize(0);
        m_loads.resizeNoInitialize(0);
        for (int i = 0; i < count; ++i) {
            btPersistentManifold &manifold = *manifolds[i];
            if (manifold.getNumContacts() == 0)
                continue; // most of them
            btCollisionObject *a = const_cast<btCollisionObject *>(manifold.getBody0());
            btCollisionObject *b = const_cast<btCollisionObject *>(manifold.getBody1());
            if (!a->hasContactResponse() || !b->hasContactResponse())
                continue;
            const unsigned bodies[2] = {index_of(a, 0), index_of(b, 0)};
            if (m_bodies[bodies[0]].inverse_mass == 0 && m_bodies[bodies[1]].inverse_mass == 0)
                continue;
            for (int at = 0; at < manifold.getNumContacts(); ++at) {
                btManifoldPoint &point = manifold.getContactPoint(at);
                if (point.getDistance() > manifold.getContactProcessingThreshold())
                    continue;
                const btVector3 middle = (point.getPositionWorldOnA() + point.getPositionWorldOnB()) * 0.5f;
                ds_contact contact = {};
                contact.body_a = bodies[0];
                contact.body_b = bodies[1];
                put(contact.arm_a, middle - a->getWorldTransform().getOrigin());
                put(contact.arm_b, middle - b->getWorldTransform().getOrigin());
                put(contact.normal, point.m_normalWorldOnB.normalized()); // from B to A, as drystone's
                contact.friction = float(point.m_combinedFriction);
                m_contacts.push_back(contact);
                m_points.push_back(&point);
                m_gaps.push_back(float(point.getDistance()));
                m_restitutions.push_back(float(point.m_combinedRestitution));
                m_loads.push_back(point.m_prevRHS);
            }
        }
    }

    void solve(btScalar h)
    {
        m_velocities.resizeNoInitialize(m_bodies.size());
        m_displacements.resizeNoInitialize(m_bodies.size());
        m_impulses.resizeNoInitialize(m_contacts.size());
        m_totals.resizeNoInitialize(m_contacts.size());
        ds_problem problem = {};
        problem.struct_size = sizeof problem;
        problem.body_count = size_t(m_bodies.size());
        problem.contact_count = size_t(m_contacts.size());
        problem.bodies = data(m_bodies);
        problem.contacts = data(m_contacts);
        problem.increments = data(m_increments);
        problem.gaps = data(m_gaps);
        problem.restitutions = data(m_restitutions);
        problem.loads = data(m_loads);
        m_sizes.resizeNoInitialize(m_contacts.size());
        check(ds_sizes(&problem, data(m_sizes)));
        problem.sizes = data(m_sizes);
        m_plan.struct_size = sizeof m_plan;
        check(ds_plan_recommended_for(&m_plan, &problem, m_substeps, h, m_gravity));
        for (int i = 0; i < m_contacts.size(); ++i) {
            const btManifoldPoint &point = *m_points[i];
            if (point.m_appliedImpulse == 0)
                continue;
            ds_contact &contact = m_contacts[i];
            float first[3], second[3];
            check(ds_tangents(contact.normal, first, second));
            const btVector3 lateral = point.m_lateralFrictionDir1 * point.m_appliedImpulseLateral1 +
                                      point.m_lateralFrictionDir2 * point.m_appliedImpulseLateral2;
            const float share = 1.0f / float(m_plan.substeps);
            contact.impulse[0] = share * float(point.m_appliedImpulse);
            contact.impulse[1] = share * float(lateral.dot(get(first)));
            contact.impulse[2] = share * float(lateral.dot(get(second)));
        }
        ds_solution solution = {};
        solution.struct_size = sizeof solution;
        solution.velocities = data(m_velocities);
        solution.displacements = data(m_displacements);
        solution.impulses = reinterpret_cast<float(*)[3]>(data(m_impulses));
        solution.total_impulses = reinterpret_cast<float(*)[3]>(data(m_totals));
        check(ds_step(m_solver, &problem, &m_plan, &solution, nullptr));
        check(ds_renew_loads(&m_plan, solution.total_impulses, data(m_sizes), data(m_loads), problem.contact_count));
    }

    /// Velocities, and what Bullet's integration by them, which follows, leaves out of the displacements.
    void give_bodies(btScalar h)
    {
        for (int i = 0; i < m_rigid.size(); ++i) {
            m_rigid[i]->setCompanionId(-1);
            if (m_bodies[i].inverse_mass == 0)
                continue;
            btRigidBody *body = btRigidBody::upcast(m_rigid[i]);
            const btVector3 linear = get(m_velocities[i].linear), angular = get(m_velocities[i].angular);
            body->setLinearVelocity(linear);
            body->setAngularVelocity(angular);
            const btVector3 moved = get(m_displacements[i].linear) - linear * h;
            const btVector3 turned = get(m_displacements[i].angular) - angular * h;
            btTransform pose = body->getWorldTransform();
            btTransform displaced;
            btTransformUtil::integrateTransform(pose, moved, turned, 1, displaced);
            body->setWorldTransform(displaced);
        }
    }

    void give_contacts()
    {
        const float substeps = float(m_plan.substeps);
        for (int i = 0; i < m_points.size(); ++i) {
            btManifoldPoint &point = *m_points[i];
            float first[3], second[3];
            check(ds_tangents(m_contacts[i].normal, first, second));
            const Impulse &impulse = m_impulses[i];
            point.m_appliedImpulse = substeps * impulse.along[0];
            point.m_appliedImpulseLateral1 = substeps * impulse.along[1];
            point.m_appliedImpulseLateral2 = substeps * impulse.along[2];
            point.m_lateralFrictionDir1 = get(first);
            point.m_lateralFrictionDir2 = get(second);
            point.m_prevRHS = m_loads[i];
        }
    }

    /// Along normal and tangents.
    struct Impulse
    {
        float along[3];
    };

    template <typename T> static T *data(Array<T> &array) { return array.size() ? &array[0] : nullptr; }

    ds_solver *m_solver = nullptr;
    unsigned m_substeps;
    btScalar m_gravity = 0;
    ds_plan m_plan = {};
    Array<btCollisionObject *> m_rigid;
    Array<ds_body> m_bodies;
    Array<ds_velocity> m_increments, m_velocities;
    Array<ds_displacement> m_displacements;
    Array<ds_contact> m_contacts;
    Array<btManifoldPoint *> m_points;
    Array<float> m_gaps, m_restitutions, m_loads, m_sizes;
    Array<Impulse> m_impulses, m_totals;
};

} // namespace drystone

#endif
