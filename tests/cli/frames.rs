//! Frames of a real run in every format, read by parsers of their own: counts and values are those of the summary, and of each other.

use crate::program::{Csv, Home, entries};
use crate::vtk_file::VtkFile;
use drystone::measure::Seen;
use drystone::output::{Frame, FrameContent, FrameFormat, FrameOptions, FrameWriter, RunFolder};
use drystone::scene::{Overrides, Scene};
use hdf5_reader::Hdf5File;
use parquet::basic::Type as Physical;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use std::fs::File;

/// Balls and boxes that come to rest between smooth walls, so that the floor carries their weight.
const BED: &str = r#"name = "bed"
[simulation]
dt = 0.005
steps = 300
seed = 5
gravity = [0, 0, -9.81]
[materials.smooth]
friction = 0
restitution = 0
[materials.grain]
friction = 0.3
restitution = 0
[[container]]
name = "box"
inner = [0.4, 0.4, 1.2]
material = "smooth"
[[fill]]
name = "grains"
region = { type = "box", min = [-0.2, -0.2, 0.0], max = [0.2, 0.2, 1.1] }
arrangement = "random"
count = 120
density = 2000
material = "grain"
shapes = [
    { shape = { type = "sphere", radius = 0.035 }, fraction = 3 },
    { shape = { type = "box", half_extents = [0.03, 0.03, 0.025] } },
]
[output]
frames_every = 100
[output.fields]
min = [-0.35, -0.35, -0.15]
max = [0.35, 0.35, 1.35]
width = 0.1
"#;

/// Arguments of a run of the bed with every format but the other one of VTK XML.
const ALL: [&str; 9] = [
    "run",
    "bed.toml",
    "--no-picture",
    "--backend",
    "cpu",
    "--frame-content",
    "points",
    "--frame-contacts",
    "-q",
];

fn summary(home: &Home, run: &str) -> serde_json::Value {
    serde_json::from_str(&home.read(&format!("{run}/summary.json"))).unwrap()
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} instead of {expected}"
    );
}

