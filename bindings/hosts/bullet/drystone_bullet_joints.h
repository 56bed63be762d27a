// Bullet's constraints as drystone's rows of joints, by `getInfo2`.
#ifndef DRYSTONE_BULLET_JOINTS_H
#define DRYSTONE_BULLET_JOINTS_H

#include "drystone.h"

#include <btBulletDynamicsCommon.h>

#include <cfloat>
#include <stdexcept>

namespace drystone {

/// True if contacts of the manifold hold their bodies back from rolling or spinning.
inline bool holds_rolling(btPersistentManifold &manifold)
{
    for (int at = 0; at < manifold.getNumContacts(); ++at) {
        const btManifoldPoint &point = manifold.getContactPoint(at);
        if (point.m_combinedRollingFriction > 0 || point.m_combinedSpinningFriction > 0)
            return true;
    }
    return false;
}

/// A group of bodies in two parts: what hangs together with a constraint or with rolling friction, directly or by others, and what does not.
class BulletParts
{
public:
    struct Part
    {
        btAlignedObjectArray<btCollisionObject *> objects;
        btAlignedObjectArray<btPersistentManifold *> manifolds;
    };
    Part free, jointed;

    void split(btCollisionObject **objects, int object_count, btPersistentManifold **manifolds, int manifold_count,
               btTypedConstraint **constraints, int constraint_count)
    {
        m_first.resizeNoInitialize(object_count);
        for (int i = 0; i < object_count; ++i) {
            m_first[i] = i;
            objects[i]->setCompanionId(i);
        }
        const auto index_of = [&](const btCollisionObject *object) {
            const int at = object->getCompanionId();
            return at >= 0 && at < object_count && objects[at] == object && !object->isStaticOrKinematicObject() ? at : -1;
        };
        for (int i = 0; i < manifold_count; ++i)
            if (manifolds[i]->getNumContacts() > 0)
                link(index_of(manifolds[i]->getBody0()), index_of(manifolds[i]->getBody1()));
        for (int i = 0; i < constraint_count; ++i)
            link(index_of(&constraints[i]->getRigidBodyA()), index_of(&constraints[i]->getRigidBodyB()));
        m_is_jointed.resizeNoInitialize(object_count);
        for (int i = 0; i < object_count; ++i)
            m_is_jointed[i] = false;
        for (int i = 0; i < constraint_count; ++i)
            for (const btCollisionObject *body : {&constraints[i]->getRigidBodyA(), &constraints[i]->getRigidBodyB()})
                if (index_of(body) >= 0)
                    m_is_jointed[first(index_of(body))] = true;
        for (int i = 0; i < manifold_count; ++i)
            if (holds_rolling(*manifolds[i]))
                for (const btCollisionObject *body : {manifolds[i]->getBody0(), manifolds[i]->getBody1()})
                    if (index_of(body) >= 0)
                        m_is_jointed[first(index_of(body))] = true;
        for (Part *part : {&free, &jointed}) {
            part->objects.resizeNoInitialize(0);
            part->manifolds.resizeNoInitialize(0);
        }
        for (int i = 0; i < object_count; ++i)
            (m_is_jointed[first(i)] ? jointed : free).objects.push_back(objects[i]);
        for (int i = 0; i < manifold_count; ++i) {
            const int a = index_of(manifolds[i]->getBody0()), b = index_of(manifolds[i]->getBody1());
            const bool is_jointed = (a >= 0 && m_is_jointed[first(a)]) || (b >= 0 && m_is_jointed[first(b)]);
            (is_jointed ? jointed : free).manifolds.push_back(manifolds[i]);
        }
        for (int i = 0; i < object_count; ++i)
            objects[i]->setCompanionId(-1);
    }

private:
    int first(int i)
    {
        while (m_first[i] != i)
            i = m_first[i] = m_first[m_first[i]];
        return i;
    }
    void link(int a, int b)
    {
        if (a < 0 || b < 0)
            return;
        a = first(a), b = first(b);
        m_first[btMax(a, b)] = btMin(a, b);
    }

    btAlignedObjectArray<int> m_first;
    btAlignedObjectArray<bool> m_is_jointed;
};

/// The constraints of a group of bodies over a step in several parts.
class BulletJoints
{
    template <typename T> using Array = btAlignedObjectArray<T>;

public:
    /// Begins a step; `index_of` gives the index of a rigid body.
    template <typename IndexOf>
    void begin(btTypedConstraint **constraints, int count, IndexOf index_of)
    {
        m_joints.resizeNoInitialize(0);
        for (int i = 0; i < count; ++i) {
            btTypedConstraint *constraint = constraints[i];
            constraint->buildJacobian();
            constraint->internalSetAppliedImpulse(0);
            if (btJointFeedback *feedback = constraint->getJointFeedback())
                for (btVector3 *sum : {&feedback->m_appliedForceBodyA, &feedback->m_appliedTorqueBodyA,
                                       &feedback->m_appliedForceBodyB, &feedback->m_appliedTorqueBodyB})
                    sum->setZero();
            if (!constraint->isEnabled())
                continue;
            Joint joint = {constraint, index_of(constraint->getRigidBodyA()), index_of(constraint->getRigidBodyB()), 0, 0};
            m_joints.push_back(joint);
        }
        m_rows.resizeNoInitialize(0);
    }

