//! The figures of runs.

use super::table::Table;
use crate::plot::{Axis, Plot, Series};

/// Points of a curve in a figure: more than pixels across, less than a long run's steps.
const POINTS: usize = 1200;
/// Most curves of a figure: as many as there are colours.
const MOST_CURVES: usize = 7;

/// A figure of columns that belong together.
struct Figure {
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    is_logarithmic: bool,
    /// Column and label; the first is the one that runs are compared by.
    columns: &'static [(&'static str, &'static str)],
    seen: &'static str,
}

const FIGURES: [Figure; 6] = [
    Figure {
        name: "residuals",
        title: "Residuals of the velocity and position problems",
        unit: "residual [m/s, m]",
        is_logarithmic: true,
        columns: &[
            ("residual_rms", "velocity, rms [m/s]"),
            ("residual_max", "velocity, of one contact [m/s]"),
            ("position_residual_rms", "position, rms [m]"),
        ],
        seen: "How exactly the solver fulfils the laws of contact: 0 would be exact.",
    },
    Figure {
        name: "energies",
        title: "Energies",
        unit: "energy [J]",
        is_logarithmic: false,
        columns: &[
            ("total_energy", "kinetic and potential"),
            ("kinetic_energy", "kinetic"),
            ("potential_energy", "potential"),
        ],
        seen: "Contacts lose energy; what rises without a motor, a load or a moving body is an error.",
    },
    Figure {
        name: "penetrations",
        title: "Penetration",
        unit: "penetration [m]",
        is_logarithmic: false,
        columns: &[
            ("max_penetration", "deepest point"),
            ("mean_penetration", "mean of the points that overlap"),
        ],
        seen: "How far bodies are in each other: small beside their size is right.",
    },
    Figure {
        name: "contacts",
        title: "Contacts",
        unit: "count",
        is_logarithmic: false,
        columns: &[
            ("contacts", "contact points"),
            ("penetrating_contacts", "of these overlapping"),
        ],
        seen: "Points at which bodies touch or nearly touch.",
    },
    Figure {
        name: "joints",
        title: "Errors of joints",
        unit: "error [m, rad, m/s]",
        is_logarithmic: true,
        columns: &[
            ("joint_error", "distance [m]"),
            ("joint_angle_error", "angle between axes [rad]"),
            ("joint_velocity_error", "velocity [m/s]"),
            ("joint_limit_error", "beyond limits [m]"),
            ("joint_limit_angle_error", "beyond limits [rad]"),
        ],
        seen: "How far joints are from holding together what they join.",
    },
    Figure {
        name: "times",
        title: "Time of a step by stage",
        unit: "time [ms]",
        is_logarithmic: true,
        columns: &[
            ("t_step_ms", "whole step"),
            ("t_broad_ms", "pairs"),
            ("t_narrow_ms", "contacts"),
            ("t_pack_ms", "packing"),
            ("t_solve_ms", "velocities"),
            ("t_position_ms", "positions"),
        ],
        seen: "Wall-clock time, so that it differs from run to run.",
    },
];

/// Figures of probes: the unit of their columns, a name, a title and an axis. The last one has what is in none of the others.
#[rustfmt::skip]
const PROBES: [[&str; 4]; 15] = [
    ["m", "positions", "Positions and heights of probes", "length [m]"],
    ["m/s", "velocities", "Velocities of probes", "velocity [m/s]"],
    ["rad/s", "spins", "Angular velocities of probes", "angular velocity [rad/s]"],
    ["degrees", "angles", "Angles of probes", "angle [degrees]"],
    ["N", "forces", "Forces of probes", "force [N]"],
    ["N m", "torques", "Torques of probes", "torque [N m]"],
    ["Pa", "stresses", "Stresses of probes", "stress [Pa]"],
    ["J", "works", "Work and energy of probes", "energy [J]"],
    ["W", "powers", "Power of probes", "power [W]"],
    ["kg", "masses", "Masses of probes", "mass [kg]"],
    ["kg m/s", "momenta", "Momenta of probes", "momentum [kg m/s]"],
    ["kg m^2/s", "angular_momenta", "Angular momenta of probes", "angular momentum [kg m^2/s]"],
    ["m^2/s^2", "temperatures", "Granular temperatures of probes", "temperature [m^2/s^2]"],
    ["1", "numbers", "Numbers and shares of probes", "number [1]"],
    ["", "others", "Other columns", "value"],
];

