/* drystone: contact problems of rigid bodies. See the README beside this file's folder. */

#ifndef DRYSTONE_H
#define DRYSTONE_H

/* Made by cbindgen from bindings/c/src; `DRYSTONE_HEADER=write cargo test --test header` writes it anew. */

#include <stddef.h>
#include <stdint.h>

/*
 Version of this interface; it changes where a program that was built with another header would go wrong.
 */
#define DS_ABI_VERSION 1

/*
 Coloured projected Gauss-Seidel.
 */
#define DS_METHOD_GAUSS_SEIDEL 0

/*
 Mass-split projected Jacobi.
 */
#define DS_METHOD_JACOBI 1

/*
 Gauss-Seidel with momentum and restarts.
 */
#define DS_METHOD_NESTEROV 2

/*
 Clusters of bodies, each swept by itself, with momentum.
 */
#define DS_METHOD_CLUSTER 3

/*
 Coulomb's law.
 */
#define DS_LAW_COULOMB 0

/*
 The convex cone form.
 */
#define DS_LAW_CONVEX 1

/*
 Most threads of a solver.
 */
#define DS_MAX_THREADS 1024

/*
 The residual reached the tolerance.
 */
#define DS_CONVERGED 0

/*
 All sweeps were made.
 */
#define DS_MAX_ITERATIONS 1

/*
 It ended otherwise.
 */
#define DS_STALLED 2

/*
 How a call ended.
 */
typedef enum ds_status {
  /*
   As asked.
   */
  DS_OK = 0,
  /*
   A value without meaning, a null pointer, a wrong size; nothing was computed.
   */
  DS_INVALID = 1,
  /*
   Something exceeds what can be held.
   */
  DS_CAPACITY = 2,
  /*
   A device failed.
   */
  DS_DEVICE = 3,
  /*
   A fault of the library's own, which was caught.
   */
  DS_PANIC = 4,
  /*
   A number stopped being finite; outputs were not written.
   */
  DS_NOT_FINITE = 5,
  /*
   No such handle, or no longer.
   */
  DS_HANDLE = 6,
  /*
   The handle is in use by another thread.
   */
  DS_BUSY = 7,
} ds_status;

/*
 A solver, opaque: its memory and its threads. Several threads may have one each; two may not use one at a time.
 */
typedef struct ds_solver ds_solver;

/*
 Impulses and loads of the last step by the names of its contacts, opaque.
 */
typedef struct ds_warm_start ds_warm_start;

/*
 Mass and velocity of one body, in world axes at its centre of mass. One that does not move has `inverse_mass` and `inverse_inertia` 0.
 */
typedef struct ds_body {
  /*
   Of the centre of mass [m/s]: for `ds_solve` with forces applied, for `ds_step` before them.
   */
  float linear_velocity[3];
  /*
   One over the mass [1/kg].
   */
  float inverse_mass;
  /*
   In world axes [rad/s].
   */
  float angular_velocity[3];
  /*
   Unused.
   */
  float padding;
  /*
   In world axes: xx, xy, xz, yy, yz, zz [1/(kg m^2)].
   */
  float inverse_inertia[6];
  /*
   Unused.
   */
  float padding_2[2];
} ds_body;

/*
 One contact point between two bodies.
 */
typedef struct ds_contact {
  /*
   Index of body A.
   */
  uint32_t body_a;
  /*
   Index of body B. An engine whose normals point from A to B exchanges the two bodies, and leaves the normal as it is.
   */
  uint32_t body_b;
  /*
   Contact point minus A's centre of mass, in world axes [m].
   */
  float arm_a[3];
  /*
   Contact point minus B's centre of mass, likewise.
   */
  float arm_b[3];
  /*
   Unit vector from B to A.
   */
  float normal[3];
  /*
   Added to the relative normal velocity [m/s]; `ds_step` finds its own.
   */
  float bias;
  /*
   Coulomb's coefficient, at least 0.
   */
  float friction;
  /*
   Impulse to start from along the normal and the two tangents [N s]; see `ds_tangents`.
   */
  float impulse[3];
} ds_contact;

/*
 Contacts u = (W + R) r + b with friction's disk: W by rows of 3 x 3 blocks, each by rows; normal first, then two tangents. Begin with zeros and
 `struct_size`.
 */
