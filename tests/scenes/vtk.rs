//! Frames are strict VTK XML: every array is there, decodes, and has the length its element claims.

use crate::vtk_file::VtkFile;
use drystone::internals::vtk::{Kind, frame};
use drystone::math::{Pose, Quat, Vec3};
use drystone::measure::Seen;
use drystone::output::{FrameContent, FrameOptions, FrameWriter, RunFolder};
use drystone::world::{
    Body, BodyKind, CollisionGroups, CompoundPart, MassProperties, Material, Shape, World,
};

fn body(shape: Shape, kind: BodyKind, position: Vec3) -> Body {
    Body {
        name: None,
        kind,
        pose: Pose::new(position, Quat::from_scaled_axis(Vec3::new(0.3, -0.2, 0.5))),
        linear_velocity: Vec3::new(1.0, -2.0, 2.0),
        angular_velocity: Vec3::new(0.5, 0.0, -0.25),
        mass: MassProperties {
            mass: 1.0,
            inverse_mass: 1.0,
            inertia: drystone::math::Mat3::identity(),
            inverse_inertia: drystone::math::Mat3::identity(),
        },
        shape,
        center: Vec3::zeros(),
        material: 0,
        groups: CollisionGroups::ALL,
        motion: None,
    }
}

/// One body of each shape.
fn world() -> World {
    let sphere = Shape::Sphere { radius: 0.5 };
    let cube = Shape::Box {
        half_extents: Vec3::new(0.1, 0.2, 0.3),
    };
    let capsule = Shape::Capsule {
        half_length: 0.4,
        radius: 0.1,
    };
    let compound = Shape::Compound {
        parts: [
            CompoundPart {
                pose: Pose::new(Vec3::new(0.5, 0.0, 0.0), Quat::identity()),
                shape: sphere.clone(),
            },
            CompoundPart {
                pose: Pose::new(Vec3::new(-0.5, 0.0, 0.0), Quat::identity()),
                shape: cube.clone(),
            },
        ]
        .into(),
    };
    let ground = Shape::HalfSpace {
        normal: Vec3::z(),
        offset: 0.25,
    };
    let mut floor = body(ground, BodyKind::Fixed, Vec3::zeros());
    floor.pose.orientation = Quat::identity();
    World {
        gravity: Vec3::new(0.0, 0.0, -9.81),
        bodies: vec![
            floor,
            body(sphere, BodyKind::Dynamic, Vec3::new(0.0, 0.0, 1.0)),
            body(cube, BodyKind::Dynamic, Vec3::new(2.0, 0.0, 1.0)),
            body(capsule, BodyKind::Kinematic, Vec3::new(4.0, 0.0, 1.0)),
            body(compound, BodyKind::Dynamic, Vec3::new(6.0, 0.0, 1.0)),
        ],
        materials: vec![Material {
            friction: 0.5,
            restitution: 0.0,
        }],
        time: 0.125,
        ..World::new(Vec3::zeros())
    }
}

fn frame_of(content: FrameContent, kind: Kind) -> VtkFile {
    VtkFile {
        text: frame(&world(), content, kind),
    }
}

const FORMATS: [Kind; 2] = [Kind::PolyData, Kind::UnstructuredGrid];