/// The figures of one run, or of several over each other; figures without a number that is not 0 are left out.
pub(crate) fn figures(runs: &[Table]) -> Vec<Plot> {
    let others = PROBES.len() - 1;
    let figure_of = |unit: &str| PROBES.iter().position(|known| known[0] == unit);
    let probes = PROBES
        .iter()
        .enumerate()
        .flat_map(|(at, [_, name, title, axis])| {
            let mut columns: Vec<&str> = Vec::new();
            for (column, unit) in runs.iter().flat_map(Table::probes) {
                if figure_of(unit).unwrap_or(others) == at && !columns.contains(&column) {
                    columns.push(column);
                }
            }
            let columns: Vec<(&str, &str)> =
                columns.into_iter().map(|column| (column, column)).collect();
            draw(
                runs,
                name,
                title,
                Axis::linear(*axis),
                &columns,
                false,
                "What the scene asks to be measured.",
            )
        });
    let standard = FIGURES.iter().flat_map(|figure| {
        let axis = if figure.is_logarithmic {
            Axis::logarithmic(figure.unit)
        } else {
            Axis::linear(figure.unit)
        };
        draw(
            runs,
            figure.name,
            figure.title,
            axis,
            figure.columns,
            true,
            figure.seen,
        )
    });
    probes.chain(standard).collect()
}

/// A figure of the columns of all runs, or of the first column alone where there are several runs.
fn draw(
    runs: &[Table],
    name: &'static str,
    title: &str,
    axis: Axis,
    columns: &[(&str, &str)],
    compares_first: bool,
    seen: &str,
) -> Option<Plot> {
    let columns = match columns {
        [first, ..] if runs.len() > 1 && compares_first => std::slice::from_ref(first),
        all => all,
    };
    let mut series = Vec::new();
    for run in runs {
        for (column, label) in columns {
            let Some(points) = curve(run, column) else {
                continue;
            };
            let label = match (runs.len(), columns.len()) {
                (1, _) => (*label).to_owned(),
                (_, 1) => run.name.clone(),
                _ => format!("{}: {label}", run.name),
            };
            series.push(Series::thinned(label, &points, POINTS));
        }
    }
    let left_out = series.len().saturating_sub(MOST_CURVES);
    series.truncate(MOST_CURVES);
    if series.is_empty() {
        return None;
    }
    let title = match columns {
        [(_, label)] if runs.len() > 1 => format!("{title}: {label}"),
        _ => title.to_owned(),
    };
    let seen = match left_out {
        0 => seen.to_owned(),
        more => format!("{seen} {more} more are in metrics.csv."),
    };
    Some(Plot {
        name,
        title,
        x: Axis::linear("time [s]"),
        y: axis,
        series,
        seen,
    })
}

/// A column over time.
fn curve(run: &Table, column: &str) -> Option<Vec<(f64, f64)>> {
    let zip = |values: &[f64]| {
        run.times()
            .iter()
            .copied()
            .zip(values.iter().copied())
            .collect()
    };
    if column != "total_energy" {
        return run.column(column).map(zip);
    }
    let (kinetic, potential) = (run.column("kinetic_energy"), run.column("potential_energy"));
    match (kinetic, potential) {
        (Some(kinetic), Some(potential)) => {
            let sums: Vec<f64> = kinetic.iter().zip(potential).map(|(k, p)| k + p).collect();
            Some(zip(&sums))
        }
        (kinetic, potential) => kinetic.or(potential).map(zip),
    }
}