typedef struct ds_delassus {
  /*
   `sizeof(ds_delassus)`.
   */
  uint32_t struct_size;
  /*
   `DS_LAW_COULOMB` or `DS_LAW_CONVEX`.
   */
  uint32_t friction_law;
  /*
   Number of contacts n.
   */
  size_t contact_count;
  /*
   Number of blocks m.
   */
  size_t block_count;
  /*
   First block of each row of blocks, and one past the last: n + 1 numbers.
   */
  const uint32_t *row_starts;
  /*
   Contact that each block takes the impulse of, ascending in a row: m numbers.
   */
  const uint32_t *columns;
  /*
   Blocks [1/kg]: 9 m numbers.
   */
  const double *blocks;
  /*
   b [m/s]: 3 n numbers.
   */
  const double *free_velocities;
  /*
   Coefficients of friction: n numbers.
   */
  const double *friction;
  /*
   R, the compliance of each row [1/kg]: 3 n numbers, or null.
   */
  const double *compliance;
} ds_delassus;

/*
 When to stop. `accelerated` 0 is plain block Gauss-Seidel (NSGS). Begin with `struct_size`; zeros elsewhere are the defaults: 10,000 sweeps, to
 round-off.
 */
typedef struct ds_delassus_options {
  /*
   `sizeof(ds_delassus_options)`.
   */
  uint32_t struct_size;
  /*
   Most sweeps.
   */
  uint32_t iterations;
  /*
   Sweeps between two looks at the residual.
   */
  uint32_t check_every;
  /*
   Not 0: Anderson's combination of the latest sweeps.
   */
  uint32_t accelerated;
  /*
   Root mean square of the residual at which to stop [m/s].
   */
  double tolerance;
} ds_delassus_options;

/*
 How it went. Begin with `struct_size`.
 */
typedef struct ds_delassus_report {
  /*
   `sizeof(ds_delassus_report)`.
   */
  uint32_t struct_size;
  /*
   `DS_CONVERGED`, `DS_MAX_ITERATIONS` or `DS_STALLED`.
   */
  uint32_t outcome;
  /*
   Sweeps.
   */
  uint32_t iterations;
  /*
   Root mean square of the residual [m/s].
   */
  double residual_rms;
  /*
   The largest of a contact [m/s].
   */
  double residual_max;
} ds_delassus_report;

/*
 When to stop, and how to sweep; `ds_options_default` fills it in.
 */
typedef struct ds_options {
  /*
   `sizeof(ds_options)`.
   */
  uint32_t struct_size;
  /*
   `DS_METHOD_...`.
   */
  uint32_t method;
  /*
   Most sweeps, at least 1.
   */
  uint32_t iterations;
  /*
   Sweeps between two looks at the residual, at least 1.
   */
  uint32_t check_every;
  /*
   Root mean square of the residual at which to stop [m/s]; 0 makes all sweeps.
   */
  float tolerance;
  /*
   Not 0: start from the impulses in contacts and rows.
   */
  uint32_t warm_start;
  /*
   Not 0: solve rows without bounds at once before the first sweep.
   */
  uint32_t direct_joints;
  /*
   Damping of that, at least 0.
   */
  float direct_damping;
} ds_options;

/*
 A step in substeps; `ds_plan_recommended` fills it in, and `drystone::solver::substeps` says what the numbers mean.
 */
typedef struct ds_plan {
  /*
   `sizeof(ds_plan)`.
   */
  uint32_t struct_size;
  /*
   Number of substeps, at least 1. What follows is for this number: `ds_plan_recommended` for others.
   */
  uint32_t substeps;
  /*
   Length of the whole step [s].
   */
  float time_step;
  /*
   Approach speed below which nothing bounces [m/s].
   */
  float restitution_threshold;
  /*
   Change of velocity up to which a pair of bodies is left for the rest of a sweep [m/s]; with 0 none is.
   */
  float calm_change;
  /*
   Share of the penetration that is taken back per second [1/s].
   */
  float rate;
  /*
   Share of the velocity before the substep that is taken into the bias while shut.
   */
  float memory;
  /*
   Most that is taken back [m/s].
   */
  float max_push;
  /*
   Softness of contacts.
   */
  float softness;
  /*
   Most that a contact gives way by under an impulse that it holds [m/s].
   */
  float held;
  /*
   The same of its load [m/s].
   */
  float held_load;
  /*
   Time over which impulses are a load [s].
   */
  double load_time;
  /*
   Gap on either side of zero that is left alone [m].
   */
  float slop;
  /*
   Penetration that is spared the push [m].
   */
  float spared;
  /*
   Overlap up to which bodies that may bounce touch [m].
   */
  float touching;
  /*
   How each substep is solved.
   */
  struct ds_options velocity;
  /*
   Not 0: a position problem follows each substep.
   */
  uint32_t has_position;
  /*
   Most that it corrects of a penetration [m].
   */
  float max_correction;
  /*
   Most that it turns a body [rad].
   */
  float max_turn;
  /*
   How it is solved.
   */
  struct ds_options position;
} ds_plan;