    /// The rows of a part of the step, with the bodies where they are; those that were there before start from their impulses.
    void renew(const btContactSolverInfo &info, int parts, const ds_body *bodies)
    {
        const int before = m_rows.size();
        m_impulses.resizeNoInitialize(before);
        for (int i = 0; i < before; ++i)
            m_impulses[i] = m_rows[i].impulse;
        m_rows.resizeNoInitialize(0);
        m_sides.resizeNoInitialize(0);
        for (int i = 0; i < m_joints.size(); ++i) {
            Joint &joint = m_joints[i];
            btTypedConstraint::btConstraintInfo1 counts;
            counts.m_numConstraintRows = 0;
            joint.constraint->getInfo1(&counts);
            joint.first = m_rows.size();
            joint.count = 0;
            const int count = counts.m_numConstraintRows;
            if (count == 0)
                continue;
            // Errors are those of the part; bounds are impulses of the step, of which a part has its share.
            const btScalar damping = read(m_read, *joint.constraint, count, info, btScalar(parts) / info.m_timeStep);
            bool is_bounded = false;
            for (int at = 0; at < count; ++at)
                is_bounded |= is_bound(m_read[at].lower) || is_bound(m_read[at].upper);
            if (is_bounded)
                read(m_whole, *joint.constraint, count, info, 1 / info.m_timeStep);
            const Array<Read> &bounds = is_bounded ? m_whole : m_read;
            for (int at = 0; at < count; ++at)
                add(joint, m_read[at], bounds[at], damping, btScalar(parts), bodies);
            joint.count = m_rows.size() - joint.first;
        }
        if (m_rows.size() == before)
            for (int i = 0; i < before; ++i)
                m_rows[i].impulse = m_impulses[i];
    }

    /// Leaves out what takes errors back: it moves bodies, and gives them no velocity.
    void leave_errors()
    {
        for (int i = 0; i < m_rows.size(); ++i)
            m_rows[i].bias -= m_sides[i].correction;
    }

    /// Takes the impulses of a part.
    void took(btScalar h)
    {
        for (int i = 0; i < m_joints.size(); ++i) {
            const Joint &joint = m_joints[i];
            btScalar &applied = m_joints[i].applied;
            btJointFeedback *feedback = joint.constraint->getJointFeedback();
            for (int at = joint.first; at < joint.first + joint.count; ++at) {
                const btScalar impulse = m_rows[at].impulse * m_sides[at].scale;
                if (btFabs(impulse) > btFabs(applied))
                    applied = impulse;
                if (!feedback)
                    continue;
                const Side &sides = m_sides[at];
                feedback->m_appliedForceBodyA += sides.linear_a * (impulse / h);
                feedback->m_appliedTorqueBodyA += sides.angular_a * (impulse / h);
                feedback->m_appliedForceBodyB += sides.linear_b * (impulse / h);
                feedback->m_appliedTorqueBodyB += sides.angular_b * (impulse / h);
            }
        }
    }

    /// Ends the step: joints that carried more than they bear come apart. The largest impulse of a row in a part stands for the step.
    void end(int parts)
    {
        for (int i = 0; i < m_joints.size(); ++i) {
            btTypedConstraint &constraint = *m_joints[i].constraint;
            const btScalar applied = m_joints[i].applied * btScalar(parts);
            constraint.internalSetAppliedImpulse(applied);
            if (btFabs(applied) >= constraint.getBreakingImpulseThreshold())
                constraint.setEnabled(false);
        }
    }

    Array<ds_joint_row> &rows() { return m_rows; }

private:
    /// One row as Bullet writes it; records lie one behind the other.
    struct Read
    {
        btScalar linear_a[3], angular_a[3], linear_b[3], angular_b[3], error, cfm, lower, upper;
    };
    struct Side
    {
        btVector3 linear_a, angular_a, linear_b, angular_b;
        btScalar scale;
        /// What an error adds to the bias of a rigid row without bounds [m/s, rad/s].
        float correction;
    };
    struct Joint
    {
        btTypedConstraint *constraint;
        unsigned body_a, body_b;
        int first, count;
        btScalar applied = 0;
    };

    /// True of an impulse that is neither none nor without bound.
    static bool is_bound(btScalar impulse) { return impulse != 0 && !is_unbounded(impulse); }
    static bool is_unbounded(btScalar impulse) { return btFabs(impulse) >= btScalar(1e18); }

