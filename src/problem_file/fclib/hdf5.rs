//! Datasets of an HDF5 file, by their paths.

use crate::error::{Error, Result};
use crate::problem_file::whole;
use hdf5_reader::{Dataset, Datatype, Hdf5File, OpenOptions};
use std::path::Path;

/// By how much a file's data may be compressed, at most: what deflate can.
const MAX_COMPRESSION: usize = 1032;

/// An HDF5 file in memory.
pub(super) struct Hdf5<'a> {
    path: &'a Path,
    file: Hdf5File,
    bytes: usize,
}

impl<'a> Hdf5<'a> {
    /// # Errors
    /// [`Error::File`] if it is none.
    pub(super) fn open(path: &'a Path, content: Vec<u8>) -> Result<Self> {
        let bytes = content.len();
        let most = bytes.saturating_mul(MAX_COMPRESSION);
        let options = OpenOptions::default()
            .with_max_read_bytes(most)
            .with_max_chunk_bytes(most)
            .with_max_object_header_bytes(bytes);
        let file = Hdf5File::from_vec_with_options(content, options)
            .map_err(|why| whole(path, format!("not an HDF5 file, or one cut off: {why}")))?;
        let end = file.superblock().eof_address;
        if end > bytes as u64 {
            let why = format!("cut off: {bytes} bytes of {end}");
            return Err(whole(path, why));
        }
        Ok(Self { path, file, bytes })
    }

    /// A mistake in a dataset or a group.
    pub(super) fn wrong(&self, field: &str, why: impl Into<String>) -> Error {
        Error::File {
            path: self.path.to_owned(),
            line_column: None,
            field: field.to_owned(),
            why: why.into(),
        }
    }

    /// Most numbers that a file of this size can hold.
    pub(super) fn most_elements(&self) -> usize {
        (self.bytes / 4).saturating_mul(MAX_COMPRESSION)
    }

    pub(super) fn has_group(&self, path: &str) -> bool {
        self.file.group(path).is_ok()
    }

    /// A text, or nothing.
    pub(super) fn title(&self, path: &str) -> String {
        let text = self.file.dataset(path).and_then(|set| set.read_string());
        text.unwrap_or_default()
    }

    /// One whole number.
    pub(super) fn int(&self, path: &str) -> Result<i64> {
        match self.ints(path)?[..] {
            [number] => Ok(number),
            ref numbers => {
                Err(self.wrong(path, format!("{} numbers; one is expected", numbers.len())))
            }
        }
    }

    /// Indices, from 0.
    pub(super) fn indices(&self, path: &str) -> Result<Vec<u32>> {
        let index = |(at, number): (usize, i64)| {
            u32::try_from(number)
                .map_err(|_| self.wrong(&format!("{path}[{at}]"), format!("{number} is no index")))
        };
        self.ints(path)?
            .into_iter()
            .enumerate()
            .map(index)
            .collect()
    }

    /// Numbers, all of them finite.
    pub(super) fn numbers(&self, path: &str) -> Result<Vec<f64>> {
        let set = self.dataset(path)?;
        let numbers = match set.dtype() {
            Datatype::FloatingPoint { size: 8, .. } => self.read::<f64>(path, &set)?,
            Datatype::FloatingPoint { size: 4, .. } => {
                let numbers = self.read::<f32>(path, &set)?;
                numbers.into_iter().map(f64::from).collect()
            }
            other => {
                let why = format!("{other:?}; numbers of 64 or 32 bits are expected");
                return Err(self.wrong(path, why));
            }
        };
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(at) => {
                let why = format!("{} is not finite", numbers[at]);
                Err(self.wrong(&format!("{path}[{at}]"), why))
            }
            None => Ok(numbers),
        }
    }

    /// So many numbers.
    pub(super) fn vector(&self, path: &str, count: usize) -> Result<Vec<f64>> {
        let numbers = self.numbers(path)?;
        if numbers.len() != count {
            let why = format!("{} numbers; {count} are expected", numbers.len());
            return Err(self.wrong(path, why));
        }
        Ok(numbers)
    }

    fn ints(&self, path: &str) -> Result<Vec<i64>> {
        let set = self.dataset(path)?;
        match set.dtype() {
            Datatype::FixedPoint {
                size: 4,
                signed: true,
                ..
            } => {
                let numbers = self.read::<i32>(path, &set)?;
                Ok(numbers.into_iter().map(i64::from).collect())
            }
            Datatype::FixedPoint {
                size: 8,
                signed: true,
                ..
            } => self.read::<i64>(path, &set),
            other => {
                let why = format!("{other:?}; signed whole numbers of 32 or 64 bits are expected");
                Err(self.wrong(path, why))
            }
        }
    }

    fn dataset(&self, path: &str) -> Result<Dataset> {
        self.file
            .dataset(path)
            .map_err(|why| self.wrong(path, shortened(path, &why)))
    }

    fn read<T: hdf5_reader::H5Type>(&self, path: &str, set: &Dataset) -> Result<Vec<T>> {
        let array = set
            .read_array::<T>()
            .map_err(|why| self.wrong(path, shortened(path, &why)))?;
        Ok(array.into_iter().collect())
    }
}

/// A message without the path that it begins with.
fn shortened(path: &str, why: &hdf5_reader::error::Error) -> String {
    let message = why.to_string();
    let rest = message.strip_prefix(path);
    rest.map_or(message.as_str(), |rest| rest.trim_start_matches([':', ' ']))
        .to_owned()
}
