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
#include <vector>

namespace drystone {

class BulletSolver : public btConstraintSolver
{
public:
    /// With so many threads, 1 being that which calls; `substeps` 0 is drystone's own number.
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
        if (constraint_count == 0) {
            take(objects, object_count, manifolds, manifold_count, info.m_timeStep);
            if (!m_holds_rolling) {
                solve_and_give(info.m_timeStep);
                return 0;
            }
            forget_indices();
        }
        m_parts.split(objects, object_count, manifolds, manifold_count, constraints, constraint_count);
        auto &free = m_parts.free, &jointed = m_parts.jointed;
        if (free.objects.size() > 0) {
            take(data(free.objects), free.objects.size(), data(free.manifolds), free.manifolds.size(), info.m_timeStep);
            solve_and_give(info.m_timeStep);
        }
        take(data(jointed.objects), jointed.objects.size(), data(jointed.manifolds), jointed.manifolds.size(), info.m_timeStep);
        m_joints.begin(constraints, constraint_count, [this](btRigidBody &body) { return index_of(&body, 0); });
        solve_in_parts(info);
        give_poses(info.m_timeStep);
        give_contacts();
        return 0;
    }

private:
    void take(btCollisionObject **objects, int object_count, btPersistentManifold **manifolds, int manifold_count, btScalar h)
    {
        take_bodies(objects, object_count, h);
        take_contacts(manifolds, manifold_count);
    }

    void solve_and_give(btScalar h)
    {
        solve(h);
        give_bodies(h);
        give_contacts();
    }

    template <typename T> using Array = btAlignedObjectArray<T>;

    /// Objects between one whose memory is asked for and the one that is read.
    static constexpr int AHEAD = 8;

    /// In memory that is aligned so that drystone does not copy it.
    struct alignas(64) Body : ds_body
    {
    };
    struct alignas(64) Contact : ds_contact
    {
    };
    static_assert(sizeof(Body) == sizeof(ds_body) && sizeof(Contact) == sizeof(ds_contact), "records have no gaps");

    /// One number for each axis.
    struct Vector
    {
        float of[3];
    };

    /// The two tangents of a contact's normal, as drystone has them.
    struct Tangents
    {
        float first[3], second[3];
    };

    /// What a contact starts from: along its normal, and in the world's axes along its tangents [N s].
    struct Start
    {
        float normal;
        btVector3 lateral;
    };

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

    void take_bodies(btCollisionObject **objects, int count, btScalar h)
    {
        m_rigid.resizeNoInitialize(0);
        m_bodies.clear();
        m_increments.resizeNoInitialize(0);
        m_squared_gravity = 0;
        for (int i = 0; i < count; ++i) {
            fetch_body(objects[btMin(i + AHEAD, count - 1)]);
            index_of(objects[i], h);
        }
    }

    /// Asks for the memory of a body, which the search for contacts has pushed out of the cache.
    static void fetch_body(const btCollisionObject *object) { fetch_all(object, sizeof(btRigidBody)); }

    static void fetch_all(const void *from, size_t size)
    {
        for (size_t at = 0; at < size; at += 64)
            fetch(static_cast<const char *>(from) + at);
    }

    static void fetch(const void *at)
    {
#if defined(__GNUC__)
        __builtin_prefetch(at);
#else
        (void)at;
#endif
    }

    /// The index of an object's body; static ones come with their contacts.
    unsigned index_of(btCollisionObject *object, btScalar h)
    {
        const int companion = object->getCompanionId();
        if (companion >= 0 && companion < m_rigid.size() && m_rigid[companion] == object)
            return unsigned(companion);
        Body body = {};
        ds_velocity increment = {};
        btRigidBody *rigid = btRigidBody::upcast(object);
        if (rigid && !object->isStaticOrKinematicObject()) {
            put_inertia(body, *rigid);
            put(body.linear_velocity, rigid->getLinearVelocity());
            put(body.angular_velocity, rigid->getAngularVelocity());
            body.inverse_mass = float(rigid->getInvMass());
            btVector3 spin = rigid->getInvInertiaTensorWorld() * rigid->getTotalTorque() * h;
            // Of a body whose moments of inertia are equal it is nothing.
            const btVector3 &moments = rigid->getInvInertiaDiagLocal();
            const bool is_even = moments.x() == moments.y() && moments.y() == moments.z();
            if (!is_even && (rigid->getFlags() & BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY))
                spin += rigid->computeGyroscopicImpulseImplicit_Body(h);
            put(increment.linear, rigid->getTotalForce() * rigid->getInvMass() * h);
            put(increment.angular, spin);
            m_squared_gravity = btMax(m_squared_gravity, rigid->getGravity().length2());
        } else if (object->isKinematicObject()) {
            put(body.linear_velocity, object->getInterpolationLinearVelocity());
            put(body.angular_velocity, object->getInterpolationAngularVelocity());
        }
        object->setCompanionId(m_rigid.size());
        m_rigid.push_back(object);
        m_bodies.push_back(body);
        m_increments.push_back(increment);
        return unsigned(m_rigid.size() - 1);
    }

