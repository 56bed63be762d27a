//! VTK's XML file format, data in place as uncompressed base64.
//!
//! After the VTK file formats document, section *XML file formats*: an array is the base64 text of
//! its length in bytes (`UInt64`) followed by its little-endian values.

use super::FrameFormat;
use super::geometry::{Attribute, Geometry, Values};
use std::fmt::Write as _;

/// Cell types of VTK.
const VERTEX: u8 = 1;
const TRIANGLE: u8 = 5;
const POLYGON: u8 = 7;
const QUAD: u8 = 9;

/// A whole file.
pub(super) fn document(
    geometry: &Geometry,
    attributes: &[Attribute],
    time: f64,
    format: FrameFormat,
) -> String {
    let kind = match format {
        FrameFormat::Vtp => "PolyData",
        FrameFormat::Vtu => "UnstructuredGrid",
    };
    let mut xml = Document::default();
    xml.line("<?xml version=\"1.0\"?>");
    xml.line(&format!(
        "<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
    ));
    xml.line(&format!("<{kind}>"));
    xml.line("<FieldData>");
    xml.array(
        "Float64",
        "Name=\"TimeValue\" NumberOfTuples=\"1\"",
        &time.to_le_bytes(),
    );
    xml.line("</FieldData>");
    match format {
        FrameFormat::Vtp => {
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
        FrameFormat::Vtu => xml.line(&format!(
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
    let cells = match format {
        FrameFormat::Vtp if geometry.is_point_cloud => "Verts",
        FrameFormat::Vtp => "Polys",
        FrameFormat::Vtu => "Cells",
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
    if format == FrameFormat::Vtu {
        xml.array("UInt8", "Name=\"types\"", &cell_types(geometry));
    }
    xml.line(&format!("</{cells}>"));
    let data = if geometry.is_point_cloud {
        "PointData"
    } else {
        "CellData"
    };
    xml.line(&format!("<{data} Scalars=\"speed\" Vectors=\"velocity\">"));
    for attribute in attributes {
        let (kind, content) = match &attribute.values {
            Values::I32(values) => ("Int32", bytes(values, i32::to_le_bytes)),
            Values::U8(values) => ("UInt8", values.clone()),
            Values::F32(values) => ("Float32", bytes(values, f32::to_le_bytes)),
        };
        xml.array(
            kind,
            &format!(
                "Name=\"{}\" NumberOfComponents=\"{}\"",
                attribute.name, attribute.components
            ),
            &content,
        );
    }
    xml.line(&format!("</{data}>"));
    xml.line("</Piece>");
    xml.line(&format!("</{kind}>"));
    xml.line("</VTKFile>");
    xml.text
}

/// VTK's type of every cell.
fn cell_types(geometry: &Geometry) -> Vec<u8> {
    let mut start = 0;
    geometry
        .offsets
        .iter()
        .map(|&end| {
            let corners = end - start;
            start = end;
            match corners {
                1 => VERTEX,
                3 => TRIANGLE,
                4 => QUAD,
                _ => POLYGON,
            }
        })
        .collect()
}

#[derive(Default)]
struct Document {
    text: String,
}

impl Document {
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

fn bytes<T: Copy, const N: usize>(values: &[T], to_bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| to_bytes(value)).collect()
}

/// Appends the base64 text of some bytes (RFC 4648, section 4).
fn base64(bytes: &[u8], text: &mut String) {
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

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_of_the_rfc_4648_test_vectors() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut text = String::new();
            base64(plain.as_bytes(), &mut text);
            assert_eq!(text, coded);
        }
    }
}
