//! Surfaces in OBJ and STL files, and heights in text files.

use crate::constants::{MAX_MESH_BYTES, MAX_MESH_FACES, MAX_SCENE_LENGTH};
use crate::math::Vec3;
use crate::world::Flaw;
use std::collections::HashMap;
use std::path::Path;

/// Vertices, and the polygons between them.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Mesh {
    pub(super) vertices: Vec<Vec3>,
    pub(super) faces: Vec<Vec<u32>>,
    /// Where in the file each face is: its line, from 1, or the offset of its first byte.
    places: Vec<usize>,
    is_binary: bool,
}

impl Mesh {
    /// A message about a flaw that names the file, and the line or offset.
    pub(super) fn told(&self, path: &Path, flaw: &Flaw) -> String {
        let unit = if self.is_binary { "offset" } else { "line" };
        let place = |face: usize| self.places.get(face).copied().unwrap_or_default();
        let why = flaw.told(|face| format!("the one of {unit} {}", place(face)));
        let path = path.display();
        match flaw.face {
            Some(face) => format!("{path}: {unit} {}: {why}", place(face)),
            None => format!("{path}: {why}"),
        }
    }
}

/// Reads a mesh; the message of an error names the file, and the line or offset.
pub(super) fn read_mesh(path: &Path) -> Result<Mesh, String> {
    let named = |why: String| format!("{}: {why}", path.display());
    let bytes = read(path)?;
    let kind = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    let mesh = match kind.as_ref().and_then(|end| end.to_str()) {
        Some("obj") => obj(&bytes),
        Some("stl") => stl(&bytes),
        _ => Err("expected a file named .obj or .stl".to_owned()),
    };
    mesh.map_err(named)
}

/// Reads rows of heights, a row a line, its numbers separated by blanks or commas. Empty lines, and what follows a `#`, are left
/// out. The message of an error names the file and the line, and the column of a word that is no number.
pub(super) fn read_heights(path: &Path) -> Result<Vec<Vec<f64>>, String> {
    let named = |why: String| format!("{}: {why}", path.display());
    let bytes = read(path)?;
    let text = utf8(&bytes).map_err(named)?;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (line, text) in lines(text) {
        let wrong = |why: String| named(format!("line {line}: {why}"));
        let text = without_comment(text);
        let words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        let row = words.map(|word| {
            let number = word.parse().ok().filter(|x: &f64| x.is_finite());
            number.ok_or_else(|| {
                let before = word.as_ptr() as usize - text.as_ptr() as usize;
                let column = text[..before].chars().count() + 1;
                named(format!(
                    "line {line}, column {column}: `{}` is not a finite number",
                    shown(word)
                ))
            })
        });
        let row: Vec<f64> = row.collect::<Result<_, _>>()?;
        if row.is_empty() {
            continue;
        }
        if let Some(first) = rows.first()
            && first.len() != row.len()
        {
            return Err(wrong(format!(
                "{} heights, {} in the rows before",
                row.len(),
                first.len()
            )));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(named("there are no heights in it".to_owned()));
    }
    Ok(rows)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let named = |why: String| format!("{}: {why}", path.display());
    let about = std::fs::metadata(path).map_err(|error| named(error.to_string()))?;
    if !about.is_file() {
        return Err(named("this is not a file".to_owned()));
    }
    if about.len() > MAX_MESH_BYTES {
        return Err(named(format!(
            "{} bytes; at most {MAX_MESH_BYTES} are read",
            about.len()
        )));
    }
    std::fs::read(path).map_err(|error| named(error.to_string()))
}

/// The bytes as text.
fn utf8(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes)
        .map_err(|error| format!("offset {}: this byte is not UTF-8", error.valid_up_to()))
}

/// The lines of a text with their numbers, from 1. They end as on any system, and a mark of the order of bytes before the first is
/// no part of it.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines().flat_map(|line| line.split('\r')))
}

fn without_comment(line: &str) -> &str {
    line.split_once('#').map_or(line, |(before, _)| before)
}