/*
 One scalar constraint between two bodies: a joint is a run of them. Its Jacobian is (linear, angular_a) on A and (-linear, angular_b) on B.
 */
typedef struct ds_joint_row {
  /*
   Index of body A.
   */
  uint32_t body_a;
  /*
   Index of body B.
   */
  uint32_t body_b;
  /*
   A unit vector, or zero for a row that only turns.
   */
  float linear[3];
  /*
   Angular part on A, in world axes.
   */
  float angular_a[3];
  /*
   Angular part on B, likewise.
   */
  float angular_b[3];
  /*
   Added to the relative velocity [m/s] or [rad/s].
   */
  float bias;
  /*
   Velocity that a unit impulse leaves, at least 0.
   */
  float softness;
  /*
   Least impulse, -FLT_MAX for none.
   */
  float lower;
  /*
   Largest impulse, FLT_MAX for none.
   */
  float upper;
  /*
   Impulse to start from.
   */
  float impulse;
} ds_joint_row;

/*
 A velocity, or a change of it.
 */
typedef struct ds_velocity {
  /*
   [m/s].
   */
  float linear[3];
  /*
   In world axes [rad/s].
   */
  float angular[3];
} ds_velocity;

/*
 Bodies, contacts and rows of joints. Begin with zeros and `struct_size`.

 Bodies and contacts that stand without gaps in memory that is aligned to 64 bytes are not copied.
 */
typedef struct ds_problem {
  /*
   `sizeof(ds_problem)`.
   */
  uint32_t struct_size;
  /*
   Corners of the friction polygon, even, 4 to 16; 0 for the disk.
   */
  uint32_t friction_directions;
  /*
   `DS_LAW_COULOMB` or `DS_LAW_CONVEX`.
   */
  uint32_t friction_law;
  /*
   Softness of contacts over their own response, at least 0; `ds_step` takes that of its plan.
   */
  float contact_softness;
  /*
   Number of bodies.
   */
  size_t body_count;
  /*
   Number of contacts.
   */
  size_t contact_count;
  /*
   Number of rows of joints; `ds_step` takes none.
   */
  size_t joint_row_count;
  /*
   The bodies.
   */
  const struct ds_body *bodies;
  /*
   The contacts; those of one pair of bodies should stand together.
   */
  const struct ds_contact *contacts;
  /*
   The rows; those of one pair of bodies should stand together.
   */
  const struct ds_joint_row *joint_rows;
  /*
   Velocity of the surface of each contact, normal to its normal, with which A sticks to B [m/s]; not zero only on immovable bodies, such as
   conveyor belts; null if none moves.
   */
  const float (*surface_velocities)[3];
  /*
   For `ds_step`: what forces add to each body's velocity over the step.
   */
  const struct ds_velocity *increments;
  /*
   For `ds_step`: separation of each contact, negative when penetrating [m].
   */
  const float *gaps;
  /*
   For `ds_step`: Newton's coefficient of each contact; null if nothing bounces.
   */
  const float *restitutions;
  /*
   For `ds_step`: load of each contact [N], from `ds_warm_start_load`; null if none is known.
   */
  const float *loads;
  /*
   For `ds_step`: size of the smaller body that moves at each contact over that of the smallest of all, at least 1, from `ds_sizes`;
   null if all bodies are of one size.
   */
  const float *sizes;
  /*
   Compliance of each contact, at least 0: of a spring [m/N] for `ds_step`, and what a unit of normal impulse leaves of the normal velocity [1/kg] else,
   c / h^2 for such a spring at the end of a step h; null if all are as hard as the options and the plan make them.
   */
  const float *compliances;
  /*
   For `ds_solve`: length [m] that times the normal impulse which a contact starts from bounds its moments against rolling; null if there are none.
   */
  const float *rolling_lengths;
  /*
   The same of its moment about the normal, against spinning.
   */
  const float *spinning_lengths;
  /*
   Bytes from one body to the next, where they are members of larger records: at least `sizeof(ds_body)`, a multiple of 4; 0 if they stand without gaps.
   */
  size_t body_stride;
  /*
   The same of contacts.
   */
  size_t contact_stride;
  /*
   The same of rows of joints.
   */
  size_t joint_row_stride;
} ds_problem;

/*
 How far a body moves.
 */
typedef struct ds_displacement {
  /*
   Of the centre of mass [m].
   */
  float linear[3];
  /*
   Rotation vector in world axes [rad].
   */
  float angular[3];
} ds_displacement;

