//! Polyhedra in scene files: by points, from files, generated, in fills.

use drystone::collide::Witnesses;
use drystone::scene::{Overrides, Scene};
use drystone::world::Shape;
use std::path::Path;
use tempfile::TempDir;

const CUBE: &str = "\
# a cube of 2 m
v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1
f 1 5 7 3\nf 2 4 8 6\nf 1//1 2//1 6//1 5//1\nf 3 7 8 4\nf 1 3 4 2\nf -4 -3 -1 -2\n";

/// A scene with one body of this shape.
fn text(shape: &str) -> String {
    format!(
        "name = \"one\"\n[simulation]\ndt = 0.01\nsteps = 2\n[[body]]\nshape = {shape}\ndensity = 1000\n"
    )
}

fn load(folder: &TempDir, shape: &str) -> Result<Scene, String> {
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, text(shape)).unwrap();
    Scene::load(&path, &Overrides::default()).map_err(|error| error.to_string())
}

fn solid(scene: &Scene) -> &drystone::world::Polyhedron {
    match &scene.world.bodies[0].shape {
        Shape::Polyhedron(solid) => solid,
        other => panic!("{other:?}"),
    }
}

/// A cube as STL, in text and in bytes.
fn stl() -> (String, Vec<u8>) {
    let corner = |k: u32| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -1.0_f32 } else { 1.0 });
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let mut text = String::from("solid cube\n");
    let mut bytes = vec![0; 80];
    bytes.extend(12_u32.to_le_bytes());
    for [a, b, c, d] in quads {
        for triangle in [[a, b, c], [a, c, d]] {
            text += "facet normal 0 0 0\nouter loop\n";
            bytes.extend([0; 12]);
            for at in triangle {
                let [x, y, z] = corner(at);
                text += &format!("vertex {x} {y} {z}\n");
                for number in [x, y, z] {
                    bytes.extend(number.to_le_bytes());
                }
            }
            text += "endloop\nendfacet\n";
            bytes.extend([0; 2]);
        }
    }
    text += "endsolid cube\n";
    (text, bytes)
}

#[test]
fn files_give_the_solid_that_they_hold() {
    let folder = TempDir::new().unwrap();
    let (text, bytes) = stl();
    std::fs::write(folder.path().join("cube.obj"), CUBE).unwrap();
    std::fs::write(folder.path().join("text.stl"), text).unwrap();
    std::fs::write(folder.path().join("bytes.STL"), bytes).unwrap();
    for file in ["cube.obj", "text.stl", "bytes.STL"] {
        let scene = load(
            &folder,
            &format!("{{ type = \"polyhedron\", file = \"{file}\", scale = 0.5 }}"),
        )
        .unwrap();
        let cube = solid(&scene);
        assert_eq!(
            (cube.vertices().len(), cube.faces().len()),
            (8, 6),
            "{file}"
        );
        assert!(
            (scene.world.bodies[0].mass.mass - 1000.0).abs() < 1e-9,
            "{file}"
        );
        // Written out again, the scene needs no other file.
        let again = Scene::parse(
            Path::new("elsewhere.toml"),
            &scene.resolved_toml(),
            &Overrides::default(),
        )
        .unwrap();
        assert_eq!(solid(&again), cube);
    }
}