/// The vertices and faces of a Wavefront OBJ file; what else it holds is not looked at.
fn obj(bytes: &[u8]) -> Result<Mesh, String> {
    let mut mesh = Mesh::default();
    let mut last = 1;
    // Names and comments may be in any encoding.
    let text = String::from_utf8_lossy(bytes);
    for (line, text) in lines(&text) {
        last = line;
        let wrong = |why: String| format!("line {line}: {why}");
        let mut words = without_comment(text).split_whitespace();
        match words.next() {
            Some("v") => mesh.vertices.push(vertex(words).map_err(wrong)?),
            Some("f") => {
                let corners = words.map(|word| corner(word, mesh.vertices.len()));
                let face: Vec<u32> = corners.collect::<Result<_, _>>().map_err(wrong)?;
                if face.len() < 3 {
                    return Err(wrong(format!("a face of {} vertices", face.len())));
                }
                if mesh.faces.len() == MAX_MESH_FACES {
                    return Err(wrong(format!("more than {MAX_MESH_FACES} faces")));
                }
                mesh.faces.push(face);
                mesh.places.push(line);
            }
            _ => {}
        }
    }
    if mesh.faces.is_empty() {
        return Err(nothing_until(last));
    }
    Ok(mesh)
}

/// The message about a text without faces.
fn nothing_until(last_line: usize) -> String {
    format!("line {last_line}: it ends, and there are no faces in it")
}

/// Three numbers that a scene may hold; a fourth, a weight, is left.
fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Vec3, String> {
    let mut vertex = Vec3::zeros();
    for (axis, x) in vertex.iter_mut().enumerate() {
        let name = ["x", "y", "z"][axis];
        let word = words.next().ok_or_else(|| format!("{name} is missing"))?;
        *x = word
            .parse()
            .ok()
            .filter(|x: &f64| x.is_finite())
            .ok_or_else(|| format!("{name} is `{}`, not a finite number", shown(word)))?;
        if x.abs() > MAX_SCENE_LENGTH {
            return Err(format!("{name} is `{}`, {}", shown(word), too_far()));
        }
    }
    Ok(vertex)
}

/// The end of a message about a coordinate.
fn too_far() -> String {
    format!("farther from 0 than {MAX_SCENE_LENGTH:e}")
}

/// The vertex in `v`, `v/vt`, `v//vn` or `v/vt/vn`, counted from 1, or backwards from -1.
fn corner(word: &str, count: usize) -> Result<u32, String> {
    let number = word.split('/').next().unwrap_or(word);
    let given: i64 = number
        .parse()
        .map_err(|_| format!("`{}` is not a vertex", shown(word)))?;
    let index = if given < 0 {
        count as i64 + given
    } else {
        given - 1
    };
    u32::try_from(index)
        .ok()
        .filter(|&index| (index as usize) < count)
        .ok_or_else(|| format!("vertex {given} does not exist: there are {count} before this line"))
}

