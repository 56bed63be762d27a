//! Meshes in scene files: from files and numbers, hoppers, drums, and what is refused.

use crate::flows::{Discharge, beverloo, discharge, drum_angle, granular};
use drystone::internals::vtk::{Kind, frame};
use drystone::output::FrameContent;
use drystone::scene::{Overrides, Scene};
use drystone::world::{BodyKind, Motion, Shape, TriangleMesh};
use std::path::Path;
use tempfile::TempDir;

/// A scene with one body of this shape, fixed.
fn text(shape: &str, kind: &str) -> String {
    format!(
        "name = \"one\"\n[simulation]\ndt = 0.01\nsteps = 2\n[[body]]\nshape = {shape}\n{kind}\n"
    )
}

fn load(folder: &TempDir, shape: &str) -> Result<Scene, String> {
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, text(shape, "kind = \"fixed\"")).unwrap();
    Scene::load(&path, &Overrides::default()).map_err(|error| error.to_string())
}

fn mesh(scene: &Scene) -> &TriangleMesh {
    match &scene.world.bodies[0].shape {
        Shape::Mesh(mesh) => mesh,
        other => panic!("{other:?}"),
    }
}

const ROOF: &str = "v 0 0 0\nv 2 0 0\nv 2 1 1\nv 0 1 1\nv 2 2 0\nv 0 2 0\nf 1 2 3 4\nf 4 3 5 6\n";

/// The same as STL in bytes.
fn stl() -> Vec<u8> {
    let corners: [[f32; 3]; 6] = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.0, 1.0, 1.0],
        [0.0, 1.0, 1.0],
        [2.0, 2.0, 0.0],
        [0.0, 2.0, 0.0],
    ];
    let mut bytes = vec![0; 80];
    bytes.extend(4_u32.to_le_bytes());
    for triangle in [[0, 1, 2], [0, 2, 3], [3, 2, 4], [3, 4, 5]] {
        bytes.extend([0; 12]);
        for number in triangle.iter().flat_map(|&at: &usize| corners[at]) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn files_give_the_surface_that_they_hold() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("roof.obj"), ROOF).unwrap();
    std::fs::write(folder.path().join("roof.stl"), stl()).unwrap();
    for shape in [
        "{ type = \"mesh\", file = \"roof.obj\" }",
        "{ type = \"mesh\", file = \"roof.stl\" }",
        "{ type = \"mesh\", file = \"roof.obj\", scale = 1.0, inside_out = true }",
        "{ type = \"mesh\", vertices = [[0, 0, 0], [2, 0, 0], [2, 1, 1], [0, 1, 1], [2, 2, 0], [0, 2, 0]], triangles = [[0, 1, 2], [0, 2, 3], [3, 2, 4], [3, 4, 5]] }",
    ] {
        let scene = load(&folder, shape).unwrap();
        let roof = mesh(&scene);
        assert_eq!(
            (roof.vertices().len(), roof.triangles().len()),
            (6, 4),
            "{shape}"
        );
        let down = if shape.contains("inside_out") {
            -1.0
        } else {
            1.0
        };
        assert!(roof.normals().iter().all(|n| n.z * down > 0.7), "{shape}");
        // Written out again, the scene needs no other file.
        let again = Scene::parse(
            Path::new("elsewhere.toml"),
            &scene.resolved_toml(),
            &Overrides::default(),
        )
        .unwrap();
        assert_eq!(mesh(&again), roof);
    }
    std::fs::write(
        folder.path().join("ground.txt"),
        "# two rows\n0, 1 2\n\n3\t4,5 # end\n",
    )
    .unwrap();
    for shape in [
        "{ type = \"height_field\", heights = [[0, 1, 2], [3, 4, 5]], cell = [0.5, 2], scale = 0.1 }",
        "{ type = \"height_field\", file = \"ground.txt\", cell = [0.5, 2], scale = 0.1 }",
    ] {
        let scene = load(&folder, shape).unwrap();
        let ground = mesh(&scene);
        assert_eq!(ground.triangles().len(), 4);
        let bounds = ground.bounds();
        assert_eq!((bounds.min.x, bounds.max.y, bounds.max.z), (-0.5, 1.0, 0.5));
    }
}

#[test]
fn names_and_comments_in_any_encoding_are_read() {
    let folder = TempDir::new().unwrap();
    let mut surface = b"# B\xf6schung\no H\xfcgel\n".to_vec();
    surface.extend_from_slice(ROOF.as_bytes());
    std::fs::write(folder.path().join("roof.obj"), surface).unwrap();
    let mut triangle = b"solid fl\xe4che\nfacet normal 0 0 1\nouter loop\n".to_vec();
    triangle.extend_from_slice(
        b"vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n",
    );
    std::fs::write(folder.path().join("text.stl"), triangle).unwrap();
    // Bytes whose header begins as text does.
    let mut bytes = stl();
    bytes[..20].copy_from_slice(b"solid facet endsolid");
    std::fs::write(folder.path().join("bytes.stl"), bytes).unwrap();
    for (name, triangles) in [("roof.obj", 4), ("text.stl", 1), ("bytes.stl", 4)] {
        let scene = load(
            &folder,
            &format!("{{ type = \"mesh\", file = \"{name}\" }}"),
        )
        .unwrap();
        assert_eq!(mesh(&scene).triangles().len(), triangles, "{name}");
    }
}

