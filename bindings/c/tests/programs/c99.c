/* The whole interface from C99. */
#include "ball.h"

/* A sliding contact by its operator: W = 1/kg, b = (-1, 3, 0) m/s, mu = 0.5. */
static void delassus(void)
{
    const uint32_t row_starts[] = {0, 1}, columns[] = {0};
    const double blocks[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[] = {-1, 3, 0}, mu[] = {0.5};
    const double compliance[] = {1, 1, 1};
    int accelerated;
    for (accelerated = 0; accelerated < 2; ++accelerated) {
        double impulses[3] = {0, 0, 0};
        ds_delassus problem;
        ds_delassus_options options;
        ds_delassus_report report;
        memset(&problem, 0, sizeof problem);
        memset(&options, 0, sizeof options);
        memset(&report, 0, sizeof report);
        problem.struct_size = sizeof problem;
        options.struct_size = sizeof options;
        report.struct_size = sizeof report;
        options.accelerated = (uint32_t)accelerated;
        problem.contact_count = problem.block_count = 1;
        problem.row_starts = row_starts;
        problem.columns = columns;
        problem.blocks = blocks;
        problem.free_velocities = b;
        problem.friction = mu;
        OK(ds_solve_delassus(&problem, &options, impulses, &report));
        EXPECT(report.outcome == DS_CONVERGED && report.residual_max < 1e-14);
        EXPECT(fabs(impulses[0] - 1.0) < 1e-14 && fabs(impulses[1] + 0.5) < 1e-14);
        problem.compliance = compliance;
        OK(ds_solve_delassus(&problem, &options, impulses, &report));
        EXPECT(fabs(impulses[0] - 0.5) < 1e-14 && fabs(impulses[1] + 0.25) < 1e-14);
        /* The point of the cone that is closest to -b. */
        problem.compliance = NULL;
        problem.friction_law = DS_LAW_CONVEX;
        OK(ds_solve_delassus(&problem, &options, impulses, &report));
        EXPECT(fabs(impulses[0] - 2.0) < 1e-14 && fabs(impulses[1] + 1.0) < 1e-14);
    }
}

/* Tangents of several contacts are those of each to the bit, and the one whose normal is no unit vector is named. */
static void tangents_of_many(void)
{
    const float normals[4][3] = {{0, 0, 1}, {0, 0, -1}, {0.6f, -0.8f, 0}, {-0.48f, 0.6f, -0.64f}};
    ds_contact contacts[4];
    float found[4][2][3], each[2][3];
    int i;
    memset(contacts, 0, sizeof contacts);
    for (i = 0; i < 4; ++i)
        memcpy(contacts[i].normal, normals[i], sizeof normals[i]);
    OK(ds_tangents_of(contacts, 0, 4, found));
    for (i = 0; i < 4; ++i) {
        OK(ds_tangents(normals[i], each[0], each[1]));
        EXPECT(memcmp(found[i], each, sizeof each) == 0);
    }
    contacts[2].normal[0] = 2.0f;
    EXPECT(ds_tangents_of(contacts, 0, 4, found) == DS_INVALID);
    EXPECT(strstr(ds_message(), "contact 2") != NULL);
}

/* Two bodies that meet at 2 m/s, one on a rope to the ground; islands. */
static void once(void)
{
    ds_body bodies[3];
    ds_contact contact;
    ds_joint_row row;
    ds_problem problem;
    ds_options options;
    ds_solution solution;
    ds_velocity velocities[3];
    ds_solver *solver = NULL;
    float impulse[1][3], joint_impulse[1], t1[3], t2[3];
    uint32_t islands[3];
    size_t count = 0;
    memset(bodies, 0, sizeof bodies);
    memset(&contact, 0, sizeof contact);
    memset(&row, 0, sizeof row);
    memset(&problem, 0, sizeof problem);
    memset(&options, 0, sizeof options);
    memset(&solution, 0, sizeof solution);
    problem.struct_size = sizeof problem;
    options.struct_size = sizeof options;
    solution.struct_size = sizeof solution;
    bodies[0].inverse_mass = bodies[1].inverse_mass = 1.0f;
    bodies[0].linear_velocity[0] = -2.0f;
    contact.body_b = 1;
    contact.normal[0] = 1.0f;
    row.body_a = 1;
    row.body_b = 2;
    row.linear[0] = 1.0f;
    row.lower = -3.402823466e38f;
    row.upper = 3.402823466e38f;
    problem.body_count = 3;
    problem.contact_count = problem.joint_row_count = 1;
    problem.bodies = bodies;
    problem.contacts = &contact;
    problem.joint_rows = &row;
    solution.velocities = velocities;
    solution.impulses = impulse;
    solution.joint_impulses = joint_impulse;
    OK(ds_create(1, &solver));
    OK(ds_options_default(&options));
    options.tolerance = 1e-6f;
    options.iterations = 200;
    OK(ds_solve(solver, &problem, &options, &solution, NULL));
    EXPECT(fabsf(impulse[0][0] - 2.0f) < 1e-4f && fabsf(joint_impulse[0] - 2.0f) < 1e-4f);
    EXPECT(fabsf(velocities[0].linear[0]) < 1e-4f && fabsf(velocities[1].linear[0]) < 1e-4f);
    OK(ds_islands(&problem, islands, &count));
    EXPECT(count == 1 && islands[0] == 0 && islands[1] == 0 && islands[2] == UINT32_MAX);
    {
        const float up[3] = {0, 0, 1};
        OK(ds_tangents(up, t1, t2));
        EXPECT(fabsf(t1[0] * t2[1] - t1[1] * t2[0] - 1.0f) < 1e-6f);
    }
    tangents_of_many();
    contact.body_b = 9;
    EXPECT(ds_solve(solver, &problem, &options, &solution, NULL) == DS_INVALID);
    EXPECT(strstr(ds_message(), "contact 0") != NULL);
    OK(ds_destroy(solver));
}

/* A body of 2 kg that falls on a belt, and on a spring, at 2 m/s. */
static void belt(void)
{
    ds_body bodies[2];
    ds_contact contact;
    ds_problem problem;
    ds_options options;
    ds_solution solution;
    ds_velocity velocities[2];
    ds_solver *solver = NULL;
    const float moving[1][3] = {{0.6f, 0, 0}};
    float compliance = 1.5f;
    memset(bodies, 0, sizeof bodies);
    memset(&contact, 0, sizeof contact);
    memset(&problem, 0, sizeof problem);
    memset(&options, 0, sizeof options);
    memset(&solution, 0, sizeof solution);
    problem.struct_size = sizeof problem;
    options.struct_size = sizeof options;
    solution.struct_size = sizeof solution;
    bodies[0].inverse_mass = 0.5f;
    bodies[0].linear_velocity[2] = -2.0f;
    contact.body_b = 1;
    contact.normal[2] = 1.0f;
    contact.friction = 0.5f;
    problem.body_count = 2;
    problem.contact_count = 1;
    problem.bodies = bodies;
    problem.contacts = &contact;
    problem.surface_velocities = moving;
    solution.velocities = velocities;
    OK(ds_create(1, &solver));
    OK(ds_options_default(&options));
    OK(ds_solve(solver, &problem, &options, &solution, NULL));
    EXPECT(fabsf(velocities[0].linear[0] - 0.6f) < 1e-6f && velocities[1].linear[0] == 0.0f);
    /* On a spring: r = 2 / (0.5 + 1.5), of which the spring leaves 1.5 r. */
    problem.surface_velocities = NULL;
    problem.compliances = &compliance;
    options.iterations = 100;
    OK(ds_solve(solver, &problem, &options, &solution, NULL));
    EXPECT(fabsf(velocities[0].linear[2] + 1.5f) < 1e-6f);
    compliance = -1.0f;
    EXPECT(ds_solve(solver, &problem, &options, &solution, NULL) == DS_INVALID);
    EXPECT(strstr(ds_message(), "compliance of contact 0") != NULL);
    problem.compliances = NULL;
    problem.surface_velocities = moving;
    bodies[1].inverse_mass = 1.0f;
    EXPECT(ds_solve(solver, &problem, &options, &solution, NULL) == DS_INVALID);
    OK(ds_destroy(solver));
}

int main(void)
{
    EXPECT(ds_abi_version() == DS_ABI_VERSION);
    cube_comes_to_rest();
    delassus();
    once();
    belt();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