/// The triangles of an STL file, of text or of bytes; equal corners become one vertex.
fn stl(bytes: &[u8]) -> Result<Mesh, String> {
    // Headers of bytes may begin as a text does. A text holds no zeros; a number of triangles that is not refused does.
    let start = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let start = start.trim_ascii_start().get(..5).unwrap_or_default();
    if start.eq_ignore_ascii_case(b"solid") && !bytes.contains(&0) {
        return text_stl(bytes);
    }
    const HEADER: usize = 84;
    const TRIANGLE: usize = 50;
    let Some(count) = bytes.get(80..HEADER) else {
        return Err(format!(
            "offset {}: it ends within its header of {HEADER} bytes",
            bytes.len()
        ));
    };
    let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize;
    if count > MAX_MESH_FACES {
        return Err(format!(
            "offset 80: {count} triangles; at most {MAX_MESH_FACES} are read (a file of text begins with `solid`)"
        ));
    }
    let body = &bytes[HEADER..];
    if body.len() < count * TRIANGLE {
        return Err(format!(
            "offset {}: it ends after {} of {count} triangles",
            bytes.len(),
            body.len() / TRIANGLE
        ));
    }
    // The count says how long the file is: one that is longer has another count, or was joined with something.
    if body.len() > count * TRIANGLE {
        return Err(format!(
            "offset {}: {} bytes follow after its {count} triangles",
            HEADER + count * TRIANGLE,
            body.len() - count * TRIANGLE
        ));
    }
    if count == 0 {
        return Err("offset 80: there are no faces in it".to_owned());
    }
    let mut weld = Weld::default();
    weld.mesh.is_binary = true;
    for (index, triangle) in body.chunks_exact(TRIANGLE).take(count).enumerate() {
        let number = |at: usize| {
            let bytes = &triangle[at..at + 4];
            f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        };
        let mut face = Vec::with_capacity(3);
        for corner in 0..3 {
            let at = 12 + 12 * corner;
            let vertex = Vec3::new(number(at), number(at + 4), number(at + 8));
            let is_wrong = |x: f64| !x.is_finite() || x.abs() > MAX_SCENE_LENGTH;
            if let Some(axis) = (0..3).find(|&k| is_wrong(vertex[k])) {
                let offset = HEADER + index * TRIANGLE + at + 4 * axis;
                let x = vertex[axis];
                return Err(if x.is_finite() {
                    format!("offset {offset}: {x:e} is {}", too_far())
                } else {
                    format!("offset {offset}: a number that is not finite")
                });
            }
            face.push(weld.vertex(vertex));
        }
        weld.mesh.faces.push(face);
        weld.mesh.places.push(HEADER + index * TRIANGLE);
    }
    Ok(weld.mesh)
}

fn text_stl(bytes: &[u8]) -> Result<Mesh, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut weld = Weld::default();
    let mut face: Option<Vec<u32>> = None;
    let (mut last, mut is_ended) = (0, false);
    for (line, text) in lines(&text) {
        last = line;
        let wrong = |why: String| format!("line {line}: {why}");
        let mut words = text.split_whitespace();
        let first = words.next().map(str::to_ascii_lowercase);
        match (first.as_deref(), &mut face) {
            (Some("facet"), None) => {
                face = Some(Vec::with_capacity(3));
                is_ended = false;
            }
            (Some("vertex"), Some(face)) => {
                let vertex = vertex(words).map_err(wrong)?;
                face.push(weld.vertex(vertex));
            }
            (Some("endfacet"), Some(corners)) => {
                if corners.len() != 3 {
                    return Err(wrong(format!("a triangle of {} corners", corners.len())));
                }
                if weld.mesh.faces.len() == MAX_MESH_FACES {
                    return Err(wrong(format!("more than {MAX_MESH_FACES} faces")));
                }
                weld.mesh.faces.push(std::mem::take(corners));
                weld.mesh.places.push(line);
                face = None;
            }
            (Some("endsolid"), None) => is_ended = true,
            (Some("facet" | "vertex" | "endfacet" | "endsolid"), _) => {
                return Err(wrong("it is out of place".to_owned()));
            }
            _ => {}
        }
    }
    if face.is_some() {
        return Err(format!("line {last}: it ends within a triangle"));
    }
    if !is_ended {
        return Err(format!("line {last}: it ends without `endsolid`"));
    }
    if weld.mesh.faces.is_empty() {
        return Err(nothing_until(last));
    }
    Ok(weld.mesh)
}

/// A mesh whose equal vertices are one.
#[derive(Default)]
struct Weld {
    mesh: Mesh,
    places: HashMap<[u64; 3], u32>,
}

impl Weld {
    fn vertex(&mut self, vertex: Vec3) -> u32 {
        // Zeros of either sign are one number.
        let bits = [vertex.x, vertex.y, vertex.z].map(|x| (x + 0.0).to_bits());
        *self.places.entry(bits).or_insert_with(|| {
            self.mesh.vertices.push(vertex);
            self.mesh.vertices.len() as u32 - 1
        })
    }
}

/// A word of a file as a message may show it.
fn shown(word: &str) -> String {
    word.chars()
        .take(40)
        .flat_map(char::escape_default)
        .collect()
}