/*
 What a solver computes, into the caller's memory; an array that is null is not written. Begin with zeros and `struct_size`.
 */
typedef struct ds_solution {
  /*
   `sizeof(ds_solution)`.
   */
  uint32_t struct_size;
  /*
   Velocity of each body at the end, forces included.
   */
  struct ds_velocity *velocities;
  /*
   How far each body moves in the step, `ds_step` only.
   */
  struct ds_displacement *displacements;
  /*
   Impulse of each contact along its normal and tangents [N s], of the last substep.
   */
  float (*impulses)[3];
  /*
   The same over the whole step, `ds_step` only.
   */
  float (*total_impulses)[3];
  /*
   Impulse of each row, `ds_solve` only.
   */
  float *joint_impulses;
} ds_solution;

/*
 How a solve went. Begin with `struct_size`.
 */
typedef struct ds_report {
  /*
   `sizeof(ds_report)`.
   */
  uint32_t struct_size;
  /*
   `DS_CONVERGED`, `DS_MAX_ITERATIONS` or `DS_STALLED`.
   */
  uint32_t outcome;
  /*
   Sweeps, of all substeps.
   */
  uint32_t iterations;
  /*
   Colours of contacts and rows.
   */
  uint32_t colors;
  /*
   Root mean square of the residual after the last sweep [m/s].
   */
  double residual_rms;
  /*
   Largest residual of a contact or row [m/s].
   */
  double residual_max;
  /*
   Time to pack [s].
   */
  double pack_seconds;
  /*
   Time to sweep [s].
   */
  double solve_seconds;
} ds_report;

/*
 Name of a contact: any two numbers that stand for the same point of the same two bodies in the next step.
 */
typedef struct ds_key {
  /*
   Such as the pair.
   */
  uint64_t first;
  /*
   Such as the feature.
   */
  uint64_t second;
} ds_key;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The version of the library that is linked; compare it with `DS_ABI_VERSION`.
 */
uint32_t ds_abi_version(void);

/*
 A body that moves, from its mass [kg], its three principal moments of inertia [kg m^2] and the rotation from their axes to the world's, a unit
 quaternion (x, y, z, w); velocities, three numbers each, in world axes [m/s], [rad/s].

 # Safety
 Pointers are to as many numbers as their types say.
 */
enum ds_status ds_body_from_local(struct ds_body *body,
                                  float mass,
                                  const float *inertia,
                                  const float *rotation,
                                  const float *linear_velocity,
                                  const float *angular_velocity);

/*
 The two tangents of a unit normal, three numbers each, along which the second and the third number of a contact's impulse are.

 # Safety
 Pointers are to three numbers each.
 */
enum ds_status ds_tangents(const float *normal,
                           float *tangent_1,
                           float *tangent_2);

/*
 The tangents of `count` contacts, which begin every `contact_stride` bytes as `ds_problem.contact_stride` says: the first and the second of each.

 # Safety
 Arrays are of `count` elements.
 */
enum ds_status ds_tangents_of(const struct ds_contact *contacts,
                              size_t contact_stride,
                              size_t count,
                              float (*found)[2][3]);

/*
 Solves contacts by their operator in f64, from the impulses that are there: 3 numbers a contact [N s]. `report` may be null.

 # Safety
 Arrays are as long as the problem's counts say.
 */
enum ds_status ds_solve_delassus(const struct ds_delassus *problem,
                                 const struct ds_delassus_options *options,
                                 double *impulses,
                                 struct ds_delassus_report *report);

/*
 The message of the last call of this thread that did not end in `DS_OK`, or an empty one; valid until this thread's
 next call that does not.
 */
const char *ds_message(void);

/*
 Fills in 30 sweeps of Gauss-Seidel with a warm start. `struct_size` has been set.

 # Safety
 The pointer is to a `ds_options`.
 */
enum ds_status ds_options_default(struct ds_options *options);

/*
 Fills in the default step's plan: contacts as damped springs, swept once in each of `substeps`; 0 for the recommended number, 16. `struct_size`
 has been set.

 `time_step` is the length of the step [s], `radius` the bounding radius of the smallest body that moves [m], `gravity` the magnitude
 of gravity [m/s^2].

 # Safety
 The pointer is to a `ds_plan`.
 */
enum ds_status ds_plan_recommended(struct ds_plan *plan,
                                   uint32_t substeps,
                                   double time_step,
                                   double radius,
                                   double gravity);

/*
 The same with the radius of the problem's smallest body, as if it were a ball; and where one of its gaps, which may be null, is deeper than the springs of
 contacts reach, with position problems that take that back and give nothing a velocity: move bodies by their displacements.

 # Safety
 The pointers are to a `ds_plan` and a problem whose arrays are as long as it says.
 */