#[test]
fn broken_surfaces_are_refused_with_place_and_reason() {
    let folder = TempDir::new().unwrap();
    let bytes = stl();
    let mut flat = bytes.clone();
    // The second triangle gets its first corner twice.
    let second = 84 + 50 + 12;
    flat.copy_within(second..second + 12, second + 12);
    let cases: [(&str, Vec<u8>, &str); 15] = [
        (
            "twice.obj",
            format!("{ROOF}f 3 4 1\n").into(),
            "line 9: it has the corners of the one of line 7",
        ),
        (
            "huge.obj",
            ROOF.replace("v 2 1 1", "v 1e300 1 1").into(),
            "line 3: x is `1e300`, farther from 0 than 1e9",
        ),
        (
            "empty.obj",
            Vec::new(),
            "line 1: it ends, and there are no faces",
        ),
        (
            "nan.obj",
            ROOF.replace("v 2 1 1", "v 2 nan 1").into(),
            "line 3: y is `nan`",
        ),
        (
            "flat.obj",
            ROOF.replace("f 1 2 3 4", "f 1 2 2").into(),
            "line 7: it has no area",
        ),
        ("flat.stl", flat, "offset 134: it has no area"),
        (
            "thin.obj",
            ROOF.replace("v 2 1 1", "v 2 1e-10 0").into(),
            "high above its longest side of",
        ),
        (
            "none.stl",
            b"solid none\nendsolid none\n".to_vec(),
            "there are no faces",
        ),
        (
            "cut_text.stl",
            b"solid geh\xe4use\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n".to_vec(),
            "line 4: it ends within a triangle",
        ),
        (
            "inverted.obj",
            ROOF.replace("f 4 3 5 6", "f 6 5 3 4").into(),
            "line 7: it faces the other way than its neighbour, the one of line 8",
        ),
        (
            "cut.stl",
            bytes[..200].to_vec(),
            "offset 200: it ends after 2 of 4 triangles",
        ),
        (
            "long.stl",
            [&bytes[..], &[0; 3]].concat(),
            "offset 284: 3 bytes follow after its 4 triangles",
        ),
        (
            "ragged.txt",
            b"0 0 0\n1 1\n".to_vec(),
            "line 2: 2 heights, 3 in the rows before",
        ),
        (
            "word.txt",
            b"0 0 0\n1 one 1\n".to_vec(),
            "line 2, column 3: `one` is not a finite number",
        ),
        ("none.txt", b"# nothing\n".to_vec(), "there are no heights"),
    ];
    for (name, content, why) in cases {
        std::fs::write(folder.path().join(name), content).unwrap();
        let shape = if name.ends_with("txt") {
            format!("{{ type = \"height_field\", file = \"{name}\", cell = [1, 1] }}")
        } else {
            format!("{{ type = \"mesh\", file = \"{name}\" }}")
        };
        let message = load(&folder, &shape).unwrap_err();
        assert!(message.contains(why), "{name}: {message}");
        assert!(message.contains(name), "{name}: {message}");
        assert!(message.contains("scene.toml:6:"), "{name}: {message}");
    }
    std::fs::create_dir(folder.path().join("folder.stl")).unwrap();
    for (shape, why) in [
        ("{ type = \"mesh\", file = \"folder.stl\" }", "not a file"),
        ("{ type = \"mesh\", file = \"missing.stl\" }", "missing.stl"),
        ("{ type = \"mesh\" }", "there are no triangles"),
        (
            "{ type = \"mesh\", vertices = [[0, 0, 0], [1, 0, 0], [2, 0, 0]], triangles = [[0, 1, 2]] }",
            "no area",
        ),
        (
            "{ type = \"mesh\", vertices = [[0, 0, 0], [1, 0, 0], [0, 1, inf]], triangles = [[0, 1, 2]] }",
            "inf",
        ),
        (
            "{ type = \"height_field\", heights = [[0, 1], [2]], cell = [1, 1] }",
            "row 1 has 1 heights",
        ),
        (
            "{ type = \"height_field\", heights = [[0, 1], [2, 3]], cell = [1, 0] }",
            "above 0",
        ),
        (
            "{ type = \"revolution\", profile = [[1, 1], [1, 0]], sides = 2 }",
            "at least 3",
        ),
        (
            "{ type = \"revolution\", profile = [[1, 1], [1, 0]], sides = 5000 }",
            "4096",
        ),
        (
            "{ type = \"revolution\", profile = [[0, 1], [0, 0]] }",
            "on the axis",
        ),
    ] {
        let message = load(&folder, shape).unwrap_err();
        assert!(message.contains(why), "{shape}: {message}");
    }
    let shape = "{ type = \"revolution\", profile = [[1, 1], [1, 0]] }";
    let dynamic = text(shape, "density = 1000");
    let message = Scene::parse(Path::new("one.toml"), &dynamic, &Overrides::default())
        .unwrap_err()
        .to_string();
    assert!(message.contains("one.toml:6:"), "{message}");
    assert!(message.contains("a surface has no mass"), "{message}");
}

