//! Final states as the files that other harnesses write and read.

use crate::metric::{self, BodyState};
use crate::scene::Scene;
use std::fmt::Write as _;
use std::path::Path;

const HEADER: &str = "id,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz";

/// Writes the states of a scene's bodies, nine digits behind the point.
pub(crate) fn write(path: &Path, states: &[BodyState]) -> Result<(), String> {
    let mut text = format!("{HEADER}\n");
    for (id, state) in states.iter().enumerate() {
        let _ = write!(text, "{id}");
        let numbers = state.position.iter().chain(&state.orientation);
        for number in numbers
            .chain(&state.linear_velocity)
            .chain(&state.angular_velocity)
        {
            let _ = write!(text, ",{number:.9}");
        }
        text.push('\n');
    }
    std::fs::write(path, text).map_err(|why| format!("{}: {why}", path.display()))
}

/// Reads the states of a scene's bodies; those that the file does not name, and fixed ones, are where
/// they started.
pub(crate) fn read(path: &Path, scene: &Scene) -> Result<Vec<BodyState>, String> {
    let text = std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let mut states = metric::start(scene);
    for (line, row) in text.lines().enumerate().skip(1) {
        let numbers: Vec<f64> = row
            .split(',')
            .map(|word| word.trim().parse().unwrap_or(f64::NAN))
            .collect();
        let wrong = || format!("{}:{}: not a row of {HEADER}", path.display(), line + 1);
        let [id, rest @ ..] = numbers.as_slice() else {
            return Err(wrong());
        };
        let rest: &[f64; 13] = rest.try_into().map_err(|_| wrong())?;
        let index = *id as usize;
        if !(*id >= 0.0 && index < states.len()) {
            return Err(wrong());
        }
        if scene.bodies[index].is_dynamic {
            let three = |at: usize| [rest[at], rest[at + 1], rest[at + 2]];
            states[index] = BodyState {
                position: three(0),
                orientation: [rest[3], rest[4], rest[5], rest[6]],
                linear_velocity: three(7),
                angular_velocity: three(10),
            };
        }
    }
    Ok(states)
}
