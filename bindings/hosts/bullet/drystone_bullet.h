// drystone as Bullet's constraint solver: contacts with friction, rolling and spinning friction and restitution, kinematic bodies, all of Bullet's constraints.
//
//     drystone::BulletSolver solver;
//     btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
//
// What a contact carries from step to step is in Bullet's own manifold points, so that it lives and dies with them.
#ifndef DRYSTONE_BULLET_H
#define DRYSTONE_BULLET_H

#include "drystone.h"
#include "drystone_bullet_joints.h"

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
                        int manifold_count, btTypedConstraint **constraints, int constraint_count,
                        const btContactSolverInfo &info, btIDebugDraw *, btDispatcher *) override
    {
        m_keeps_directions = (info.m_solverMode & SOLVER_ENABLE_FRICTION_DIRECTION_CACHING) != 0;
        bool holds = false;
        for (int i = 0; i < manifold_count; ++i)
            holds |= holds_rolling(*manifolds[i]);
        if (constraint_count == 0 && !holds) {
            solve_contacts(objects, object_count, manifolds, manifold_count, info.m_timeStep);
            return 0;
        }
        m_parts.split(objects, object_count, manifolds, manifold_count, constraints, constraint_count);
        auto &free = m_parts.free, &jointed = m_parts.jointed;
        if (free.objects.size() > 0)
            solve_contacts(data(free.objects), free.objects.size(), data(free.manifolds), free.manifolds.size(), info.m_timeStep);
        take_bodies(data(jointed.objects), jointed.objects.size(), info.m_timeStep);
        take_contacts(data(jointed.manifolds), jointed.manifolds.size());
        m_joints.begin(constraints, constraint_count, [this](btRigidBody &body) { return index_of(&body, 0); });
        solve_in_parts(info);
        give_poses(info.m_timeStep);
        give_contacts();
        return 0;
    }