enum ds_status ds_plan_recommended_for(struct ds_plan *plan,
                                       const struct ds_problem *problem,
                                       uint32_t substeps,
                                       double time_step,
                                       double gravity);

/*
 Writes the size of each contact for `ds_problem.sizes`, bodies taken for balls of their masses and mean inertias: for bodies of different
 sizes, when contacts are new. `sizes` is of `contact_count` numbers.

 # Safety
 The problem's arrays are as long as its counts say.
 */
enum ds_status ds_sizes(const struct ds_problem *problem,
                        float *sizes);

/*
 Marks bodies that contacts and rows link, directly or by others, with the same number, that of the island's first body; one that does not
 move gets UINT32_MAX. `islands` is of `body_count` numbers; `island_count` may be null.

 # Safety
 Pointers are to as many elements as the counts say.
 */
enum ds_status ds_islands(const struct ds_problem *problem,
                          uint32_t *islands,
                          size_t *island_count);

/*
 A solver with so many threads of its own; with 1 it works on the thread that calls it and starts none, with 0 it runs on those of the process, as many as there
 are cores, which all solvers share.

 # Safety
 `solver` is to a pointer, which is written.
 */
enum ds_status ds_create(uint32_t threads,
                         struct ds_solver **solver);

/*
 Ends a solver; null is none.
 */
enum ds_status ds_destroy(struct ds_solver *solver);

/*
 Solves a problem once: bodies carry the velocities that they would end the step with, contacts and rows their biases. `report` may be null.

 # Safety
 Arrays are as long as the problem's counts say, and none that is written overlaps another.
 */
enum ds_status ds_solve(struct ds_solver *solver,
                        const struct ds_problem *problem,
                        const struct ds_options *how,
                        struct ds_solution *solution,
                        struct ds_report *report);

/*
 Solves a step in substeps: bodies carry the velocities that they start with, biases follow from gaps. `report` may be null.

 # Safety
 As `ds_solve`.
 */
enum ds_status ds_step(struct ds_solver *solver,
                       const struct ds_problem *problem,
                       const struct ds_plan *how,
                       struct ds_solution *solution,
                       struct ds_report *report);

/*
 An empty cache of impulses.

 # Safety
 The pointer is to a pointer, which is written.
 */
enum ds_status ds_warm_start_create(struct ds_warm_start **warm_start);

/*
 Ends a cache; null is none.
 */
enum ds_status ds_warm_start_destroy(struct ds_warm_start *warm_start);

/*
 Gives contacts the impulses that they had in the last step, in world axes, and zero to those that are new; and `loads`, unless it is null, their loads for
 `ds_problem.loads`. Names may come in any order. `how` is the plan of the step, or null for `ds_solve`.

 # Safety
 Arrays are of `count` elements.
 */
enum ds_status ds_warm_start_load(struct ds_warm_start *warm_start,
                                  const struct ds_key *keys,
                                  struct ds_contact *contacts,
                                  size_t count,
                                  const struct ds_plan *how,
                                  float *loads);

/*
 The same for contacts that begin every `contact_stride` bytes, as `ds_problem.contact_stride` says.

 # Safety
 As `ds_warm_start_load`.
 */
enum ds_status ds_warm_start_load_strided(struct ds_warm_start *warm_start,
                                          const struct ds_key *keys,
                                          struct ds_contact *contacts,
                                          size_t contact_stride,
                                          size_t count,
                                          const struct ds_plan *how,
                                          float *loads);

/*
 Remembers the impulses that a solver has just found for a problem, and forgets all others. `how` is the plan of the step, or null after `ds_solve`.

 # Safety
 There are as many keys as contacts, and the problem's arrays are as long as its counts say.
 */
enum ds_status ds_warm_start_store(struct ds_warm_start *warm_start,
                                   const struct ds_key *keys,
                                   const struct ds_problem *problem,
                                   const struct ds_plan *how,
                                   struct ds_solver *solver);

/*
 Takes the impulses of a step, three numbers a contact [N s], into the loads of `count` contacts [N], for hosts that keep impulses themselves:
 `total_impulses` of `ds_solution`. `sizes` are those of the problem, or null. Loads of a warm start are renewed when it is stored.

 # Safety
 Arrays are of `count` elements.
 */
enum ds_status ds_renew_loads(const struct ds_plan *how,
                              const float (*total_impulses)[3],
                              const float *sizes,
                              float *loads,
                              size_t count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* DRYSTONE_H */
