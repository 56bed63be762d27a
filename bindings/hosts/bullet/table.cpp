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
                  {"wall of 30 rows", wall, 30}};
    const Way ways[] = {{"Bullet, 10 iterations", 10, 0},
                        {"Bullet, 50 iterations", 50, 0},
                        {"drystone, 6 substeps", 0, 6},
                        {"drystone", 0, 0}};
    std::printf("| scene, %d steps | solver | solver [ms a step] | mean [mm] | worst [mm] | kinetic energy [J a body] | lost |\n", steps);
    std::printf("|---|---|---|---|---|---|---|\n");
    int lost = 0;
    for (const auto &entry : scenes)
        for (const Way &way : ways) {
            Scene scene(solver_of(way), way.iterations > 0 ? way.iterations : 10);
            entry.fill(scene, entry.size);
            for (int step = 0; step < steps; ++step)
                scene.step();
            const double time = 1000 * scene.solver.seconds / steps;
            const Measure measure = scene.measure();
            std::printf("| %s | %s | %.2f | %.2f | %.1f | %.4f | %d |\n", entry.name, way.name, time, 1000 * measure.mean,
                        1000 * measure.worst, measure.kinetic, measure.lost);
            std::fflush(stdout);
            lost += way.iterations == 0 ? measure.lost : 0;
        }
    return lost == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