    void take_contacts(btPersistentManifold **manifolds, int count)
    {
        m_count = 0;
        m_is_moving = m_holds_rolling = false;
        find_filled(manifolds, count);
        for (int i = 0; i < m_filled.size(); ++i) {
            fetch_points(*m_filled[btMin(i + AHEAD / 2, m_filled.size() - 1)]);
            btPersistentManifold &manifold = *m_filled[i];
            btCollisionObject *a = const_cast<btCollisionObject *>(manifold.getBody0());
            btCollisionObject *b = const_cast<btCollisionObject *>(manifold.getBody1());
            if (!a->hasContactResponse() || !b->hasContactResponse())
                continue;
            const unsigned bodies[2] = {index_of(a, 0), index_of(b, 0)};
            if (m_bodies[bodies[0]].inverse_mass == 0 && m_bodies[bodies[1]].inverse_mass == 0)
                continue;
            make_room(m_count + manifold.getNumContacts());
            const btVector3 &centre_a = a->getWorldTransform().getOrigin(), &centre_b = b->getWorldTransform().getOrigin();
            for (int at = 0; at < manifold.getNumContacts(); ++at) {
                btManifoldPoint &point = manifold.getContactPoint(at);
                if (point.getDistance() > manifold.getContactProcessingThreshold())
                    continue;
                const int to = m_count++;
                const btVector3 middle = (point.getPositionWorldOnA() + point.getPositionWorldOnB()) * 0.5f;
                const btVector3 normal = point.m_normalWorldOnB.normalized(); // from B to A, as drystone's
                Contact &contact = m_contacts[unsigned(to)];
                contact.body_a = bodies[0];
                contact.body_b = bodies[1];
                put(contact.arm_a, middle - centre_a);
                put(contact.arm_b, middle - centre_b);
                put(contact.normal, normal);
                contact.bias = 0;
                contact.friction = float(point.m_combinedFriction);
                m_points[to] = &point;
                m_gaps[to] = float(point.getDistance());
                m_restitutions[to] = float(point.m_combinedRestitution);
                m_loads[to] = float(point.m_prevRHS);
                m_starts[to].normal = float(point.m_appliedImpulse);
                m_starts[to].lateral = point.m_lateralFrictionDir1 * point.m_appliedImpulseLateral1 +
                                       point.m_lateralFrictionDir2 * point.m_appliedImpulseLateral2;
                m_rolling[to] = float(btMax(point.m_combinedRollingFriction, btScalar(0)));
                m_spinning[to] = float(btMax(point.m_combinedSpinningFriction, btScalar(0)));
                m_holds_rolling |= m_rolling[to] > 0 || m_spinning[to] > 0;
                if (m_keeps_directions) {
                    const btVector3 motion = motion_of(point, normal);
                    put(m_surfaces[to].of, motion);
                    m_is_moving |= !motion.isZero();
                }
            }
        }
    }

    /// Finds the manifolds with contacts, which most have not, without a jump that nobody could foresee.
    void find_filled(btPersistentManifold **manifolds, int count)
    {
        m_filled.resizeNoInitialize(count);
        int filled = 0;
        for (int i = 0; i < count; ++i) {
            // Beside the number of its contacts.
            fetch(&manifolds[btMin(i + 2 * AHEAD, count - 1)]->m_companionIdA);
            m_filled[filled] = manifolds[i];
            filled += manifolds[i]->getNumContacts() != 0;
        }
        m_filled.resizeNoInitialize(filled);
    }

