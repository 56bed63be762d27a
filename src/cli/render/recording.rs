//! Frames that a run has written: where bodies were, without running anything again.

use super::snapshot::Snapshot;
use drystone::math::{Pose, Quat, Vec3};
use drystone::{Error, Result};
use roxmltree::{Document, Node};
use std::path::{Path, PathBuf};

/// The frames of a run that say where every body was, in order of time. Those of surfaces do not.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recording {
    /// Time `[s]` and file of each.
    frames: Vec<(f64, PathBuf)>,
    bodies: usize,
}

impl Recording {
    /// The recording in the folder of a run of so many bodies; nothing if there is none, or one of surfaces.
    ///
    /// # Errors
    /// [`Error::Invalid`] if its collection or its first frame cannot be read.
    pub(crate) fn open(run: &Path, bodies: usize) -> Result<Option<Self>> {
        let Some(collection) = collection_in(run)? else {
            return Ok(None);
        };
        let text = read(&collection)?;
        let document = parse(&collection, &text)?;
        let mut frames = Vec::new();
        for set in document
            .descendants()
            .filter(|node| node.has_tag_name("DataSet"))
        {
            let time = set.attribute("timestep").and_then(|time| time.parse().ok());
            let (Some(time), Some(file)) = (time, set.attribute("file")) else {
                return Err(wrong(&collection, "a DataSet without timestep or file"));
            };
            frames.push((time, run.join(file)));
        }
        frames.sort_by(|(a, _): &(f64, _), (b, _)| a.total_cmp(b));
        let recording = Self { frames, bodies };
        let Some((_, first)) = recording.frames.first() else {
            return Ok(None);
        };
        let text = read(first)?;
        let has_bodies = array(&parse(first, &text)?, "orientation").is_some();
        Ok(has_bodies.then_some(recording))
    }

    /// Times of the frames `[s]`.
    #[cfg(feature = "view")]
    pub(crate) fn times(&self) -> impl ExactSizeIterator<Item = f64> {
        self.frames.iter().map(|(time, _)| *time)
    }

    /// The frame next to a time, if one is as near as that `[s]`.
    pub(crate) fn at(&self, time: f64, near: f64) -> Option<usize> {
        let after = self.frames.partition_point(|(other, _)| *other < time);
        let distance = |index: &usize| (self.frames[*index].0 - time).abs();
        [after.checked_sub(1), Some(after)]
            .into_iter()
            .flatten()
            .filter(|index| *index < self.frames.len() && distance(index) <= near)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// Reads a frame.
    ///
    /// # Errors
    /// [`Error::Io`] if it is not there, [`Error::Invalid`] if it cannot be read or is of other bodies.
    pub(crate) fn frame(&self, index: usize) -> Result<Snapshot> {
        let (time, path) = &self.frames[index];
        let text = read(path)?;
        let document = parse(path, &text)?;
        let numbers = |name: &str, parts: usize| {
            let node = array(&document, name)
                .ok_or_else(|| wrong(path, &format!("there is no array \"{name}\"")))?;
            let numbers =
                decode(&node).map_err(|why| wrong(path, &format!("\"{name}\": {why}")))?;
            if numbers.len() == parts * self.bodies && numbers.iter().all(|n| n.is_finite()) {
                return Ok(numbers);
            }
            Err(wrong(
                path,
                &format!(
                    "\"{name}\" has {} numbers; expected {parts} finite ones of each of the scene's {} bodies",
                    numbers.len(),
                    self.bodies
                ),
            ))
        };
        let positions = numbers("Points", 3)?;
        let orientations = numbers("orientation", 4)?;
        let velocities = numbers("velocity", 3)?;
        let vector = |three: &[f64]| Vec3::new(three[0], three[1], three[2]);
        let poses = positions.chunks_exact(3).zip(orientations.chunks_exact(4));
        let poses = poses.map(|(at, q)| {
            let q = nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]);
            Quat::try_new(q, 1e-3).map(|q| Pose::new(vector(at), q))
        });
        let poses: Option<Vec<Pose>> = poses.collect();
        let poses = poses.ok_or_else(|| wrong(path, "an orientation is no rotation"))?;
        let velocities = velocities.chunks_exact(3).map(vector).collect();
        Ok(Snapshot::recorded(*time, poses, velocities))
    }
}

/// The `.pvd` in a folder; nothing if there is none or more than one.
fn collection_in(run: &Path) -> Result<Option<PathBuf>> {
    let mut found = None;
    for entry in std::fs::read_dir(run).map_err(|why| Error::io(run, why))? {
        let path = entry.map_err(|why| Error::io(run, why))?.path();
        if path.extension().is_some_and(|ending| ending == "pvd") && found.replace(path).is_some() {
            return Ok(None);
        }
    }
    Ok(found)
}

fn wrong(path: &Path, why: &str) -> Error {
    Error::invalid(path.display().to_string(), why)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|why| Error::io(path, why))
}

fn parse<'a>(path: &Path, text: &'a str) -> Result<Document<'a>> {
    Document::parse(text).map_err(|why| wrong(path, &why.to_string()))
}

/// The array of a name, whatever it is on.
fn array<'a, 'input>(document: &'a Document<'input>, name: &str) -> Option<Node<'a, 'input>> {
    document
        .descendants()
        .find(|node| node.has_tag_name("DataArray") && node.attribute("Name") == Some(name))
}

/// The numbers of an array: its length in bytes, and little-endian numbers, as base 64.
fn decode(array: &Node<'_, '_>) -> Result<Vec<f64>, String> {
    if array.attribute("format") != Some("binary") {
        return Err("expected numbers in place, as base 64".into());
    }
    let bytes = from_base64(array.text().unwrap_or("").trim()).ok_or("it is no base 64")?;
    let (length, values) = bytes.split_first_chunk().ok_or("it is cut short")?;
    if u64::from_le_bytes(*length) != values.len() as u64 {
        return Err("it is not as long as it says".into());
    }
    match array.attribute("type") {
        Some("Float32") => Ok(values
            .as_chunks()
            .0
            .iter()
            .map(|four| f64::from(f32::from_le_bytes(*four)))
            .collect()),
        Some("Float64") => Ok(values
            .as_chunks()
            .0
            .iter()
            .map(|eight| f64::from_le_bytes(*eight))
            .collect()),
        other => Err(format!(
            "numbers of type {other:?}; expected Float32 or Float64"
        )),
    }
}

/// The bytes of a base 64 text (RFC 4648, section 4); nothing if it is none.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut word, mut bits) = (0_u32, 0);
    for digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        word = word << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
        }
    }
    text.len().is_multiple_of(4).then_some(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_as_it_is_written() {
        for length in 0..50 {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 37 + 11) as u8).collect();
            let text = crate::html::base64(&bytes);
            assert_eq!(from_base64(&text), Some(bytes));
        }
        assert_eq!(from_base64("Zg=="), Some(b"f".to_vec()));
        assert_eq!(from_base64("Zg="), None);
        assert_eq!(from_base64("Z!=="), None);
    }

    #[test]
    fn the_nearest_frame_is_found() {
        let frames = [0.0, 0.5, 1.0].map(|time| (time, PathBuf::new())).to_vec();
        let recording = Recording { frames, bodies: 1 };
        for (time, near, index) in [
            (0.0, 0.01, Some(0)),
            (0.49, 0.02, Some(1)),
            (0.51, 0.02, Some(1)),
            (0.3, 0.02, None),
            (1.2, 0.25, Some(2)),
            (9.0, 0.25, None),
        ] {
            assert_eq!(recording.at(time, near), index, "{time}");
        }
    }
}
