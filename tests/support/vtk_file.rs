//! A reader of VTK XML files: strict, and by itself.

#![allow(dead_code, reason = "each program uses a part")]

/// An array of a file, widened to f64.
pub(crate) struct Array {
    pub(crate) components: usize,
    pub(crate) values: Vec<f64>,
}

/// A file, to be parsed.
pub(crate) struct VtkFile {
    pub(crate) text: String,
}

impl VtkFile {
    pub(crate) fn piece(&self, attribute: &str) -> usize {
        let document = roxmltree::Document::parse(&self.text).unwrap();
        let piece = document
            .descendants()
            .find(|n| n.has_tag_name("Piece"))
            .unwrap();
        piece.attribute(attribute).unwrap().parse().unwrap()
    }

    /// Names of the arrays in a section.
    pub(crate) fn names(&self, section: &str) -> Vec<String> {
        let document = roxmltree::Document::parse(&self.text).unwrap();
        document
            .descendants()
            .filter(|n| n.has_tag_name("DataArray"))
            .filter(|n| n.parent().unwrap().has_tag_name(section))
            .map(|n| n.attribute("Name").unwrap().to_owned())
            .collect()
    }

    pub(crate) fn array(&self, section: &str, name: &str) -> Array {
        let document = roxmltree::Document::parse(&self.text).unwrap();
        let root = document.root_element();
        assert_eq!(root.attribute("byte_order"), Some("LittleEndian"));
        assert_eq!(root.attribute("header_type"), Some("UInt64"));
        let node = document
            .descendants()
            .find(|n| {
                n.has_tag_name("DataArray")
                    && n.attribute("Name") == Some(name)
                    && n.parent().unwrap().has_tag_name(section)
            })
            .unwrap_or_else(|| panic!("no array {name} in {section}"));
        assert_eq!(node.attribute("format"), Some("binary"));
        let bytes = decode_base64(node.text().unwrap().trim());
        let (length, content) = bytes.split_at(8);
        let length = u64::from_le_bytes(length.try_into().unwrap());
        assert_eq!(length as usize, content.len(), "length of {name}");
        let widen = |size: usize, value: &dyn Fn(&[u8]) -> f64| -> Vec<f64> {
            assert_eq!(content.len() % size, 0, "whole values in {name}");
            content.chunks(size).map(value).collect()
        };
        let values = match node.attribute("type").unwrap() {
            "Float64" => widen(8, &|b| f64::from_le_bytes(b.try_into().unwrap())),
            "Float32" => widen(4, &|b| f32::from_le_bytes(b.try_into().unwrap()).into()),
            "Int64" => widen(8, &|b| i64::from_le_bytes(b.try_into().unwrap()) as f64),
            "Int32" => widen(4, &|b| i32::from_le_bytes(b.try_into().unwrap()).into()),
            "UInt8" => widen(1, &|b| b[0].into()),
            other => panic!("type {other}"),
        };
        let components = node
            .attribute("NumberOfComponents")
            .map_or(1, |n| n.parse().unwrap());
        Array { components, values }
    }
}

fn decode_base64(text: &str) -> Vec<u8> {
    assert_eq!(text.len() % 4, 0, "base64 comes in groups of four");
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{} is no base64 digit", char::from(other)),
    };
    let mut bytes = Vec::new();
    for group in text.as_bytes().chunks(4) {
        let padding = group.iter().filter(|&&c| c == b'=').count();
        let word = group[..4 - padding]
            .iter()
            .fold(0_u32, |word, &c| word << 6 | u32::from(digit(c)))
            << (6 * padding);
        bytes.extend(&word.to_be_bytes()[1..4 - padding]);
    }
    bytes
}