#[test]
fn texts_may_come_from_any_system() {
    let folder = TempDir::new().unwrap();
    let (stl, bytes) = stl();
    let mark = "\u{feff}";
    let latin = [
        b"solid W\xfcrfel\n",
        stl.split_once('\n').unwrap().1.as_bytes(),
    ]
    .concat();
    let mut named = bytes.clone();
    named[..26].copy_from_slice(b"solid with facet in a name");
    for (name, content) in [
        ("windows.obj", CUBE.replace('\n', "\r\n").into_bytes()),
        ("old.obj", CUBE.replace('\n', "\r").into_bytes()),
        // The mark hid the first vertex.
        (
            "mark.obj",
            [mark, &CUBE[CUBE.find('v').unwrap()..]]
                .concat()
                .into_bytes(),
        ),
        (
            "comments.obj",
            CUBE.replace("f 1 5 7 3", "f 1 5 7 3 # side").into_bytes(),
        ),
        ("windows.stl", stl.replace('\n', "\r\n").into_bytes()),
        ("old.stl", stl.replace('\n', "\r").into_bytes()),
        ("mark.stl", [mark, &stl].concat().into_bytes()),
        ("upper.stl", stl.to_uppercase().into_bytes()),
        ("latin.stl", latin),
        ("named.stl", named),
    ] {
        std::fs::write(folder.path().join(name), content).unwrap();
        let scene = load(
            &folder,
            &format!("{{ type = \"polyhedron\", file = \"{name}\" }}"),
        );
        let scene = scene.unwrap_or_else(|message| panic!("{name}: {message}"));
        assert!((solid(&scene).volume() - 8.0).abs() < 1e-12, "{name}");
    }
}

#[test]
fn generated_solids_are_what_they_say() {
    let folder = TempDir::new().unwrap();
    for (shape, vertices, faces) in [
        (
            "{ type = \"prism\", sides = 6, radius = 0.5, half_length = 1 }",
            12,
            8,
        ),
        ("{ type = \"regular\", faces = 12, radius = 0.5 }", 20, 12),
        (
            "{ type = \"wedge\", inner_half_width = 0.2, outer_half_width = 0.3, half_height = 0.5, half_depth = 0.5 }",
            8,
            6,
        ),
        (
            "{ type = \"polyhedron\", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]] }",
            4,
            4,
        ),
        (
            "{ type = \"polyhedron\", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }",
            4,
            4,
        ),
    ] {
        let scene = load(&folder, shape).unwrap();
        let found = solid(&scene);
        assert_eq!(
            (found.vertices().len(), found.faces().len()),
            (vertices, faces),
            "{shape}"
        );
        assert!(
            found.center().norm() < 1e-12,
            "{shape}: {:?}",
            found.center()
        );
    }
    let rock = load(
        &folder,
        "{ type = \"rock\", points = 32, radii = [0.6, 0.5, 0.4], seed = 4 }",
    )
    .unwrap();
    assert_eq!(solid(&rock).vertices().len(), 32);
    let other = load(
        &folder,
        "{ type = \"rock\", points = 32, radii = [0.6, 0.5, 0.4], seed = 5 }",
    )
    .unwrap();
    assert_ne!(solid(&rock), solid(&other));
}

