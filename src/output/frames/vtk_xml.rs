//! VTK's XML file format, data in place as uncompressed base64, and a `.pvd` collection that gives ParaView the times of the frames:
//! `.vtp`, and `.vtu` for readers that know unstructured grids only, such as meshio.
//!
//! After the VTK file formats document, section *XML file formats*: an array is the base64 text of
//! its length in bytes (`UInt64`) followed by its little-endian values.

use super::piece::{self, Attribute, Piece, Values, bytes};
use super::series::Series;
use super::{FrameContent, FrameOptions, Recorder};
use crate::math::{Mat3, Vec3};
use crate::measure::{self, Field, FieldGrid, Seen};
use crate::output::RunFolder;
use crate::world::World;
use std::fmt::Write as _;

/// The kind of data in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Polygonal.
    PolyData,
    /// Cells of any kind.
    UnstructuredGrid,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::PolyData => "PolyData",
            Self::UnstructuredGrid => "UnstructuredGrid",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::PolyData => "vtp",
            Self::UnstructuredGrid => "vtu",
        }
    }
}

/// Files of the bodies.
pub(super) fn recorders(
    folder: &RunFolder,
    stem: &str,
    options: &FrameOptions,
    kind: Kind,
) -> Vec<Box<dyn Recorder>> {
    let content = options.content;
    let bodies = move |seen: &Seen<'_>| piece::bodies(seen.world, content);
    let mut recorders = vec![series(folder, stem.to_owned(), kind, Box::new(bodies))];
    if options.contacts {
        recorders.push(contacts(folder, stem, kind));
    }
    recorders
}

/// Files of the contacts.
pub(super) fn contacts(folder: &RunFolder, stem: &str, kind: Kind) -> Box<dyn Recorder> {
    let stem = format!("{stem}_contacts");
    series(folder, stem, kind, Box::new(piece::contacts))
}

