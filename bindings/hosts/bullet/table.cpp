// The same worlds solved by Bullet and by drystone: time in the solver, penetrations found afresh at the end, kinetic energy.
//
//     table STEPS RUNS [SCENE [WAY]]
//
// SCENE and WAY are parts of names; without them it is all.
// All ways are run so many times in turns. A step's time is the least of all runs, which are the same to the bit: other work on the machine only adds to it.
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

/// What comes of a scene solved in one way, and the least time of each step.
struct Outcome
{
    std::vector<double> least;
    double apart = 0, apart_at_end = 0;
    Measure measure;

    template <typename Fill> void add(const Way &way, int steps, Fill fill)
    {
        Scene scene(solver_of(way), way.iterations > 0 ? way.iterations : 10);
        fill(scene);
        least.resize(size_t(steps), HUGE_VAL);
        for (double &time : least) {
            const double before = scene.solver.seconds;
            scene.step(way.division);
            time = std::min(time, scene.solver.seconds - before);
            apart = std::max(apart, scene.worst_joint());
        }
        apart_at_end = scene.worst_joint();
        measure = scene.measure();
    }

    double seconds() const
    {
        double sum = 0;
        for (const double time : least)
            sum += time;
        return sum;
    }
};

} // namespace

int main(int count, char **words)
{
    const int steps = count > 1 ? std::atoi(words[1]) : 600, runs = count > 2 ? std::atoi(words[2]) : 3;
    const auto is_asked = [&](int word, const char *name) { return count <= word || std::strstr(name, words[word]); };
    struct
    {
        const char *name;
        void (*fill)(Scene &, int);
        int size;
        bool has_joints;
    } scenes[] = {{"1,000 boxes in a fence", boxes, 1000, false},
                  {"1,000 boxes in a block", block, 1000, false},
                  {"1,000 hulls in a fence", hulls, 1000, false},
                  {"wall of 30 rows", wall, 30, false},
                  {"60 ragdolls in a fence", ragdolls, 60, true},
                  {"chain of 20 and 200 times a link", chain, 20, true}};
    const Way ways[] = {{"Bullet, 10 iterations", 10, 0, 1},
                        {"Bullet, 50 iterations", 50, 0, 1},
                        {"Bullet, 10 iterations, 8 short steps", 10, 0, 8},
                        {"drystone, 6 substeps", 0, 6, 1},
                        {"drystone, 7 substeps", 0, 7, 1},
                        {"drystone", 0, 0, 1}};
    std::printf("| scene, %d steps | solver | solver [ms a step] | mean [mm] | worst [mm] | kinetic energy [J a body] | worst joint of all steps, at the end [mm] | lost |\n", steps);
    std::printf("|---|---|---|---|---|---|---|---|\n");
    int lost = 0;
    for (const auto &entry : scenes) {
        if (!is_asked(3, entry.name))
            continue;
        const size_t way_count = sizeof ways / sizeof *ways;
        std::vector<Outcome> outcomes(way_count);
        for (int run = 0; run < runs; ++run)
            for (size_t at = 0; at < way_count; ++at)
                if (is_asked(4, ways[at].name) && (ways[at].division == 1 || entry.has_joints))
                    outcomes[at].add(ways[at], steps, [&](Scene &scene) { entry.fill(scene, entry.size); });
        for (size_t at = 0; at < way_count; ++at) {
            const Way &way = ways[at];
            const Outcome &outcome = outcomes[at];
            if (outcome.least.empty())
                continue;
            const Measure &measure = outcome.measure;
            std::printf("| %s | %s | %.2f | %.2f | %.1f | %.4f | %.2f, %.2f | %d |\n", entry.name, way.name, 1000 * outcome.seconds() / steps, 1000 * measure.mean,
                        1000 * measure.worst, measure.kinetic, 1000 * outcome.apart, 1000 * outcome.apart_at_end, measure.lost);
            std::fflush(stdout);
            lost += way.iterations == 0 ? measure.lost : 0;
        }
    }
    return lost == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