fn parse(text: &str) -> Result<Scene, String> {
    Scene::parse(Path::new("test.toml"), text, &Overrides::default())
        .map_err(|error| error.to_string())
}

fn container(lines: &str) -> Result<Scene, String> {
    parse(&format!(
        "name = \"c\"\n[simulation]\ndt = 0.01\nsteps = 2\n[[container]]\nname = \"c\"\ninner = [2, 2, 3]\n{lines}\n"
    ))
}

#[test]
fn a_container_may_be_a_cylinder() {
    for (lines, ends) in [("", 2), ("closed = true", 2), ("closed = false", 1)] {
        let scene = container(&format!("shape = \"cylinder\"\nsides = 16\n{lines}")).unwrap();
        let body = &scene.world.bodies[0];
        assert_eq!(body.kind, BodyKind::Fixed);
        assert_eq!(mesh(&scene).triangles().len(), 32 + 16 * ends, "{lines}");
        assert_eq!(mesh(&scene).is_closed(), ends == 2);
    }
    let scene = container(
        "shape = \"cylinder\"\nspin = 2.0\nrotation = { axis = [1, 0, 0], degrees = 90 }",
    )
    .unwrap();
    let body = &scene.world.bodies[0];
    let Some(Motion::Constant { linear, angular }) = &body.motion else {
        panic!("{body:?}");
    };
    assert_eq!(linear.norm(), 0.0);
    assert!(
        (angular + drystone::math::Vec3::y() * 2.0).norm() < 1e-12,
        "{angular}"
    );
    let both = container("shape = \"cylinder\"\nwall_material = \"default\"").unwrap();
    assert_eq!(both.world.bodies.len(), 2);
    for (lines, why) in [
        ("spin = 1.0", "`spin` of a container that is a box"),
        ("sides = 8", "`sides` of a container that is a box"),
        ("shape = \"cylinder\"\nsides = 2", "2 sides"),
        (
            "shape = \"cylinder\"\nwalls = \"half_spaces\"",
            "half-spaces",
        ),
        (
            "shape = \"cylinder\"\nspin = 1.0\nmotion = { type = \"constant\" }",
            "a spin beside a motion",
        ),
    ] {
        let message = container(lines).unwrap_err();
        assert!(message.contains(why), "{message}");
    }
    let message = parse(
        "name = \"c\"\n[simulation]\ndt = 0.01\nsteps = 2\n[[container]]\nname = \"c\"\nshape = \"cylinder\"\ninner = [2, 1, 3]\n",
    )
    .unwrap_err();
    assert!(
        message.contains("a cylinder of width 2 and depth 1"),
        "{message}"
    );
}

#[test]
fn a_mesh_is_drawn_triangle_by_triangle() {
    let folder = TempDir::new().unwrap();
    let shape = "{ type = \"revolution\", profile = [[1, 1], [1, 0], [0, 0]], sides = 8 }";
    let scene = load(&folder, shape).unwrap();
    let text = frame(&scene.world, FrameContent::Surfaces, Kind::PolyData);
    assert!(
        text.contains("NumberOfPolys=\"24\""),
        "{}",
        &text[..600.min(text.len())]
    );
}

#[test]
fn a_small_hopper_runs_out_by_beverloos_law() {
    let scene = granular("hopper.toml", |text| {
        text.replace("count = 5000", "count = 3000")
            .replace("[[0.1, 0.4], [0.1, 0.0218]", "[[0.08, 0.5], [0.08, 0.0146]")
            .replace(
                "radius = 0.1, height = 0.37",
                "radius = 0.08, height = 0.47",
            )
            .replace("duration = 4.0", "duration = 1.2")
            .replace("time = 0.8 ", "time = 0.4 ")
            .replace("time = 0.85", "time = 0.45")
    });
    let Discharge {
        rate,
        packing,
        lost,
    } = discharge(scene, [300, 1200]);
    let expected = beverloo(packing, 0.01, 0.08);
    let ratio = rate / expected;
    assert!((ratio - 1.0).abs() < 0.15, "{ratio} with {packing}");
    assert_eq!(lost, 0);
}

#[test]
fn a_short_drum_turns_with_its_surface_at_an_angle_of_repose() {
    let scene = granular("drum.toml", |text| {
        text.replace("count = 2000", "count = 500")
            .replace("inner = [0.22, 0.22, 0.14]", "inner = [0.22, 0.22, 0.04]")
            .replace("position = [0.0, 0.07, 0.0]", "position = [0.0, 0.02, 0.0]")
            .replace("-0.07, -0.075]", "-0.02, -0.075]")
            .replace("0.07, 0.075]", "0.02, 0.075]")
            .replace("duration = 6.8", "duration = 3.4")
    });
    let (angle, lost) = drum_angle(scene, 1.7);
    assert!((20.0..30.0).contains(&angle), "{angle}");
    assert_eq!(lost, 0);
}