#[test]
fn broken_meshes_are_refused_with_place_and_reason() {
    let folder = TempDir::new().unwrap();
    let (text, bytes) = stl();
    let lines = |from: &str, to: &str| CUBE.replace(from, to).into_bytes();
    let inverted: Vec<String> = CUBE
        .lines()
        .map(|line| match line.strip_prefix("f ") {
            Some(corners) => corners.split(' ').fold("f".to_owned(), |face, corner| {
                face.replacen('f', &format!("f {corner}"), 1)
            }),
            None => line.to_owned(),
        })
        .collect();
    let far = |x: f32| {
        let mut bytes = bytes.clone();
        bytes[84 + 50 + 16..][..4].copy_from_slice(&x.to_le_bytes());
        bytes
    };
    let solid = |more: &[u8]| [b"solid cube\n", more].concat();
    let cases: [(&str, Vec<u8>, &str); 29] = [
        (
            "inverted.obj",
            inverted.join("\n").into_bytes(),
            "line 10: this face and those around it look inward",
        ),
        (
            "huge.obj",
            lines("v 1 1 1", "v 1 1e300 1"),
            "line 9: y is `1e300`, farther from 0 than 1e9",
        ),
        (
            "huge.stl",
            far(1e38),
            "offset 150: 9.999999680285692e37 is farther from 0 than 1e9",
        ),
        (
            "infinite.stl",
            far(f32::INFINITY),
            "offset 150: a number that is not finite",
        ),
        (
            "dent.obj",
            [CUBE, "v 0.5 0.5 0.5\nf 2 4 9\nf 4 8 9\nf 8 6 9\nf 6 2 9\n"]
                .concat()
                .replace("f 2 4 8 6\n", "")
                .into_bytes(),
            "line 16: the solid is not convex: (1, -1, 1) is outside of this face",
        ),
        (
            "no_faces.obj",
            CUBE.split("\nf").next().unwrap().into(),
            "line 9: it ends, and there are no faces in it",
        ),
        (
            "none.stl",
            solid(b"endsolid cube\n"),
            "line 2: it ends, and there are no faces in it",
        ),
        (
            "short.stl",
            solid(b""),
            "line 1: it ends without `endsolid`",
        ),
        (
            "long_name.stl",
            solid(&[b'x'; 200]),
            "line 2: it ends without `endsolid`",
        ),
        (
            "zero.stl",
            [&bytes[..80], &[0; 4]].concat(),
            "offset 80: there are no faces in it",
        ),
        (
            "empty.stl",
            Vec::new(),
            "offset 0: it ends within its header",
        ),
        (
            "open.obj",
            lines("f 1 3 4 2\n", ""),
            "open.obj: line 12: the solid is open: the edge from (-1, -1, -1) to (1, -1, -1) has a face on one side only",
        ),
        (
            "twice.obj",
            format!("{CUBE}f 1 5 7 3\n").into_bytes(),
            "line 16: it is on the same side of the edge from (-1, -1, -1) to (-1, -1, 1) as the one of line 10",
        ),
        (
            "dented.obj",
            lines("v 1 1 1", "v 0 0 0"),
            "it is not flat: its vertices are up to",
        ),
        (
            "tail.stl",
            text.replace("endsolid", "").into_bytes(),
            "it ends without `endsolid`",
        ),
        (
            "more.stl",
            [&bytes[..], &bytes[84..134]].concat(),
            "offset 684: 50 bytes follow after its 12 triangles",
        ),
        (
            "inward.obj",
            lines("v -1 -1 -1\nv 1 -1 -1", "v 1 -1 -1\nv -1 -1 -1"),
            "inside",
        ),
        (
            "flat.obj",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n".to_vec(),
            "volume",
        ),
        (
            "empty.obj",
            Vec::new(),
            "line 1: it ends, and there are no faces",
        ),
        (
            "nan.obj",
            lines("v 1 1 1", "v 1 NaN 1"),
            "line 9: y is `NaN`, not a finite number",
        ),
        (
            "word.obj",
            lines("v 1 1 1", "v 1 one 1"),
            "line 9: y is `one`",
        ),
        (
            "short.obj",
            lines("v 1 1 1", "v 1 1"),
            "line 9: z is missing",
        ),
        (
            "index.obj",
            lines("f 1 5 7 3", "f 1 5 7 9"),
            "line 10: vertex 9 does not exist: there are 8",
        ),
        (
            "two.obj",
            lines("f 1 5 7 3", "f 1 5"),
            "line 10: a face of 2 vertices",
        ),
        (
            "cut.stl",
            bytes[..400].to_vec(),
            "offset 400: it ends after 6 of 12 triangles",
        ),
        (
            "header.stl",
            bytes[..50].to_vec(),
            "offset 50: it ends within its header",
        ),
        (
            "half.stl",
            text.as_bytes()[..text.len() / 2].to_vec(),
            "it ends within a triangle",
        ),
        (
            "many.stl",
            [&bytes[..80], &[255; 4]].concat(),
            "offset 80: 4294967295 triangles",
        ),
        (
            "cube.ply",
            CUBE.into(),
            "expected a file named .obj or .stl",
        ),
    ];
    for (name, content, why) in cases {
        std::fs::write(folder.path().join(name), content).unwrap();
        let message = load(
            &folder,
            &format!("{{ type = \"polyhedron\", file = \"{name}\" }}"),
        )
        .unwrap_err();
        if name == "inward.obj" {
            assert!(
                message.contains("convex") || message.contains("inward"),
                "{message}"
            );
        } else {
            assert!(message.contains(why), "{name}: {message}");
        }
        assert!(message.contains("scene.toml:6:"), "{name}: {message}");
        assert!(message.contains(name), "{name}: {message}");
    }
    std::fs::create_dir(folder.path().join("folder.obj")).unwrap();
    for (name, why) in [("folder.obj", "not a file"), ("missing.obj", "missing.obj")] {
        let message = load(
            &folder,
            &format!("{{ type = \"polyhedron\", file = \"{name}\" }}"),
        )
        .unwrap_err();
        assert!(message.contains(why), "{message}");
    }
    for (shape, why) in [
        ("{ type = \"polyhedron\" }", "at least 4 are needed"),
        (
            "{ type = \"polyhedron\", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }",
            "one plane",
        ),
        (
            "{ type = \"regular\", faces = 5, radius = 1 }",
            "4, 6, 8, 12 or 20",
        ),
        (
            "{ type = \"prism\", sides = 2, radius = 1, half_length = 1 }",
            "at least 3",
        ),
        (
            "{ type = \"prism\", sides = 65, radius = 1, half_length = 1 }",
            "64",
        ),
        (
            "{ type = \"rock\", points = 3, radii = [1, 1, 1] }",
            "at least 4",
        ),
        (
            "{ type = \"rock\", points = 30, radii = [1, 0, 1] }",
            "above 0",
        ),
    ] {
        let message = load(&folder, shape).unwrap_err();
        assert!(message.contains(why), "{shape}: {message}");
    }
}