    static void fetch_points(const btPersistentManifold &manifold)
    {
        fetch_all(&manifold.getContactPoint(0), size_t(manifold.getNumContacts()) * sizeof(btManifoldPoint));
    }

    /// Makes the arrays of contacts long enough; they are not made shorter.
    void make_room(int count)
    {
        if (count <= m_points.size())
            return;
        const int room = btMax(count, 2 * m_points.size());
        m_contacts.resize(unsigned(room));
        m_points.resizeNoInitialize(room);
        m_starts.resizeNoInitialize(room);
        m_tangents.resizeNoInitialize(room);
        m_surfaces.resizeNoInitialize(room);
        m_impulses.resizeNoInitialize(room);
        m_totals.resizeNoInitialize(room);
        for (auto *numbers : {&m_gaps, &m_restitutions, &m_loads, &m_sizes, &m_rolling, &m_spinning})
            numbers->resizeNoInitialize(room);
    }

    bool has_directions(const btManifoldPoint &point) const
    {
        return m_keeps_directions && (point.m_contactPointFlags & BT_CONTACT_FLAG_LATERAL_FRICTION_INITIALIZED) != 0;
    }

    /// The velocity that the caller gave a contact's surface by its `m_contactMotion1` and 2, as belts have.
    btVector3 motion_of(const btManifoldPoint &point, const btVector3 &normal) const
    {
        if (!has_directions(point))
            return btVector3(0, 0, 0);
        const btVector3 motion = point.m_lateralFrictionDir1 * point.m_contactMotion1 + point.m_lateralFrictionDir2 * point.m_contactMotion2;
        return motion - normal * normal.dot(motion);
    }