/// Files of a part of the state.
fn series(
    folder: &RunFolder,
    stem: String,
    kind: Kind,
    piece: Box<dyn Fn(&Seen<'_>) -> Piece + Send>,
) -> Box<dyn Recorder> {
    Box::new(Series {
        folder: folder.clone(),
        stem,
        extension: kind.extension(),
        is_collected: true,
        content: Box::new(move |frame| {
            let seen = &frame.seen;
            Ok(document(&piece(seen), seen.world.time, kind).into_bytes())
        }),
    })
}

/// Files of the fields on a grid.
pub(super) fn fields(folder: &RunFolder, stem: &str, grid: &FieldGrid) -> Box<dyn Recorder> {
    let grid = *grid;
    Box::new(Series {
        folder: folder.clone(),
        stem: format!("{stem}_fields"),
        extension: "vti",
        is_collected: true,
        content: Box::new(move |frame| {
            let cells = measure::fields(&grid, &frame.seen);
            Ok(image(&grid, &cells, frame.seen.world.time).into_bytes())
        }),
    })
}

/// Fields as the text of a file.
fn image(grid: &FieldGrid, cells: &[Field], time: f64) -> String {
    let joined = |numbers: &mut dyn Iterator<Item = String>| {
        let numbers: Vec<String> = numbers.collect();
        numbers.join(" ")
    };
    let extent = joined(&mut grid.cells().iter().map(|count| format!("0 {count}")));
    let three = |vector: Vec3| joined(&mut vector.iter().map(|part| format!("{part:?}")));
    let mut xml = Document::default();
    xml.begin(
        "ImageData",
        &format!(
            " WholeExtent=\"{extent}\" Origin=\"{}\" Spacing=\"{}\"",
            three(grid.min()),
            three(grid.spacing())
        ),
    );
    xml.time(time);
    xml.line(&format!("<Piece Extent=\"{extent}\">"));
    let numbers = |values: &dyn Fn(&Field) -> f64| {
        Values::F32(cells.iter().map(|cell| values(cell) as f32).collect())
    };
    let vectors = |values: &dyn Fn(&Field) -> Vec3| {
        let parts = cells.iter().map(values);
        Values::F32(
            parts
                .flat_map(|v| [v.x as f32, v.y as f32, v.z as f32])
                .collect(),
        )
    };
    let tensors = |values: &dyn Fn(&Field) -> Mat3| {
        let rows = cells.iter().map(|cell| values(cell).transpose());
        Values::F32(
            rows.flat_map(|rows| rows.map(|part| part as f32).as_slice().to_vec())
                .collect(),
        )
    };
    let attributes = [
        Attribute::new("density", 1, numbers(&|cell| cell.density)),
        Attribute::new("momentum", 3, vectors(&|cell| cell.momentum)),
        Attribute::new("velocity", 3, vectors(&|cell| cell.velocity)),
        Attribute::new("kinetic_stress", 9, tensors(&|cell| cell.kinetic_stress)),
        Attribute::new("contact_stress", 9, tensors(&|cell| cell.contact_stress)),
        Attribute::new("joint_stress", 9, tensors(&|cell| cell.joint_stress)),
        Attribute::new("boundary_force", 3, vectors(&|cell| cell.boundary_force)),
    ];
    xml.attributes("CellData", ["density", "velocity"], &attributes);
    xml.line("</Piece>");
    xml.end("ImageData");
    xml.text
}

/// The bodies of a world as the text of a file.
#[must_use]
pub fn bodies(world: &World, content: FrameContent, kind: Kind) -> String {
    document(&piece::bodies(world, content), world.time, kind)
}

/// A whole file.
fn document(piece: &Piece, time: f64, kind: Kind) -> String {
    let geometry = &piece.geometry;
    let mut xml = Document::default();
    xml.begin(kind.name(), "");
    xml.time(time);
    match kind {
        Kind::PolyData => {
            let (verts, polys) = if geometry.is_point_cloud {
                (geometry.cell_count(), 0)
            } else {
                (0, geometry.cell_count())
            };
            xml.line(&format!(
                "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{verts}\" NumberOfLines=\"0\" \
                 NumberOfStrips=\"0\" NumberOfPolys=\"{polys}\">",
                geometry.point_count()
            ));
        }
        Kind::UnstructuredGrid => xml.line(&format!(
            "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">",
            geometry.point_count(),
            geometry.cell_count()
        )),
    }
    xml.line("<Points>");
    xml.array(
        "Float64",
        "Name=\"Points\" NumberOfComponents=\"3\"",
        &bytes(&geometry.points, f64::to_le_bytes),
    );
    xml.line("</Points>");
    let cells = match kind {
        Kind::PolyData if geometry.is_point_cloud => "Verts",
        Kind::PolyData => "Polys",
        Kind::UnstructuredGrid => "Cells",
    };
    xml.line(&format!("<{cells}>"));
    for (name, values) in [
        ("connectivity", &geometry.connectivity),
        ("offsets", &geometry.offsets),
    ] {
        xml.array(
            "Int64",
            &format!("Name=\"{name}\""),
            &bytes(values, i64::to_le_bytes),
        );
    }
    if kind == Kind::UnstructuredGrid {
        xml.array("UInt8", "Name=\"types\"", &geometry.cell_types());
    }
    xml.line(&format!("</{cells}>"));
    let data = if geometry.is_point_cloud {
        "PointData"
    } else {
        "CellData"
    };
    xml.attributes(data, piece.shown, &piece.attributes);
    xml.line("</Piece>");
    xml.end(kind.name());
    xml.text
}

#[derive(Default)]
struct Document {
    text: String,
}

impl Document {
    fn begin(&mut self, kind: &str, about: &str) {
        self.line("<?xml version=\"1.0\"?>");
        self.line(&format!(
            "<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
        ));
        self.line(&format!("<{kind}{about}>"));
    }

    fn end(&mut self, kind: &str) {
        self.line(&format!("</{kind}>"));
        self.line("</VTKFile>");
    }

    fn time(&mut self, time: f64) {
        self.line("<FieldData>");
        self.array(
            "Float64",
            "Name=\"TimeValue\" NumberOfTuples=\"1\"",
            &time.to_le_bytes(),
        );
        self.line("</FieldData>");
    }

    /// A section of arrays; `shown` are the scalars and the vectors that are shown first.
    fn attributes(&mut self, section: &str, shown: [&str; 2], attributes: &[Attribute]) {
        let [scalars, vectors] = shown;
        self.line(&format!(
            "<{section} Scalars=\"{scalars}\" Vectors=\"{vectors}\">"
        ));
        for attribute in attributes {
            let kind = match &attribute.values {
                Values::I32(_) => "Int32",
                Values::U8(_) => "UInt8",
                Values::F32(_) => "Float32",
            };
            let content = attribute.values.to_bytes();
            self.array(
                kind,
                &format!(
                    "Name=\"{}\" NumberOfComponents=\"{}\"",
                    attribute.name, attribute.components
                ),
                &content,
            );
        }
        self.line(&format!("</{section}>"));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn array(&mut self, kind: &str, attributes: &str, content: &[u8]) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.text,
            "<DataArray type=\"{kind}\" {attributes} format=\"binary\">"
        );
        let mut block = Vec::with_capacity(8 + content.len());
        block.extend((content.len() as u64).to_le_bytes());
        block.extend(content);
        base64(&block, &mut self.text);
        self.text.push_str("\n</DataArray>\n");
    }
}

/// Appends the base64 text of some bytes (RFC 4648, section 4).
pub fn base64(bytes: &[u8], text: &mut String) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text.reserve(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut word = 0;
        for place in 0..3 {
            word = word << 8 | u32::from(group.get(place).copied().unwrap_or(0));
        }
        for place in 0..4 {
            if place <= group.len() {
                let digit = word >> (18 - 6 * place) & 63;
                text.push(char::from(ALPHABET[digit as usize]));
            } else {
                text.push('=');
            }
        }
    }
}