    static btScalar read(Array<Read> &into, btTypedConstraint &constraint, int count,
                         const btContactSolverInfo &info, btScalar fps)
    {
        into.resizeNoInitialize(count);
        for (int i = 0; i < count; ++i) {
            into[i] = Read();
            into[i].cfm = info.m_globalCfm;
            into[i].lower = -SIMD_INFINITY;
            into[i].upper = SIMD_INFINITY;
        }
        Read &first = into[0];
        btTypedConstraint::btConstraintInfo2 wanted;
        wanted.fps = fps;
        wanted.erp = info.m_erp;
        wanted.m_J1linearAxis = first.linear_a;
        wanted.m_J1angularAxis = first.angular_a;
        wanted.m_J2linearAxis = first.linear_b;
        wanted.m_J2angularAxis = first.angular_b;
        wanted.rowskip = int(sizeof(Read) / sizeof(btScalar));
        wanted.m_constraintError = &first.error;
        wanted.cfm = &first.cfm;
        wanted.m_lowerLimit = &first.lower;
        wanted.m_upperLimit = &first.upper;
        wanted.m_numIterations = info.m_numIterations;
        wanted.m_damping = info.m_damping;
        constraint.getInfo2(&wanted);
        return wanted.m_damping;
    }

    template <typename T> static btVector3 vector(const T (&from)[3]) { return btVector3(from[0], from[1], from[2]); }
    static void put(float (&to)[3], const btVector3 &from)
    {
        for (int axis = 0; axis < 3; ++axis)
            to[axis] = float(from[axis]);
    }

    /// A body's inverse inertia times a vector.
    static btVector3 turned(const ds_body &body, const btVector3 &x)
    {
        const float(&i)[6] = body.inverse_inertia; // xx, xy, xz, yy, yz, zz
        return btVector3(i[0] * x[0] + i[1] * x[1] + i[2] * x[2], i[1] * x[0] + i[3] * x[1] + i[4] * x[2],
                         i[2] * x[0] + i[4] * x[1] + i[5] * x[2]);
    }

    void add(const Joint &joint, const Read &row, const Read &whole, btScalar damping, btScalar parts, const ds_body *bodies)
    {
        Side side = {vector(row.linear_a), vector(row.angular_a), vector(row.linear_b), vector(row.angular_b), 1, 0};
        const btScalar length = side.linear_a.length();
        if ((side.linear_a + side.linear_b).length() > btScalar(1e-4) * (length + side.linear_b.length()))
            throw std::runtime_error("drystone: a constraint's row pushes its two bodies by different forces");
        // drystone's axes are of length one.
        if (length > SIMD_EPSILON)
            side.scale = 1 / length;
        const btScalar scale = side.scale;
        const ds_body &a = bodies[joint.body_a], &b = bodies[joint.body_b];
        const btScalar velocity = side.linear_a.dot(vector(a.linear_velocity)) + side.angular_a.dot(vector(a.angular_velocity)) +
                                  side.linear_b.dot(vector(b.linear_velocity)) + side.angular_b.dot(vector(b.angular_velocity));
        // Bullet's solver multiplies the softness by the row's own response, whatever its head says.
        const btScalar response = side.linear_a.length2() * (a.inverse_mass + b.inverse_mass) +
                                  side.angular_a.dot(turned(a, side.angular_a)) + side.angular_b.dot(turned(b, side.angular_b));
        if (!(response > 0))
            return; // nothing moves
        const auto bound = [&](btScalar impulse) {
            return is_unbounded(impulse) ? (impulse < 0 ? -FLT_MAX : FLT_MAX) : float(impulse / (parts * scale));
        };
        ds_joint_row to = {};
        to.body_a = joint.body_a;
        to.body_b = joint.body_b;
        put(to.linear, length > SIMD_EPSILON ? side.linear_a * scale : btVector3(0, 0, 0));
        put(to.angular_a, side.angular_a * scale);
        put(to.angular_b, side.angular_b * scale);
        to.bias = float(-(row.error + (1 - damping) * velocity) * scale);
        // All that a rigid row without bounds asks for is that its error goes. That of a soft one is what its spring holds by; motors, springs and limits ask for speeds, too.
        if (row.cfm == 0 && is_unbounded(row.lower) && is_unbounded(row.upper))
            side.correction = float(-row.error * scale);
        to.softness = float(row.cfm * response * scale * scale);
        to.lower = bound(whole.lower);
        to.upper = bound(whole.upper);
        m_rows.push_back(to);
        m_sides.push_back(side);
    }

    Array<Joint> m_joints;
    Array<ds_joint_row> m_rows;
    Array<Side> m_sides;
    Array<Read> m_read, m_whole;
    Array<float> m_impulses;
};

} // namespace drystone

#endif
