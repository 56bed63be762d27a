/* The README's lines of C. */
#include "check.h"

int main(void)
{
    ds_body bodies[2];
    ds_contact contact;
    ds_problem problem;
    ds_options options;
    ds_solution solution;
    ds_velocity velocities[2];
    ds_solver *solver = NULL;
    memset(bodies, 0, sizeof bodies);
    memset(&contact, 0, sizeof contact);
    memset(&problem, 0, sizeof problem);
    memset(&solution, 0, sizeof solution);
    memset(&options, 0, sizeof options);
    /* A ball of 2 kg that falls at 3 m/s, and the ground. */
    bodies[0].inverse_mass = 0.5f;
    bodies[0].linear_velocity[2] = -3.0f;
    contact.body_b = 1;
    contact.arm_a[2] = -0.5f;
    contact.normal[2] = 1.0f;
    problem.struct_size = sizeof problem;
    problem.bodies = bodies, problem.body_count = 2;
    problem.contacts = &contact, problem.contact_count = 1;
    solution.struct_size = sizeof solution;
    solution.velocities = velocities;
    options.struct_size = sizeof options;
    if (ds_create(1, &solver) || ds_options_default(&options) ||
        ds_solve(solver, &problem, &options, &solution, NULL))
        fprintf(stderr, "%s\n", ds_message());
    ds_destroy(solver);
    EXPECT(fabsf(velocities[0].linear[2]) < 1e-6f);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
