// The same worlds solved by Bullet and by drystone: time in the solver, penetrations found afresh at the end, kinetic energy.
#include "drystone_bullet.h"
#include "scenes.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Way
{
    const char *name;
    int iterations;    // of Bullet's solver
    unsigned substeps; // of drystone's, 0 for its own number
    int division;      // steps of the world in place of one
};

std::unique_ptr<btConstraintSolver> solver_of(const Way &way)
{
    if (way.iterations > 0)
        return std::make_unique<btSequentialImpulseConstraintSolver>();
    return std::make_unique<drystone::BulletSolver>(1, way.substeps);
}

} // namespace

int main(int count, char **words)
{
    const int steps = count > 1 ? std::atoi(words[1]) : 600;
    struct
    {
        const char *name;
        void (*fill)(Scene &, int);
        int size;
    } scenes[] = {{"1,000 boxes in a fence", boxes, 1000},
                  {"1,000 boxes in a block", block, 1000},
                  {"1,000 hulls in a fence", hulls, 1000},
                  {"wall of 30 rows", wall, 30},
                  {"60 ragdolls in a fence", ragdolls, 60},
                  {"chain of 20 and 200 times a link", chain, 20}};
    const Way ways[] = {{"Bullet, 10 iterations", 10, 0, 1},
                        {"Bullet, 50 iterations", 50, 0, 1},
                        {"Bullet, 10 iterations, 8 short steps", 10, 0, 8},
                        {"drystone, 6 substeps", 0, 6, 1},
                        {"drystone, 8 substeps", 0, 8, 1},
                        {"drystone", 0, 0, 1}};
    std::printf("| scene, %d steps | solver | solver [ms a step] | mean [mm] | worst [mm] | kinetic energy [J a body] | worst joint of all steps, at the end [mm] | lost |\n", steps);
    std::printf("|---|---|---|---|---|---|---|---|\n");
    int lost = 0;
    for (const auto &entry : scenes)
        for (const Way &way : ways) {
            Scene scene(solver_of(way), way.iterations > 0 ? way.iterations : 10);
            entry.fill(scene, entry.size);
            double apart = 0;
            for (int step = 0; step < steps; ++step) {
                scene.step(way.division);
                apart = std::max(apart, scene.worst_joint());
            }
            const double time = 1000 * scene.solver.seconds / steps;
            const Measure measure = scene.measure();
            std::printf("| %s | %s | %.2f | %.2f | %.1f | %.4f | %.2f, %.2f | %d |\n", entry.name, way.name, time, 1000 * measure.mean,
                        1000 * measure.worst, measure.kinetic, 1000 * apart, 1000 * scene.worst_joint(), measure.lost);
            std::fflush(stdout);
            lost += way.iterations == 0 ? measure.lost : 0;
        }
    return lost == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