#[test]
fn points_carry_what_a_glyph_needs() {
    for format in FORMATS {
        let frame = frame_of(FrameContent::Points, format);
        let count = frame.piece("NumberOfPoints");
        assert_eq!(count, 5);
        assert_eq!(
            frame.piece(match format {
                Kind::PolyData => "NumberOfVerts",
                Kind::UnstructuredGrid => "NumberOfCells",
            }),
            count
        );
        for name in frame.names("PointData") {
            let array = frame.array("PointData", &name);
            assert_eq!(array.values.len(), count * array.components, "{name}");
        }
        let data = |name| frame.array("PointData", name).values;
        assert_eq!(data("id"), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(data("kind"), [1.0, 0.0, 0.0, 2.0, 0.0]);
        assert_eq!(data("shape"), [3.0, 0.0, 1.0, 2.0, 4.0]);
        assert_eq!(data("speed"), [3.0; 5]);
        assert_eq!(data("radius")[..2], [0.0, 0.5]);
        let half_extents = data("half_extents");
        for (found, expected) in half_extents[6..12]
            .iter()
            .zip([0.1, 0.2, 0.3, 0.1, 0.1, 0.5])
        {
            assert!((found - expected).abs() < 1e-6, "{half_extents:?}");
        }
        for quaternion in data("orientation").chunks(4) {
            let norm: f64 = quaternion.iter().map(|x| x * x).sum();
            assert!((norm - 1.0).abs() < 1e-6, "{quaternion:?}");
            assert!(quaternion[0] > 0.9, "the scalar part comes first");
        }
        assert_eq!(data("velocity")[3..6], [1.0, -2.0, 2.0]);
        assert_eq!(data("angular_velocity")[3..6], [0.5, 0.0, -0.25]);
        let points = frame.array("Points", "Points");
        assert_eq!(points.components, 3);
        assert_eq!(points.values[3..6], [0.0, 0.0, 1.0]);
        assert_eq!(frame.array("FieldData", "TimeValue").values, [0.125]);
    }
}

#[test]
fn surfaces_are_whole_and_owned() {
    for format in FORMATS {
        let frame = frame_of(FrameContent::Surfaces, format);
        let section = match format {
            Kind::PolyData => "Polys",
            Kind::UnstructuredGrid => "Cells",
        };
        let cells = frame.piece(match format {
            Kind::PolyData => "NumberOfPolys",
            Kind::UnstructuredGrid => "NumberOfCells",
        });
        // Square, sphere, box, capsule, sphere and box.
        assert_eq!(cells, 1 + 80 + 6 + 84 + 86);
        assert_eq!(
            frame.piece("NumberOfPoints"),
            4 + 42 + 8 + 74 + 50,
            "vertices are shared by the faces of a body"
        );
        let connectivity = frame.array(section, "connectivity").values;
        let offsets = frame.array(section, "offsets").values;
        assert_eq!(offsets.len(), cells);
        assert!(offsets.windows(2).all(|w| w[0] + 3.0 <= w[1]));
        assert_eq!(*offsets.last().unwrap(), connectivity.len() as f64);
        let points = frame.array("Points", "Points").values;
        assert_eq!(points.len(), 3 * frame.piece("NumberOfPoints"));
        assert!(connectivity.iter().all(|&p| p < points.len() as f64 / 3.0));
        if format == Kind::UnstructuredGrid {
            let types = frame.array(section, "types").values;
            assert_eq!(types.len(), cells);
            assert_eq!(types.iter().filter(|&&t| t == 5.0).count(), 80 + 24 + 80);
            assert_eq!(types.iter().filter(|&&t| t == 9.0).count(), 1 + 6 + 60 + 6);
        }
        for name in frame.names("CellData") {
            let array = frame.array("CellData", &name);
            assert_eq!(array.values.len(), cells * array.components, "{name}");
        }

        // Every face lies on the surface of the body that it says it belongs to.
        let id = frame.array("CellData", "id").values;
        let mut start = 0;
        for (cell, &end) in offsets.iter().enumerate() {
            for &point in &connectivity[start..end as usize] {
                let at = Vec3::from_column_slice(&points[3 * point as usize..][..3]);
                match id[cell] as usize {
                    0 => assert!((at.z - 0.25).abs() < 1e-12, "on the ground: {at}"),
                    1 => assert!(((at - Vec3::z()).norm() - 0.5).abs() < 1e-12),
                    2 => assert!(
                        ((at - Vec3::new(2.0, 0.0, 1.0)).norm() - 0.14_f64.sqrt()).abs() < 1e-12
                    ),
                    3 => {
                        let body = &world().bodies[3];
                        let local = body.pose.inverse_point(&at);
                        let axis = Vec3::z() * local.z.clamp(-0.4, 0.4);
                        assert!(((local - axis).norm() - 0.1).abs() < 1e-9);
                    }
                    _ => assert!((at - Vec3::new(6.0, 0.0, 1.0)).norm() < 1.0 + 1e-12),
                }
            }
            start = end as usize;
        }
    }
}

#[test]
fn auto_draws_surfaces_of_few_bodies_and_points_of_many() {
    let mut world = world();
    let few = frame(&world, FrameContent::Auto, Kind::PolyData);
    assert_eq!(few, frame(&world, FrameContent::Surfaces, Kind::PolyData));
    let many = drystone::internals::constants::MAX_SURFACE_FRAME_BODIES + 1;
    let sphere = world.bodies[1].clone();
    world.bodies.resize(many, sphere);
    let cloud = frame(&world, FrameContent::Auto, Kind::PolyData);
    assert!(cloud.contains(&format!("NumberOfVerts=\"{many}\"")));
}

#[test]
fn a_world_without_bodies_is_still_a_frame() {
    let mut empty = world();
    empty.bodies.clear();
    for format in FORMATS {
        for content in [FrameContent::Points, FrameContent::Surfaces] {
            let text = frame(&empty, content, format);
            roxmltree::Document::parse(&text).unwrap();
            assert!(text.contains("NumberOfPoints=\"0\""));
        }
    }
}

#[test]
fn the_collection_names_every_frame_with_its_time() {
    let home = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(Some(&home.path().join("run")), "a pile").unwrap();
    let mut frames = FrameWriter::create(&folder, "a pile", &FrameOptions::default()).unwrap();
    let mut world = world();
    for step in [0_u64, 10, 20] {
        world.time = step as f64 / 8.0;
        let seen = Seen::without_forces(&world);
        frames
            .write(&drystone::output::Frame { step, seen })
            .unwrap();
    }
    assert_eq!(frames.count(), 3);
    let text = std::fs::read_to_string(folder.path().join("a_pile.pvd")).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    assert_eq!(
        document.root_element().attribute("type"),
        Some("Collection")
    );
    let listed: Vec<(f64, &str)> = document
        .descendants()
        .filter(|n| n.has_tag_name("DataSet"))
        .map(|n| {
            (
                n.attribute("timestep").unwrap().parse().unwrap(),
                n.attribute("file").unwrap(),
            )
        })
        .collect();
    assert_eq!(
        listed,
        [
            (0.0, "frames/a_pile_000000.vtp"),
            (1.25, "frames/a_pile_000010.vtp"),
            (2.5, "frames/a_pile_000020.vtp"),
        ]
    );
    for (_, file) in listed {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        roxmltree::Document::parse(&text).unwrap();
    }
    let left: Vec<_> = std::fs::read_dir(folder.path().join("frames"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 3, "no partial files: {left:?}");
}
