/* A cube of 1 m on the ground, stepped by a host whose bodies and contacts are members of its own records: what the C and the C++ program share. */
#ifndef BALL_H
#define BALL_H

#include "check.h"

struct host_body {
    char name[12];
    ds_body body;
};

struct host_contact {
    ds_contact contact;
    double age;
};

/* Steps the cube until it rests, and checks where. */
static void cube_comes_to_rest(void)
{
    const double h = 1.0 / 60.0;
    const float inertia[3] = {1.0f / 6, 1.0f / 6, 1.0f / 6}, still[3] = {0, 0, 0}, turn[4] = {0, 0, 0, 1};
    const float corners[4][2] = {{-0.5f, -0.5f}, {-0.5f, 0.5f}, {0.5f, -0.5f}, {0.5f, 0.5f}};
    float height = 0.7f, speed[3] = {0, 0, 0};
    ds_solver *solver = NULL;
    ds_warm_start *warm = NULL;
    int step;
    OK(ds_create(1, &solver));
    OK(ds_warm_start_create(&warm));
    for (step = 0; step < 240; ++step) {
        struct host_body bodies[2];
        struct host_contact contacts[4];
        ds_velocity increments[2], velocities[2];
        ds_displacement displacements[2];
        ds_key keys[4];
        float gaps[4], loads[4], impulses[4][3];
        ds_problem problem;
        ds_plan plan;
        ds_solution solution;
        ds_report report;
        int i;
        memset(bodies, 0, sizeof bodies);
        memset(contacts, 0, sizeof contacts);
        memset(increments, 0, sizeof increments);
        memset(&problem, 0, sizeof problem);
        memset(&solution, 0, sizeof solution);
        memset(&plan, 0, sizeof plan);
        memset(&report, 0, sizeof report);
        problem.struct_size = sizeof problem;
        solution.struct_size = sizeof solution;
        plan.struct_size = sizeof plan;
        report.struct_size = sizeof report;
        OK(ds_body_from_local(&bodies[0].body, 1.0f, inertia, turn, speed, still));
        increments[0].linear[2] = (float)(-9.81 * h);
        for (i = 0; i < 4; ++i) {
            ds_contact *contact = &contacts[i].contact;
            contact->body_b = 1;
            contact->arm_a[0] = contact->arm_b[0] = corners[i][0];
            contact->arm_a[1] = contact->arm_b[1] = corners[i][1];
            contact->arm_a[2] = -0.5f;
            contact->normal[2] = 1.0f;
            contact->friction = 0.5f;
            gaps[i] = height - 0.5f;
            keys[i].first = 7;
            keys[i].second = (uint64_t)i;
        }
        problem.body_count = 2;
        problem.contact_count = 4;
        problem.bodies = &bodies[0].body;
        problem.body_stride = sizeof bodies[0];
        problem.contacts = &contacts[0].contact;
        problem.contact_stride = sizeof contacts[0];
        problem.increments = increments;
        problem.gaps = gaps;
        problem.loads = loads;
        OK(ds_plan_recommended_for(&plan, &problem, 0, h, 9.81));
        OK(ds_warm_start_load_strided(warm, keys, &contacts[0].contact, sizeof contacts[0], 4, &plan, loads));
        solution.velocities = velocities;
        solution.displacements = displacements;
        solution.total_impulses = impulses;
        OK(ds_step(solver, &problem, &plan, &solution, &report));
        OK(ds_warm_start_store(warm, keys, &problem, &plan, solver));
        height += displacements[0].linear[2];
        memcpy(speed, velocities[0].linear, sizeof speed);
        if (step == 239) {
            const float sum = impulses[0][0] + impulses[1][0] + impulses[2][0] + impulses[3][0];
            EXPECT(fabs((double)sum / h - 9.81) < 0.01);
            EXPECT(report.iterations == plan.substeps);
        }
    }
    EXPECT(fabsf(height - 0.5f) < 2e-3f);
    EXPECT(fabsf(speed[2]) < 1e-4f);
    OK(ds_warm_start_destroy(warm));
    OK(ds_destroy(solver));
    EXPECT(ds_destroy(solver) == DS_HANDLE);
    EXPECT(strlen(ds_message()) > 0);
}

#endif
