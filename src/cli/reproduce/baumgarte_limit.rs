//! How far Baumgarte's constant can be raised: the error is multiplied by `1 - alpha h` a step.
//!
//! Source: Cline and Pai 2003, section IV-A, the velocity form `J v + alpha g = 0`, and what figure 5
//! shows of it.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use super::simulate;
use crate::experiments::curve::Curve;
use crate::plot::{Axis, Plot, Series};
use drystone::Result;
use drystone::scene::Scene;
use drystone::stabilize::{Baumgarte, Scheme, Stabilization};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "baumgarte_limit",
    title: "Baumgarte's constant has a limit: alpha h = 2",
    source: "Cline and Pai 2003, sections IV-A and VI-A, figure 5",
    run: reproduce,
};

/// Steps over which a factor is measured.
const COUNTED: usize = 15;
/// Halvings of the interval in which the limit is sought.
const BISECTIONS: usize = 14;

fn reproduce(context: &Context) -> Result<Outcome> {
    let scene = simulate::scene("baumgarte_limit")?;
    let mut outcome = Outcome::default();
    let mut series = Vec::new();
    for alpha_h in [0.5, 1.0, 1.9, 2.1] {
        let errors = errors(context, &scene, alpha_h)?;
        let quantity = format!("alpha h = {alpha_h}: error of a step over that of the step before");
        if alpha_h == 1.0 {
            outcome.row(
                quantity,
                "",
                Expected::near(0.0, 1e-6),
                (errors[1].1 / errors[0].1).abs(),
            );
        } else {
            outcome.row(
                quantity,
                "",
                Expected::near(1.0 - alpha_h, 1e-3),
                factor(&errors),
            );
        }
        let sizes = errors.iter().map(|&(step, error)| (step, error.abs()));
        series.push(Series::new(format!("alpha h = {alpha_h}"), sizes.collect()));
    }
    let (mut stable, mut unstable) = (1.0, 3.0);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (stable + unstable);
        if factor(&errors(context, &scene, middle)?).abs() < 1.0 {
            stable = middle;
        } else {
            unstable = middle;
        }
    }
    outcome.published_row(
        "largest alpha h with which the error shrinks",
        "",
        "2000 at 1 ms is jagged",
        Expected::near(2.0, 1e-3),
        stable,
    );
    outcome.note(
        "A pendulum hangs at rest 1 mm below its pivot. On that line its error is a linear function of \
         its position, so that the law holds to round-off.",
    );
    outcome.plots.push(Plot {
        name: "error",
        title: "Error of the pivot".into(),
        x: Axis::linear("steps"),
        y: Axis::logarithmic("size of the error [m]").within(1e-12, f64::INFINITY),
        series,
        seen: "The error falls or grows by abs(1 - alpha h) a step: it is gone at once for alpha h = 1, \
               and grows only above 2."
            .into(),
    });
    Ok(outcome)
}

/// Signed error of the pivot `[m]` over the steps, beginning with that of the start.
fn errors(context: &Context, scene: &Scene, alpha_h: f64) -> Result<Curve> {
    let h = scene.settings.time_step;
    let scheme = Scheme::Baumgarte(Baumgarte::Velocity { kappa: alpha_h / h });
    let settings = simulate::settings(context, scene, Stabilization::both(scheme));
    let joint = &scene.world.joints[0];
    let error = |world: &drystone::world::World| {
        let body = &world.bodies[joint.body_a as usize];
        (body.pose.point(&joint.frame_a.position) - joint.frame_b.position).z
    };
    let mut curve = vec![(0.0, error(&scene.world))];
    let label = format!("baumgarte_limit: alpha h = {alpha_h:.3}");
    let duration = scene.steps as f64 * h;
    context.run(&label, &scene.world, &settings, duration, |moment| {
        curve.push((moment.report.step as f64, error(moment.world)));
    })?;
    Ok(curve)
}

/// Mean factor of a step, with its sign.
fn factor(errors: &[(f64, f64)]) -> f64 {
    let size = (errors[COUNTED].1 / errors[0].1).abs();
    size.powf(1.0 / COUNTED as f64) * (errors[1].1 / errors[0].1).signum()
}