    /// The problem of a step, its plan in so many substeps, and impulses to start from. With gaps, it takes back deep ones by displacements.
    ds_problem prepare(btScalar h, unsigned substeps, const float *gaps)
    {
        m_velocities.resizeNoInitialize(m_rigid.size());
        m_displacements.resizeNoInitialize(m_rigid.size());
        ds_problem problem = {};
        problem.struct_size = sizeof problem;
        problem.body_count = m_bodies.size();
        problem.contact_count = size_t(m_count);
        problem.bodies = m_bodies.data();
        problem.contacts = m_contacts.data();
        problem.increments = data(m_increments);
        problem.gaps = gaps;
        problem.restitutions = data(m_restitutions);
        problem.loads = data(m_loads);
        check(ds_sizes(&problem, data(m_sizes)));
        problem.sizes = data(m_sizes);
        if (m_is_moving)
            problem.surface_velocities = reinterpret_cast<const float(*)[3]>(data(m_surfaces));
        m_plan.struct_size = sizeof m_plan;
        check(ds_plan_recommended_for(&m_plan, &problem, substeps, h, btSqrt(m_squared_gravity)));
        check(ds_tangents_of(problem.contacts, 0, problem.contact_count, reinterpret_cast<float(*)[2][3]>(data(m_tangents))));
        const float share = 1.0f / float(m_plan.substeps);
        for (int i = 0; i < m_count; ++i) {
            const Start &start = m_starts[i];
            float(&impulse)[3] = m_contacts[unsigned(i)].impulse;
            const bool is_new = start.normal == 0;
            impulse[0] = share * start.normal;
            impulse[1] = is_new ? 0 : share * float(start.lateral.dot(get(m_tangents[i].first)));
            impulse[2] = is_new ? 0 : share * float(start.lateral.dot(get(m_tangents[i].second)));
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
        const ds_problem problem = prepare(h, m_substeps, data(m_gaps));
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
        ds_problem problem = prepare(h, parts, nullptr);
        problem.rolling_lengths = data(m_rolling);
        problem.spinning_lengths = data(m_spinning);
        ds_options options = {};
        options.struct_size = sizeof options;
        check(ds_options_default(&options));
        options.iterations = unsigned(std::max(1, info.m_numIterations));
        m_poses.resizeNoInitialize(m_rigid.size());
        for (int i = 0; i < m_rigid.size(); ++i)
            m_poses[i] = m_rigid[i]->getWorldTransform();
        for (int i = 0; i < m_count; ++i)
            m_totals[i] = Vector();
        for (unsigned at = 0; at < parts; ++at) {
            m_approach.resizeNoInitialize(m_count);
            for (int i = 0; i < m_count; ++i)
                m_approach[i] = opening(m_contacts[unsigned(i)], m_bodies.data());
            for (int i = 0; i < m_rigid.size(); ++i)
                for (int axis = 0; axis < 3; ++axis) {
                    m_bodies[unsigned(i)].linear_velocity[axis] += m_increments[i].linear[axis] / float(parts);
                    m_bodies[unsigned(i)].angular_velocity[axis] += m_increments[i].angular[axis] / float(parts);
                }
            m_joints.renew(info, int(parts), m_bodies.data());
            auto &rows = m_joints.rows();
            problem.joint_rows = data(rows);
            problem.joint_row_count = size_t(rows.size());
            m_row_impulses.resizeNoInitialize(rows.size());
            ds_solution solution = this->solution();
            solution.joint_impulses = data(m_row_impulses);
            for (const bool pushed : {true, false}) {
                for (int i = 0; i < m_count; ++i)
                    m_contacts[unsigned(i)].bias = bias(i, part, pushed);
                // The second problem starts at the joints' impulses of the first, which are all but its own.
                options.direct_joints = pushed;
                check(ds_solve(m_solver, &problem, &options, &solution, nullptr));
                if (pushed) {
                    move(part);
                    m_joints.leave_errors();
                }
                for (int i = 0; i < m_count; ++i)
                    std::copy(m_impulses[i].of, m_impulses[i].of + 3, m_contacts[unsigned(i)].impulse);
                for (int i = 0; i < rows.size(); ++i)
                    rows[i].impulse = m_row_impulses[i];
            }
            for (int i = 0; i < m_count; ++i)
                for (int along = 0; along < 3; ++along)
                    m_totals[i].of[along] += m_impulses[i].of[along];
            m_joints.took(h);
            for (int i = 0; i < m_rigid.size(); ++i)
                take_velocity(i);
        }
        m_joints.end(int(parts));
        check(ds_renew_loads(&m_plan, reinterpret_cast<float(*)[3]>(data(m_totals)), data(m_sizes), data(m_loads), problem.contact_count));
    }

    /// Velocity with which a contact opens [m/s].
    template <typename Velocity>
    static float opening(const ds_contact &contact, const Velocity *of)
    {
        const auto at = [&](unsigned body, const float(&arm)[3]) {
            return linear(of[body]) + angular(of[body]).cross(get(arm));
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
        for (int i = 0; i < m_count; ++i)
            m_gaps[i] += float(part) * opening(m_contacts[unsigned(i)], data(m_velocities));
        for (int i = 0; i < m_rigid.size(); ++i) {
            if (m_bodies[unsigned(i)].inverse_mass == 0)
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
        if (m_bodies[unsigned(i)].inverse_mass == 0)
            return;
        btRigidBody *rigid = btRigidBody::upcast(m_rigid[i]);
        rigid->setLinearVelocity(get(m_velocities[i].linear));
        rigid->setAngularVelocity(get(m_velocities[i].angular));
        rigid->updateInertiaTensor();
        std::copy(m_velocities[i].linear, m_velocities[i].linear + 3, m_bodies[unsigned(i)].linear_velocity);
        std::copy(m_velocities[i].angular, m_velocities[i].angular + 3, m_bodies[unsigned(i)].angular_velocity);
        put_inertia(m_bodies[unsigned(i)], *rigid);
    }

    /// Leaves Bullet's objects without indices, as they came.
    void forget_indices()
    {
        for (int i = 0; i < m_rigid.size(); ++i)
            m_rigid[i]->setCompanionId(-1);
    }

    /// Poses from which Bullet's integration, which follows, comes to those that were found.
    void give_poses(btScalar h)
    {
        forget_indices();
        for (int i = 0; i < m_rigid.size(); ++i) {
            if (m_bodies[unsigned(i)].inverse_mass == 0)
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
            if (m_bodies[unsigned(i)].inverse_mass == 0)
                continue;
            btRigidBody *body = btRigidBody::upcast(m_rigid[i]);
            const btVector3 linear = get(m_velocities[i].linear), angular = get(m_velocities[i].angular);
            body->setLinearVelocity(linear);
            body->setAngularVelocity(angular);
            const btVector3 moved = get(m_displacements[i].linear) - linear * h;
            const btVector3 turned = get(m_displacements[i].angular) - angular * h;
            displace(body->getWorldTransform(), moved, turned);
        }
    }

    /// Moves a pose and turns it about its place. Bullet's integration, which follows, has the rotation normalized.
    static void displace(btTransform &pose, const btVector3 &moved, const btVector3 &turned)
    {
        const btScalar squared = turned.length2();
        if (squared > btScalar(0.01)) {
            const btTransform from = pose;
            btTransformUtil::integrateTransform(from, moved, turned, 1, pose);
            return;
        }
        // (sin a) / a and (1 - cos a) / a^2 of the angle a.
        const btScalar sine = 1 - squared / 6 * (1 - squared / 20), cosine = btScalar(0.5) - squared / 24 * (1 - squared / 30);
        const btVector3 t = sine * turned, c = cosine * turned;
        const btScalar x = turned.x(), y = turned.y(), z = turned.z();
        const btMatrix3x3 turn(1 - c.y() * y - c.z() * z, c.x() * y - t.z(), c.x() * z + t.y(),
                               c.x() * y + t.z(), 1 - c.x() * x - c.z() * z, c.y() * z - t.x(),
                               c.x() * z - t.y(), c.y() * z + t.x(), 1 - c.x() * x - c.y() * y);
        pose.setOrigin(pose.getOrigin() + moved);
        pose.setBasis(turn * pose.getBasis());
    }

    void give_contacts()
    {
        const float substeps = float(m_plan.substeps);
        for (int i = 0; i < m_count; ++i) {
            const btManifoldPoint &ahead = *m_points[btMin(i + 2 * AHEAD, m_count - 1)];
            fetch(&ahead.m_appliedImpulse);
            fetch(&ahead.m_lateralFrictionDir2);
            btManifoldPoint &point = *m_points[i];
            const btVector3 first = get(m_tangents[i].first), second = get(m_tangents[i].second);
            const float(&impulse)[3] = m_impulses[i].of;
            point.m_appliedImpulse = substeps * impulse[0];
            point.m_prevRHS = m_loads[i];
            const btVector3 normal = get(m_contacts[unsigned(i)].normal);
            // A point that is found again keeps its impulses and gets Bullet's own directions. Those that the caller has set stay.
            if (!has_directions(point))
                btPlaneSpace1(normal, point.m_lateralFrictionDir1, point.m_lateralFrictionDir2);
            else if (point.m_lateralFrictionDir2.isZero())
                point.m_lateralFrictionDir2 = normal.cross(point.m_lateralFrictionDir1);
            const btVector3 lateral = substeps * (first * impulse[1] + second * impulse[2]);
            point.m_appliedImpulseLateral1 = lateral.dot(point.m_lateralFrictionDir1);
            point.m_appliedImpulseLateral2 = lateral.dot(point.m_lateralFrictionDir2);
        }
    }

    template <typename T> static T *data(Array<T> &array) { return array.size() ? &array[0] : nullptr; }

    ds_solver *m_solver = nullptr;
    unsigned m_substeps;
    btScalar m_squared_gravity = 0;
    ds_plan m_plan = {};
    Array<btCollisionObject *> m_rigid;
    std::vector<Body> m_bodies;
    Array<ds_velocity> m_increments, m_velocities;
    Array<ds_displacement> m_displacements;
    /// Number of contacts; their arrays have room for more.
    int m_count = 0;
    std::vector<Contact> m_contacts;
    Array<btManifoldPoint *> m_points;
    Array<btPersistentManifold *> m_filled;
    Array<Start> m_starts;
    Array<Tangents> m_tangents;
    Array<float> m_gaps, m_restitutions, m_loads, m_sizes, m_rolling, m_spinning;
    /// Impulses along normal and tangents, of the last substep and of all.
    Array<Vector> m_impulses, m_totals, m_surfaces;
    bool m_is_moving = false, m_holds_rolling = false, m_keeps_directions = false;
    BulletParts m_parts;
    BulletJoints m_joints;
    Array<btTransform> m_poses;
    Array<float> m_approach, m_row_impulses;
};

} // namespace drystone

#endif
