//! Words in the corner of a window: time, numbers, keys.

use super::player::{Facts, Moment};
use super::residuals::Residuals;
use crate::console::{number, scientific};
use crate::image::{Image, PAPER};
use crate::render::{ColorBy, Legend, Look, SCALE_WIDTH};
use drystone::Result;

/// Height of the curves, in lines of text.
const CURVE_ROWS: u32 = 4;

/// Text of the panel beside the moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Controls {
    pub(super) look: Look,
    /// Wanted simulated seconds a second.
    pub(super) pace: f64,
    /// True if keys and mouse are explained.
    pub(super) explains: bool,
    /// True if the residuals of the last steps are drawn.
    pub(super) curves: bool,
}

/// State of a run in a few words: `0.35 s, paused`.
pub(super) fn state(moment: &Moment) -> String {
    let what = match (&moment.failure, moment.is_running) {
        (Some(_), _) => "failed",
        (None, true) => "running",
        (None, false) => "paused",
    };
    format!("{:.3} s, {what}", moment.snapshot.time)
}

/// Lines of the panel.
fn lines(moment: &Moment, controls: &Controls) -> Vec<String> {
    let mut first = state(moment);
    if moment.is_running {
        let wanted = number(controls.pace);
        first = match moment.pace {
            Some(pace) => format!("{first} at {pace:.2} of {wanted} s/s"),
            None => format!("{first} at {wanted} s/s"),
        };
    }
    let mut lines = vec![first];
    match &moment.facts {
        Facts::Live {
            step,
            energy: [kinetic, potential],
            contacts,
            overlap,
            joint_error,
            residuals,
        } => {
            lines.push(match residuals.last() {
                Some([rms, max]) => format!(
                    "step {step}, residual {} m/s rms, {} at most",
                    scientific(rms),
                    scientific(max)
                ),
                None => format!("step {step}"),
            });
            let (kinetic, potential) = (number(*kinetic), number(*potential));
            lines.push(format!(
                "energy {kinetic} J kinetic, {potential} J potential"
            ));
            let mut holds = format!("{contacts} contacts, overlap {} m", scientific(*overlap));
            if let Some(error) = joint_error {
                holds += &format!(", joints off by {} m", scientific(*error));
            }
            lines.push(holds);
        }
        Facts::Recorded { frame, frames } => lines.push(format!("frame {frame} of {frames}")),
    }
    if let Some(why) = &moment.failure {
        lines.push(format!("stopped: {why}"));
    }
    if controls.explains {
        lines.push(String::new());
        lines.extend(keys(
            controls,
            matches!(moment.facts, Facts::Recorded { .. }),
        ));
    } else {
        lines.push("H: keys".into());
    }
    lines
}

/// Keys and mouse, as they are for what is shown.
fn keys(controls: &Controls, is_recorded: bool) -> Vec<String> {
    let look = &controls.look;
    let shown = |is_shown: bool| if is_shown { "hide" } else { "show" };
    let color = match look.color {
        ColorBy::Group => "group",
        ColorBy::Material => "material",
        ColorBy::Size => "size",
        ColorBy::Speed => "speed",
        ColorBy::Force => "force",
        ColorBy::Cluster => "cluster",
    };
    let mut lines = vec!["Space: run, pause    . or Right: one step    R: start again".to_owned()];
    if is_recorded {
        lines.push("Left: one frame back    + and -: pace".to_owned());
    } else {
        lines.push("+ and -: pace".to_owned());
    }
    lines.push(format!("C: colour by the next quantity (now {color})"));
    if !is_recorded {
        let (forces, contacts) = (shown(look.forces), shown(look.contacts));
        let curves = shown(controls.curves);
        lines.push(format!(
            "F: {forces} forces    K: {contacts} contacts    E: {curves} residuals"
        ));
    }
    lines.push(format!(
        "J: {} joints    A: see all    V: first view    H: hide keys    Q: quit",
        shown(look.joints)
    ));
    if !is_recorded {
        lines.push("Drag a body to pull at it.".to_owned());
    }
    lines.push("Drag beside bodies, or with the right button: turn".to_owned());
    lines.push("Middle button, or Shift and drag: move    wheel: nearer, farther".to_owned());
    lines
}

/// The panel of a moment; `size` is that of its text `[pixels]`.
///
/// # Errors
/// [`drystone::Error::Invalid`] if there is no font for its words.
pub(super) fn panel(
    moment: &Moment,
    controls: &Controls,
    legend: Option<&Legend>,
    size: u32,
    widest: u32,
) -> Result<Image> {
    let lines = lines(moment, controls);
    let legend = legend.map(Legend::words);
    let residuals = match &moment.facts {
        Facts::Live { residuals, .. } if controls.curves => Some(residuals),
        Facts::Live { .. } | Facts::Recorded { .. } => None,
    };
    let about = residuals.and_then(Residuals::words);
    let mut width = size * SCALE_WIDTH;
    for line in lines.iter().chain(&legend).chain(&about) {
        width = width.max(Image::width_of(line, size)?);
    }
    let (margin, pitch) = (size * 3 / 4, size * 4 / 3);
    let mut rows = lines.len() as u32;
    if legend.is_some() {
        rows += 2;
    }
    if about.is_some() {
        rows += 1 + CURVE_ROWS;
    }
    let width = (width + 2 * margin).min(widest.max(1));
    let mut image = Image::plain(width, rows * pitch + margin, PAPER);
    let mut middle = margin / 2 + pitch / 2;
    for line in lines.iter().chain(&legend) {
        image.write(line, (margin as i32, middle as i32), size, false)?;
        middle += pitch;
    }
    if legend.is_some() {
        let columns = margin..margin + size * SCALE_WIDTH;
        image.scale(columns, middle - pitch / 4, size);
        middle += pitch;
    }
    if let (Some(residuals), Some(about)) = (residuals, about) {
        image.write(&about, (margin as i32, middle as i32), size, false)?;
        let part = [
            margin,
            middle + pitch * 3 / 4,
            width.saturating_sub(2 * margin),
            (CURVE_ROWS * pitch).saturating_sub(pitch / 2),
        ];
        residuals.draw(&mut image, part.map(|pixels| pixels as i32))?;
    }
    Ok(image)
}
