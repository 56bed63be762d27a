//! The end of a strict run that runs away: which bodies, and a file of them.

use super::dump;
use crate::args::DumpName;
use drystone::Error;
use drystone::measure::Runaway;
use drystone::output::RunFolder;
use drystone::step::Simulation;
use serde_json::json;

/// Bodies that are listed.
const LISTED: usize = 5;

/// Writes `runaway.json` and the problem of the step, and says what happened.
pub(super) fn stop(
    folder: &RunFolder,
    scene: &str,
    step: u64,
    runaway: &Runaway,
    simulation: &Simulation,
) -> Error {
    let world = simulation.world();
    let name = |index: usize| match &world.bodies[index].name {
        Some(name) => format!("{index} (`{name}`)"),
        None => index.to_string(),
    };
    let mut fastest: Vec<usize> = (0..world.bodies.len()).collect();
    let speed = |index: &usize| world.bodies[*index].linear_velocity.norm();
    fastest.sort_by(|a, b| speed(b).total_cmp(&speed(a)));
    fastest.truncate(LISTED);
    let mut deepest: Vec<_> = simulation.contacts().iter().collect();
    deepest.sort_by(|a, b| a.separation.total_cmp(&b.separation));
    deepest.truncate(LISTED);

    let bodies: Vec<_> = world
        .bodies
        .iter()
        .map(|body| {
            let (at, q) = (body.pose.position, body.pose.orientation);
            json!({
                "name": body.name,
                "position": [at.x, at.y, at.z],
                "orientation_wxyz": [q.w, q.i, q.j, q.k],
                "linear_velocity": body.linear_velocity.as_slice(),
                "angular_velocity": body.angular_velocity.as_slice(),
            })
        })
        .collect();
    let contacts: Vec<_> = deepest
        .iter()
        .map(|contact| {
            json!({
                "bodies": contact.bodies,
                "position": contact.position.as_slice(),
                "normal": contact.normal.as_slice(),
                "separation": contact.separation,
            })
        })
        .collect();
    let problem = dump::problem(scene, step, simulation, true);
    let problem =
        problem.and_then(|problem| dump::write(folder, &problem, step, DumpName::Json).ok());
    let dump = json!({
        "step": step,
        "time": world.time,
        "why": runaway.to_string(),
        "again": format!("drystone run scene.toml --steps {step} --strict"),
        "problem": problem.as_deref().and_then(std::path::Path::file_name).map(|name| name.to_string_lossy()),
        "deepest_contacts": contacts,
        "bodies": bodies,
    });
    let written = folder.write("runaway.json", format!("{dump:#}\n").as_bytes());
    let where_to = match written {
        Ok(path) => path.display().to_string(),
        Err(why) => format!("no file ({why})"),
    };
    let listed: Vec<String> = fastest.into_iter().map(name).collect();
    let pair = deepest.first().map_or_else(String::new, |contact| {
        let [a, b] = contact.bodies.map(|body| name(body as usize));
        format!("; deepest contact: bodies {a} and {b}")
    });
    Error::invalid(
        format!("step {step}"),
        format!(
            "{runaway}; fastest bodies: {}{pair}; all of them are in {where_to}",
            listed.join(", ")
        ),
    )
}
