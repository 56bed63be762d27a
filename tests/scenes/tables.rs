//! Bodies in tables of comma-separated values.

use drystone::Error;
use drystone::math::Vec3;
use drystone::scene::{Overrides, Scene};
use drystone::world::Shape;
use std::fmt::Write;

const SCENE: &str = "name = \"table\"\n[simulation]\ndt = 0.01\nsteps = 5\n[materials.ice]\nfriction = 0\n\
    [[bodies_csv]]\nname = \"crowd\"\nfile = \"bodies.csv\"\ndensity = 1000\n\
    [[probe]]\ntype = \"position\"\nname = \"p\"\nbody = \"first\"\n";

/// The scene with this file beside it.
fn load(table: &str) -> Result<Scene, Error> {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("bodies.csv"), table).unwrap();
    let path = home.path().join("scene.toml");
    std::fs::write(&path, SCENE).unwrap();
    Scene::load(&path, &Overrides::default())
}

#[test]
fn a_table_makes_bodies_of_every_column() {
    let scene = load(
        "# of another program\n\
         name, shape, x, y, z, radius, half_length, height, hx, hy, hz, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz, density, mass, material\n\
         first, sphere, 0, 0, 1, 0.5,,,,,,,,,, 1, 2, 3, 4, 5, 6,,,\n\
         ,, 2, 0, 1.5e0, 0.25\n"
            .replace("0.25\n", "0.25,,,,,,,,,,,,,,,,, 3, ice\n")
            .as_str(),
    )
    .unwrap();
    let [first, second] = &scene.world.bodies[..] else {
        panic!("{:?}", scene.world.bodies);
    };
    assert_eq!(first.name.as_deref(), Some("first"));
    assert_eq!(first.pose.position, Vec3::new(0.0, 0.0, 1.0));
    assert_eq!(first.linear_velocity, Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(first.angular_velocity, Vec3::new(4.0, 5.0, 6.0));
    let volume = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
    assert!((first.mass.mass - 1000.0 * volume).abs() < 1e-9);
    assert_eq!((second.mass.mass, second.material), (3.0, 1));
    assert_eq!(second.shape, Shape::Sphere { radius: 0.25 });
    // The table stands in the scene that is written out.
    let again = Scene::parse(
        "elsewhere.toml".as_ref(),
        &scene.resolved_toml(),
        &Overrides::default(),
    );
    assert_eq!(again.unwrap().world, scene.world);
    // Every shape, and a rotation.
    let scene = load(
        "z,y,x,name,shape,radius,half_length,height,hx,hy,hz,qw,qx,qy,qz\n\
         1,0,0,first,box,,,,0.1,0.2,0.3,0.6,0,0,0.8\n\
         2,0,0,,capsule,0.1,0.2,,,,,,,,\n\
         3,0,0,,cylinder,0.1,0.2,,,,,,,,\n\
         4,0,0,\"a cone\",cone,0.1,,0.3,,,,,,,\n"
            .replace("\"a cone\"", "\"cone\"")
            .as_str(),
    )
    .unwrap();
    assert_eq!(scene.world.bodies.len(), 4);
    assert_eq!(scene.world.bodies[0].pose.orientation.k, 0.8);
    assert!(matches!(scene.world.bodies[3].shape, Shape::Cone { .. }));
}

#[test]
fn mistakes_in_a_table_name_file_line_and_column() {
    let good = "name,shape,x,y,z,radius\nfirst,sphere,0,0,1,0.5\n";
    assert_eq!(load(good).unwrap().world.bodies.len(), 1);
    for (table, parts) in [
        (
            "name,shape,x,y,radius\nfirst,sphere,0,0,1\n",
            [":1:", "column `z` is missing"],
        ),
        ("name,shap,x,y,z,radius\n", [":1:", "did you mean `shape`?"]),
        ("x,y,z,x\n", [":1:", "`x` is there twice"]),
        (
            "name,x,y,z,radius\nfirst,0,0,0,1\n,0,0,zero,1\n",
            [":3:", "`z` is `zero`"],
        ),
        (
            "name,x,y,z,radius\nfirst,0,0,0,1\n,0,0,inf,1\n",
            [":3:", "not a finite number"],
        ),
        (
            "name,x,y,z,radius\nfirst,0,0,0,1\n\n,0,0,0,\n",
            [":4:", "`radius` is missing"],
        ),
        (
            "name,x,y,z,radius\nfirst,0,0,0,1\n,0,0\n",
            [":3:", "3 fields; the header has 5"],
        ),
        ("name,x,y,z,radius\nfirst,0,0,0,-1\n", [":2:", "is -1"]),
        (
            "name,x,y,z,radius,mass,density\nfirst,0,0,0,1,2,3\n",
            [":2:", "both `density` and `mass`"],
        ),
        (
            "name,x,y,z,radius,hx\nfirst,0,0,0,1,1\n",
            [":2:", "`hx` is given, which a sphere has not"],
        ),
        (
            "name,shape,x,y,z,radius\nfirst,bal,0,0,0,1\n",
            [":2:", "no shape `bal`"],
        ),
        (
            "name,x,y,z,radius,material\nfirst,0,0,0,1,icy\n",
            [":2:", "there is no material `icy`"],
        ),
        (
            "name,x,y,z,radius,qw\nfirst,0,0,0,1,1\n",
            [":2:", "part of the rotation is missing"],
        ),
        (
            "name,x,y,z,radius\nfirst,0,0,0,1\nfirst,0,0,5,1\n",
            [":3:", "the name `first` is taken"],
        ),
        ("", [":1:", "column `x` is missing"]),
    ] {
        let message = match load(table) {
            Err(Error::Scene(mistake)) => {
                assert_eq!(mistake.line_column(), (9, 8), "{table}");
                mistake.message
            }
            other => panic!("{table}: {other:?}"),
        };
        for part in ["bodies.csv", parts[0], parts[1]] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    let text = SCENE.replace("bodies.csv", "nothing.csv");
    let error = Scene::parse("scene.toml".as_ref(), &text, &Overrides::default()).unwrap_err();
    assert!(
        error.to_string().contains("nothing.csv: No such file"),
        "{error}"
    );
}

#[test]
fn a_hundred_thousand_rows_take_no_time() {
    let mut table = "x,y,z,radius,name\n0,0,0,0.4,first\n".to_owned();
    for index in 1..100_000 {
        let (x, y, z) = (index % 50, index / 50 % 50, index / 2500);
        writeln!(table, "{x},{y},{z}.000123,0.4,").unwrap();
    }
    let start = std::time::Instant::now();
    let scene = load(&table).unwrap();
    let took = start.elapsed();
    assert_eq!(scene.world.bodies.len(), 100_000);
    // Seconds where other programs share the machine; a tenth of one elsewhere.
    assert!(took.as_secs() < 10, "{took:?}");
    println!("100,000 rows: {took:?}");
}