private:
    void solve_contacts(btCollisionObject **objects, int object_count, btPersistentManifold **manifolds, int manifold_count, btScalar h)
    {
        take_bodies(objects, object_count, h);
        take_contacts(manifolds, manifold_count);
        solve(h);
        give_bodies(h);
        give_contacts();
    }

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

    static void put_inertia(ds_body &body, const btRigidBody &rigid)
    {
        const btMatrix3x3 &inertia = rigid.getInvInertiaTensorWorld();
        const float entries[6] = {float(inertia[0][0]), float(inertia[0][1]), float(inertia[0][2]),
                                  float(inertia[1][1]), float(inertia[1][2]), float(inertia[2][2])};
        std::copy(entries, entries + 6, body.inverse_inertia);
    }

    /// Velocity of the surface of a contact.
    struct Surface
    {
        float velocity[3];
    };

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
            put_inertia(body, *rigid);
            put(body.linear_velocity, rigid->getLinearVelocity());
            put(body.angular_velocity, rigid->getAngularVelocity());
            body.inverse_mass = float(rigid->getInvMass());
            btVector3 spin = rigid->getInvInertiaTensorWorld() * rigid->getTotalTorque() * h;
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
        m_surfaces.resizeNoInitialize(0);
        m_rolling.resizeNoInitialize(0);
        m_spinning.resizeNoInitialize(0);
        m_is_moving = false;
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
                m_rolling.push_back(float(btMax(point.m_combinedRollingFriction, btScalar(0))));
                m_spinning.push_back(float(btMax(point.m_combinedSpinningFriction, btScalar(0))));
                m_surfaces.push_back(surface_of(point, get(contact.normal)));
                m_is_moving |= !get(m_surfaces[m_surfaces.size() - 1].velocity).isZero();
            }
        }
    }

    bool has_directions(const btManifoldPoint &point) const
    {
        return m_keeps_directions && (point.m_contactPointFlags & BT_CONTACT_FLAG_LATERAL_FRICTION_INITIALIZED) != 0;
    }

    /// The velocity that the caller gave a contact's surface by its `m_contactMotion1` and 2, as belts have.
    Surface surface_of(const btManifoldPoint &point, const btVector3 &normal) const
    {
        Surface surface = {};
        if (has_directions(point)) {
            const btVector3 motion = point.m_lateralFrictionDir1 * point.m_contactMotion1 + point.m_lateralFrictionDir2 * point.m_contactMotion2;
            put(surface.velocity, motion - normal * normal.dot(motion));
        }
        return surface;
    }

    /// The problem of a step, its plan in so many substeps, and impulses to start from.
    ds_problem prepare(btScalar h, unsigned substeps)
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
        if (m_is_moving)
            problem.surface_velocities = reinterpret_cast<const float(*)[3]>(data(m_surfaces));
        m_plan.struct_size = sizeof m_plan;
        check(ds_plan_recommended_for(&m_plan, &problem, substeps, h, m_gravity));
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
        return problem;
    }

    ds_solution solution()
    {
        ds_solution solution = {};
        solution.struct_size = sizeof solution;
        solution.velocities = data(m_velocities);
        solution.impulses = reinterpret_cast<float(*)[3]>(data(m_impulses));
        return solution;
    }

    void solve(btScalar h)
    {
        const ds_problem problem = prepare(h, m_substeps);
        ds_solution solution = this->solution();
        solution.displacements = data(m_displacements);
        solution.total_impulses = reinterpret_cast<float(*)[3]>(data(m_totals));
        check(ds_step(m_solver, &problem, &m_plan, &solution, nullptr));
        check(ds_renew_loads(&m_plan, solution.total_impulses, data(m_sizes), data(m_loads), problem.contact_count));
    }

    /// A step with constraints or rolling friction: in each part errors and gaps anew, one problem whose velocities move the bodies, and the same without what
    /// pushes them out of each other, whose velocities stay.
    void solve_in_parts(const btContactSolverInfo &info)
    {
        const unsigned parts = m_substeps > 0 ? m_substeps : 8;
        const btScalar h = info.m_timeStep, part = h / btScalar(parts);
        ds_problem problem = prepare(h, parts);
        problem.rolling_lengths = data(m_rolling);
        problem.spinning_lengths = data(m_spinning);
        ds_options options = {};
        options.struct_size = sizeof options;
        check(ds_options_default(&options));
        options.iterations = unsigned(std::max(1, info.m_numIterations));
        m_poses.resizeNoInitialize(m_rigid.size());
        for (int i = 0; i < m_rigid.size(); ++i)
            m_poses[i] = m_rigid[i]->getWorldTransform();
        for (int i = 0; i < m_totals.size(); ++i)
            m_totals[i] = Impulse();
        for (unsigned at = 0; at < parts; ++at) {
            m_approach.resizeNoInitialize(m_contacts.size());
            for (int i = 0; i < m_contacts.size(); ++i)
                m_approach[i] = opening(m_contacts[i], m_bodies);
            for (int i = 0; i < m_bodies.size(); ++i)
                for (int axis = 0; axis < 3; ++axis) {
                    m_bodies[i].linear_velocity[axis] += m_increments[i].linear[axis] / float(parts);
                    m_bodies[i].angular_velocity[axis] += m_increments[i].angular[axis] / float(parts);
                }
            m_joints.renew(info, int(parts), data(m_bodies));
            auto &rows = m_joints.rows();
            problem.joint_rows = data(rows);
            problem.joint_row_count = size_t(rows.size());
            m_row_impulses.resizeNoInitialize(rows.size());
            ds_solution solution = this->solution();
            solution.joint_impulses = data(m_row_impulses);
            for (const bool pushed : {true, false}) {
                for (int i = 0; i < m_contacts.size(); ++i)
                    m_contacts[i].bias = bias(i, part, pushed);
                // The second problem starts at the joints' impulses of the first, which are all but its own.
                options.direct_joints = pushed;
                check(ds_solve(m_solver, &problem, &options, &solution, nullptr));
                if (pushed)
                    move(part);
                for (int i = 0; i < m_contacts.size(); ++i)
                    std::copy(m_impulses[i].along, m_impulses[i].along + 3, m_contacts[i].impulse);
                for (int i = 0; i < rows.size(); ++i)
                    rows[i].impulse = m_row_impulses[i];
            }
            for (int i = 0; i < m_totals.size(); ++i)
                for (int along = 0; along < 3; ++along)
                    m_totals[i].along[along] += m_impulses[i].along[along];
            m_joints.took(h);
            for (int i = 0; i < m_bodies.size(); ++i)
                take_velocity(i);
        }
        m_joints.end(int(parts));
        check(ds_renew_loads(&m_plan, reinterpret_cast<float(*)[3]>(data(m_totals)), data(m_sizes), data(m_loads), problem.contact_count));
    }

    /// Velocity with which a contact opens [m/s].
    template <typename Velocities>
    static float opening(const ds_contact &contact, const Velocities &of)
    {
        const auto at = [&](unsigned body, const float(&arm)[3]) {
            return linear(of[int(body)]) + angular(of[int(body)]).cross(get(arm));
        };
        return float(get(contact.normal).dot(at(contact.body_a, contact.arm_a) - at(contact.body_b, contact.arm_b)));
    }
    static btVector3 linear(const ds_body &body) { return get(body.linear_velocity); }
    static btVector3 angular(const ds_body &body) { return get(body.angular_velocity); }
    static btVector3 linear(const ds_velocity &velocity) { return get(velocity.linear); }
    static btVector3 angular(const ds_velocity &velocity) { return get(velocity.angular); }

    /// What a contact's velocity of opening is short of: open ones may shut, those that overlap open, and those that hit bounce.
    float bias(int i, btScalar part, bool pushed) const
    {
        const float gap = m_gaps[i], approach = m_approach[i];
        float bias = gap > 0 ? gap / float(part) : 0;
        if (gap < 0 && pushed)
            bias = 0.2f * gap / float(part);
        // Deep ones take some steps, however many parts these have; none keeps the speed.
        if (pushed)
            bias = btMax(bias, 0.2f * gap / m_plan.time_step - m_plan.max_push);
        if (approach < -m_plan.restitution_threshold && gap + approach * float(part) < 0)
            bias = btMin(bias, m_restitutions[i] * approach);
        return bias;
    }

    /// Moves bodies by the velocities that were found, and gaps with them.
    void move(btScalar part)
    {
        for (int i = 0; i < m_contacts.size(); ++i)
            m_gaps[i] += float(part) * opening(m_contacts[i], m_velocities);
        for (int i = 0; i < m_rigid.size(); ++i) {
            if (m_bodies[i].inverse_mass == 0)
                continue;
            btTransform moved;
            btTransformUtil::integrateTransform(m_poses[i], get(m_velocities[i].linear), get(m_velocities[i].angular), part, moved);
            m_poses[i] = moved;
            m_rigid[i]->setWorldTransform(moved);
        }
    }

    /// Makes the velocities that were found those of a body, for the next part and for Bullet's constraints to see.
    void take_velocity(int i)
    {
        if (m_bodies[i].inverse_mass == 0)
            return;
        btRigidBody *rigid = btRigidBody::upcast(m_rigid[i]);
        rigid->setLinearVelocity(get(m_velocities[i].linear));
        rigid->setAngularVelocity(get(m_velocities[i].angular));
        rigid->updateInertiaTensor();
        std::copy(m_velocities[i].linear, m_velocities[i].linear + 3, m_bodies[i].linear_velocity);
        std::copy(m_velocities[i].angular, m_velocities[i].angular + 3, m_bodies[i].angular_velocity);
        put_inertia(m_bodies[i], *rigid);
    }

    /// Poses from which Bullet's integration, which follows, comes to those that were found.
    void give_poses(btScalar h)
    {
        for (int i = 0; i < m_rigid.size(); ++i) {
            m_rigid[i]->setCompanionId(-1);
            if (m_bodies[i].inverse_mass == 0)
                continue;
            btTransform back;
            btTransformUtil::integrateTransform(m_poses[i], -get(m_velocities[i].linear), -get(m_velocities[i].angular), h, back);
            m_rigid[i]->setWorldTransform(back);
        }
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
            point.m_prevRHS = m_loads[i];
            if (!has_directions(point)) {
                point.m_appliedImpulseLateral1 = substeps * impulse.along[1];
                point.m_appliedImpulseLateral2 = substeps * impulse.along[2];
                point.m_lateralFrictionDir1 = get(first);
                point.m_lateralFrictionDir2 = get(second);
                continue;
            }
            // Directions that the caller has set stay.
            if (point.m_lateralFrictionDir2.isZero())
                point.m_lateralFrictionDir2 = get(m_contacts[i].normal).cross(point.m_lateralFrictionDir1);
            const btVector3 lateral = substeps * (get(first) * impulse.along[1] + get(second) * impulse.along[2]);
            point.m_appliedImpulseLateral1 = lateral.dot(point.m_lateralFrictionDir1);
            point.m_appliedImpulseLateral2 = lateral.dot(point.m_lateralFrictionDir2);
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
    Array<float> m_gaps, m_restitutions, m_loads, m_sizes, m_rolling, m_spinning;
    Array<Impulse> m_impulses, m_totals;
    Array<Surface> m_surfaces;
    bool m_is_moving = false, m_keeps_directions = false;
    BulletParts m_parts;
    BulletJoints m_joints;
    Array<btTransform> m_poses;
    Array<float> m_approach, m_row_impulses;
};

} // namespace drystone

#endif