#[test]
fn a_pile_of_rocks_comes_to_rest() {
    let text = "
        name = \"rocks\"
        [simulation]
        dt = 0.016666666666666666
        steps = 600
        [[container]]
        name = \"box\"
        inner = [4.0, 4.0, 12.0]
        [[fill]]
        region = { type = \"box\", min = [-2, -2, 0.05], max = [2, 2, 11] }
        arrangement = \"jittered\"
        spacing = 1.3
        jitter = 0.02
        count = 60
        random_orientation = true
        density = 2500
        shapes = [
            { shape = { type = \"rock\", points = 32, radii = [0.6, 0.5, 0.4], seed = 1 } },
            { shape = { type = \"rock\", points = 12, radii = [0.5, 0.5, 0.5], seed = 2 } },
            { shape = { type = \"regular\", faces = 8, radius = 0.5 } },
            { shape = { type = \"box\", half_extents = [0.4, 0.3, 0.3] } },
            { shape = { type = \"capsule\", half_length = 0.2, radius = 0.3 } },
            { shape = { type = \"sphere\", radius = 0.4 } },
        ]
    ";
    let scene = Scene::parse(Path::new("rocks.toml"), text, &Overrides::default()).unwrap();
    let solver = Box::new(drystone::solver::cpu::CpuSolver::new());
    let mut simulation =
        drystone::step::Simulation::new(scene.world, scene.settings, solver).unwrap();
    let mut last = None;
    // Of the fall and of the last second.
    let mut witnesses = [Witnesses::default(); 2];
    for step in 0..scene.steps {
        let report = simulation.step().unwrap();
        match step {
            0..60 => witnesses[0] = witnesses[0].plus(report.witnesses),
            540.. => witnesses[1] = witnesses[1].plus(report.witnesses),
            _ => {}
        }
        last = Some(report);
    }
    assert!(
        witnesses.iter().all(|seen| seen.pairs > 1000),
        "{witnesses:?}"
    );
    let [falling, lying] = witnesses.map(|seen| seen.hit_rate());
    assert!(falling < 0.95, "{falling}");
    assert!(lying > 0.95, "{lying}");
    let world = simulation.world();
    let moving = world.bodies.iter().filter(|body| body.is_dynamic());
    let squares: f64 = moving.map(|body| body.linear_velocity.norm_squared()).sum();
    let rms = (squares / 60.0).sqrt();
    assert!(rms < 0.02, "{rms}");
    assert!(world.bodies.iter().all(|body| body.pose.position.z > -0.6));
    let depth = last.unwrap().penetration.max;
    assert!(depth < 0.02, "{depth}");
}