/// A LAMMPS dump, parsed as its manual describes it.
struct Dump {
    time: f64,
    step: u64,
    bounds: Vec<[f64; 2]>,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Dump {
    fn parse(text: &str, counted: &str, listed: &str) -> Self {
        let mut lines = text.lines();
        let mut expect = |wanted: &str| assert_eq!(lines.next(), Some(wanted));
        expect("ITEM: UNITS");
        expect("si");
        expect("ITEM: TIME");
        let mut lines = text.lines().skip(3);
        let time = lines.next().unwrap().parse().unwrap();
        assert_eq!(lines.next(), Some("ITEM: TIMESTEP"));
        let step = lines.next().unwrap().parse().unwrap();
        assert_eq!(lines.next(), Some(&*format!("ITEM: NUMBER OF {counted}")));
        let count: usize = lines.next().unwrap().parse().unwrap();
        assert_eq!(lines.next(), Some("ITEM: BOX BOUNDS ss ss ss"));
        let bounds = (0..3).map(|_| {
            let mut ends = lines.next().unwrap().split(' ').map(|x| x.parse().unwrap());
            [ends.next().unwrap(), ends.next().unwrap()]
        });
        let bounds = bounds.collect();
        let head = lines.next().unwrap();
        let columns = head.strip_prefix(&format!("ITEM: {listed} ")).unwrap();
        let columns: Vec<String> = columns.split(' ').map(str::to_owned).collect();
        let rows = lines.map(|line| line.split(' ').map(str::to_owned).collect());
        let rows: Vec<Vec<String>> = rows.collect();
        assert_eq!(rows.len(), count);
        assert!(rows.iter().all(|row| row.len() == columns.len()));
        Self {
            time,
            step,
            bounds,
            columns,
            rows,
        }
    }

    fn texts(&self, column: &str) -> Vec<&str> {
        let at = self.columns.iter().position(|name| name == column).unwrap();
        self.rows.iter().map(|row| &*row[at]).collect()
    }

    fn numbers(&self, column: &str) -> Vec<f64> {
        let texts = self.texts(column);
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }
}

#[test]
fn every_format_has_the_same_run() {
    let home = Home::new();
    home.write("bed.toml", BED);
    let more = ["--frame-format", "vtp,lammps,csv", "--out", "run"];
    home.run(&[&ALL[..], &more].concat()).expect_code(0);
    let summary = summary(&home, "run");
    let number = |field: &str| summary[field].as_f64().unwrap();
    let count = number("bodies") as usize;
    let frames = entries(&home.path("run/frames"));
    // Four moments; bodies and contacts in three formats, and fields.
    assert_eq!(frames.len(), 4 * 7, "{frames:?}");

    let table = Csv::parse(&home.read("run/frames/bed_000300.csv"));
    let sum = |column: &str| table.numbers(column).iter().sum::<f64>();
    assert_eq!(table.numbers("id").len(), count);
    assert!(table.numbers("step").iter().all(|&step| step == 300.0));
    assert!(
        table
            .numbers("time")
            .iter()
            .all(|&time| time == number("time"))
    );
    let kinetic = number("kinetic_energy_final");
    near(sum("kinetic_energy"), kinetic, 1e-12 * kinetic);
    assert!(sum("rotational_energy") <= kinetic);
    let (mass, z) = (table.numbers("mass"), table.numbers("z"));
    let potential = mass.iter().zip(&z).map(|(mass, z)| 9.81 * mass * z);
    let potential: f64 = potential.sum();
    near(
        potential,
        number("potential_energy_final"),
        1e-9 * potential,
    );

    let vtp = |name: &str| VtkFile {
        text: home.read(&format!("run/frames/{name}")),
    };
    let bodies = vtp("bed_000300.vtp");
    assert_eq!(bodies.piece("NumberOfPoints"), count);
    let points = bodies.array("Points", "Points").values;
    for (axis, column) in ["x", "y", "z"].iter().enumerate() {
        let of_axis: Vec<f64> = points.chunks(3).map(|point| point[axis]).collect();
        assert_eq!(of_axis, table.numbers(column), "{column}");
    }
    let material = bodies.array("PointData", "material").values;
    assert_eq!(material, table.numbers("material"));

    let contacts = vtp("bed_contacts_000300.vtp");
    let data = |name: &str| contacts.array("PointData", name).values;
    let gaps = data("gap");
    let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    let deepest = number("max_penetration_final");
    near(-least, deepest, 1e-6 * deepest);
    let found = Csv::parse(&home.read("run/frames/bed_contacts_000300.csv"));
    assert_eq!(found.numbers("gap").len(), gaps.len());
    assert_eq!(found.numbers("body_a"), data("body_a"));
    assert_eq!(found.numbers("body_b"), data("body_b"));
    let normals = data("normal");
    let forces = data("force");
    for (at, pressing) in data("normal_force").iter().enumerate() {
        let (normal, force) = (&normals[3 * at..][..3], &forces[3 * at..][..3]);
        let along: f64 = normal.iter().zip(force).map(|(n, f)| n * f).sum();
        near(along, *pressing, 1e-5 * (1.0 + pressing.abs()));
        near(normal.iter().map(|n| n * n).sum(), 1.0, 1e-6);
    }
    // All that is not dynamic, which is the container, carries the weight.
    let kinds = bodies.array("PointData", "kind").values;
    let pairs = data("body_a").into_iter().zip(data("body_b"));
    let carried = pairs.enumerate().map(|(at, (a, b))| {
        match [a, b].map(|body| kinds[body as usize] == 0.0) {
            [true, false] => forces[3 * at + 2],
            [false, true] => -forces[3 * at + 2],
            _ => 0.0,
        }
    });
    let weight = 9.81 * sum("mass");
    let carried: f64 = carried.sum();
    near(carried, weight, 0.02 * weight);

    let dump = Dump::parse(&home.read("run/frames/bed_000300.dump"), "ATOMS", "ATOMS");
    assert_eq!((dump.step, dump.rows.len()), (300, count));
    assert_eq!(dump.time, number("time"));
    for column in ["x", "y", "z", "vx", "vy", "vz", "mass", "material"] {
        assert_eq!(dump.numbers(column), table.numbers(column), "{column}");
    }
    assert_eq!(dump.numbers("omegax"), table.numbers("wx"));
    assert_eq!(dump.numbers("quatw"), table.numbers("qw"));
    let ids: Vec<f64> = (1..=count).map(|id| id as f64).collect();
    assert_eq!(dump.numbers("id"), ids);
    for (axis, column) in ["x", "y", "z"].iter().enumerate() {
        let [low, high] = dump.bounds[axis];
        assert!(dump.numbers(column).iter().all(|&x| low < x && x < high));
    }
    for (name, radius, side) in [
        ("sphere", 0.035, 0.07),
        (
            "box",
            (0.03_f64.powi(2) * 2.0 + 0.025_f64.powi(2)).sqrt(),
            0.06,
        ),
    ] {
        let at = (0..count)
            .find(|&at| dump.texts("element")[at] == name && table.numbers("mass")[at] > 0.0);
        let at = at.unwrap();
        near(dump.numbers("radius")[at], radius, 1e-12);
        near(dump.numbers("shapex")[at], side, 1e-12);
    }
    let text = home.read("run/frames/bed_contacts_000300.dump");
    let local = Dump::parse(&text, "ENTRIES", "ENTRIES");
    for column in ["x", "nx", "gap", "normal_force", "fz"] {
        assert_eq!(local.numbers(column), found.numbers(column), "{column}");
    }
    let shifted: Vec<f64> = found.numbers("body_a").iter().map(|id| id + 1.0).collect();
    assert_eq!(local.numbers("body_a"), shifted);

    for (collection, last) in [
        ("bed", "frames/bed_000300.vtp"),
        ("bed_contacts", "frames/bed_contacts_000300.vtp"),
        ("bed_fields", "frames/bed_fields_000300.vti"),
    ] {
        let text = home.read(&format!("run/{collection}.pvd"));
        let document = roxmltree::Document::parse(&text).unwrap();
        let mut listed = document.descendants().filter(|n| n.has_tag_name("DataSet"));
        let listed = listed.next_back().unwrap();
        assert_eq!(listed.attribute("file"), Some(last));
        let time: f64 = listed.attribute("timestep").unwrap().parse().unwrap();
        assert_eq!(time, number("time"));
    }
}

#[test]
fn parquet_has_the_tables_of_csv() {
    let home = Home::new();
    home.write("bed.toml", BED);
    let more = ["--frame-format", "csv,parquet", "--out", "run"];
    home.run(&[&ALL[..], &more].concat()).expect_code(0);
    for (stem, step) in [
        ("bed", 0),
        ("bed", 300),
        ("bed_contacts", 0),
        ("bed_contacts", 300),
    ] {
        let stem = format!("run/frames/{stem}_{step:06}");
        let table = Csv::parse(&home.read(&format!("{stem}.csv")));
        let file = File::open(home.path(&format!("{stem}.parquet"))).unwrap();
        let file = SerializedFileReader::new(file).unwrap();
        let schema = file.metadata().file_metadata().schema().get_fields();
        let names: Vec<&str> = schema.iter().map(|field| field.name()).collect();
        assert_eq!(names, table.header);
        let rows: Vec<_> = file.get_row_iter(None).unwrap().collect();
        assert_eq!(rows.len(), table.rows.len());
        for (row, texts) in rows.into_iter().zip(&table.rows) {
            let row = row.unwrap();
            for (at, text) in texts.iter().enumerate() {
                // To the same bits.
                let found = match schema[at].get_physical_type() {
                    Physical::INT64 => row.get_long(at).unwrap().to_string(),
                    Physical::DOUBLE => format!("{:?}", row.get_double(at).unwrap()),
                    _ => row.get_string(at).unwrap().clone(),
                };
                assert_eq!(&found, text, "{stem}: {}", table.header[at]);
            }
        }
    }
}

#[test]
fn fields_hold_the_mass_the_momentum_and_the_weight() {
    let home = Home::new();
    // Cells of a quarter of the kernel, so that sums over levels stand for integrals.
    let scene = BED.replace("width = 0.1", "width = 0.1\nspacing = 0.025");
    home.write(
        "bed.toml",
        &scene.replace("frames_every = 100", "frames_every = 300"),
    );
    let more = ["--frame-format", "csv", "--out", "run"];
    home.run(&[&ALL[..], &more].concat()).expect_code(0);
    let text = home.read("run/frames/bed_fields_000300.vti");
    let document = roxmltree::Document::parse(&text).unwrap();
    let image = document.descendants().find(|n| n.has_tag_name("ImageData"));
    let image = image.unwrap();
    let numbers = |name: &str| -> Vec<f64> {
        let text = image.attribute(name).unwrap().split(' ');
        text.map(|number| number.parse().unwrap()).collect()
    };
    let (extent, spacing) = (numbers("WholeExtent"), numbers("Spacing"));
    assert_eq!(numbers("Origin"), [-0.35, -0.35, -0.15]);
    let cells = [extent[1], extent[3], extent[5]].map(|count| count as usize);
    assert_eq!(cells, [28, 28, 60]);
    let file = VtkFile { text: text.clone() };
    let area = spacing[0] * spacing[1];
    let volume = area * spacing[2];
    let field = |name: &str| file.array("CellData", name);
    let component = |name: &str, at: usize| -> Vec<f64> {
        let array = field(name);
        let chunks = array.values.chunks(array.components);
        chunks.map(|values| values[at]).collect()
    };
    let table = Csv::parse(&home.read("run/frames/bed_000300.csv"));
    let mass: f64 = table.numbers("mass").iter().sum();
    let total: f64 = component("density", 0).iter().sum();
    near(total * volume, mass, 1e-6 * mass);
    for (axis, column) in ["vx", "vy", "vz"].iter().enumerate() {
        let parts = table.numbers("mass").into_iter().zip(table.numbers(column));
        let momentum: f64 = parts.map(|(mass, v)| mass * v).sum();
        let found: f64 = component("momentum", axis).iter().sum();
        near(found * volume, momentum, 1e-6 * mass);
    }
    // At rest, each level carries the weight above it, less what the floor has taken.
    let layer = |values: &[f64], at: usize| -> f64 {
        values[at * cells[0] * cells[1]..][..cells[0] * cells[1]]
            .iter()
            .sum()
    };
    let (density, boundary) = (component("density", 0), component("boundary_force", 2));
    let stress = component("contact_stress", 8);
    let weight = 9.81 * mass;
    let (mut above, mut levels) = (0.0, 0);
    for at in (0..cells[2]).rev() {
        let own = (9.81 * layer(&density, at) - layer(&boundary, at)) * volume;
        let carried = layer(&stress, at) * area;
        near(carried, above + 0.5 * own, 0.02 * weight);
        above += own;
        levels += usize::from(carried > 0.1 * weight);
    }
    assert!(levels > 10, "{levels} levels carry something");
}

/// Points, times and number of steps of a VTKHDF file.
pub(crate) fn vtkhdf(path: &std::path::Path) -> (usize, Vec<f64>, Vec<f64>) {
    let file = Hdf5File::open(path).unwrap();
    let root = file.group("/VTKHDF").unwrap();
    let kind = root.attribute("Type").unwrap().read_string().unwrap();
    assert_eq!(kind, "UnstructuredGrid");
    let version = root.attribute("Version").unwrap();
    assert_eq!(version.read_1d::<i64>().unwrap(), [2, 0]);
    let steps = file.group("/VTKHDF/Steps").unwrap();
    let count = steps.attribute("NSteps").unwrap();
    let count = count.read_scalar::<i64>().unwrap() as usize;
    let floats = |name: &str| -> Vec<f64> {
        let set = file.dataset(name).unwrap();
        set.read_array::<f64>().unwrap().iter().copied().collect()
    };
    (
        count,
        floats("/VTKHDF/Steps/Values"),
        floats("/VTKHDF/Points"),
    )
}

#[test]
fn one_file_has_all_frames() {
    let home = Home::new();
    home.write("bed.toml", BED);
    let more = ["--frame-format", "vtkhdf,csv", "--out", "run"];
    home.run(&[&ALL[..], &more].concat()).expect_code(0);
    let path = home.path("run/bed.vtkhdf");
    let (count, times, points) = vtkhdf(&path);
    assert_eq!((count, times.len()), (4, 4));
    let file = Hdf5File::open(&path).unwrap();
    let integers = |name: &str| -> Vec<i64> {
        let set = file.dataset(name).unwrap();
        set.read_array::<i64>().unwrap().iter().copied().collect()
    };
    let bodies = summary(&home, "run")["bodies"].as_u64().unwrap() as usize;
    assert_eq!(integers("/VTKHDF/NumberOfPoints"), [bodies as i64]);
    assert_eq!(integers("/VTKHDF/NumberOfCells"), [bodies as i64]);
    assert_eq!(integers("/VTKHDF/Offsets").len(), bodies + 1);
    assert_eq!(integers("/VTKHDF/Steps/NumberOfParts"), [1; 4]);
    let speeds = file.dataset("/VTKHDF/PointData/speed").unwrap();
    let speeds = speeds.read_array::<f32>().unwrap();
    assert_eq!(speeds.len(), 4 * bodies);
    for (frame, step) in [0, 100, 200, 300].into_iter().enumerate() {
        let table = Csv::parse(&home.read(&format!("run/frames/bed_{step:06}.csv")));
        assert_eq!(times[frame], table.numbers("time")[0]);
        let begin = integers("/VTKHDF/Steps/PointOffsets")[frame] as usize;
        assert_eq!(begin, frame * bodies);
        for (axis, column) in ["x", "y", "z"].iter().enumerate() {
            let found = points[3 * begin..][..3 * bodies].chunks(3);
            let found: Vec<f64> = found.map(|point| point[axis]).collect();
            assert_eq!(found, table.numbers(column), "{column} at step {step}");
        }
        let begin = integers("/VTKHDF/Steps/PointDataOffsets/speed")[frame] as usize;
        let squares = table.numbers("vx").into_iter().zip(table.numbers("vy"));
        let squares = squares.zip(table.numbers("vz"));
        for (at, ((x, y), z)) in squares.enumerate() {
            let expected = (x * x + y * y + z * z).sqrt() as f32;
            near(
                speeds.as_slice().unwrap()[begin + at].into(),
                expected.into(),
                1e-6 * f64::from(expected),
            );
        }
    }
    assert_eq!(integers("/VTKHDF/Steps/PointDataOffsets/id"), [0; 4]);
}

#[test]
fn the_one_file_is_whole_after_every_frame() {
    let home = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(Some(&home.path().join("run")), "bed").unwrap();
    let scene = Scene::parse("bed.toml".as_ref(), BED, &Overrides::default()).unwrap();
    let options = FrameOptions {
        content: FrameContent::Points,
        formats: vec![FrameFormat::Vtkhdf],
        most: 5,
        ..FrameOptions::default()
    };
    let path = folder.path().join("bed.vtkhdf");
    let mut world = scene.world;
    let mut frame = |frames: &mut FrameWriter, step: u64| {
        world.time = step as f64 / 4.0;
        world.bodies[1].pose.position.x = step as f64;
        let seen = Seen::without_forces(&world);
        frames.write(&Frame { step, seen })
    };
    let mut frames = FrameWriter::create(&folder, "bed", &options).unwrap();
    let mut marks = Vec::new();
    for step in 0..3 {
        frame(&mut frames, step).unwrap();
        // VTK's reader wants as many times as steps.
        let (count, times, points) = vtkhdf(&path);
        assert_eq!((count, times.len()), (step as usize + 1, step as usize + 1));
        assert_eq!(times[step as usize], step as f64 / 4.0);
        let bodies = points.len() / (3 * 5);
        assert_eq!(points[3 * (step as usize * bodies + 1)], step as f64);
        if step == 1 {
            marks = frames.mark().unwrap();
        }
    }
    drop(frames);
    // A run that goes on from the second forgets the third until it is there again.
    let mut frames = FrameWriter::resume(&folder, "bed", &options, marks).unwrap();
    let (count, times, _) = vtkhdf(&path);
    assert_eq!((count, times), (2, vec![0.0, 0.25]));
    for step in 2..5 {
        frame(&mut frames, step).unwrap();
    }
    let (count, times, _) = vtkhdf(&path);
    assert_eq!((count, times), (5, vec![0.0, 0.25, 0.5, 0.75, 1.0]));
    let error = frame(&mut frames, 5).unwrap_err().to_string();
    assert!(error.contains("room for 5 frames"), "{error}");
}

#[test]
fn fields_go_with_the_frames_of_the_command_line_or_not_at_all() {
    let home = Home::new();
    home.write("bed.toml", &BED.replace("frames_every = 100\n", ""));
    // What writes no frames has no use for fields, and no reason to refuse them.
    home.run(&["check", "bed.toml"]).expect_code(0);
    let run = ["run", "bed.toml", "--no-picture", "--steps", "4", "-q"];
    let ended = home.run(&run).expect_code(2);
    for part in ["bed.toml: fields under [output]", "add --frames EVERY"] {
        assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
    }
    assert!(!home.path("runs").exists());
    home.run(&[&run[..], &["--frames", "2", "--out", "run"]].concat())
        .expect_code(0);
    for step in [0, 2, 4] {
        let file = home.path(&format!("run/frames/bed_fields_{step:06}.vti"));
        assert!(file.exists(), "{}", file.display());
    }
    // The scene of the folder gives the same run again.
    let again = ["run", "run/scene.toml", "--no-picture", "-q", "--out"];
    home.run(&[&again[..], &["again"]].concat()).expect_code(0);
    assert_eq!(
        entries(&home.path("again/frames")),
        entries(&home.path("run/frames"))
    );
}

#[test]
fn options_that_do_nothing_are_refused() {
    let home = Home::with_drop_scene();
    for (args, why) in [
        (&["--frame-contacts"][..], "the run has no frames"),
        (&["--frame-format", "csv"], "the run has no frames"),
        (
            &["--frames", "5", "--frame-format", "vtp,vtu"],
            "two forms of the same frames",
        ),
        (
            &["--frames", "5", "--frame-format", "csv,csv"],
            "csv is there twice",
        ),
    ] {
        let ended = home.run(&[&["run", "drop.toml"], args].concat());
        assert!(ended.stderr.contains(why), "{}", ended.stderr);
        ended.expect_code(2);
    }
}
