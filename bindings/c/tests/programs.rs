//! Programs in C99 and C++17: built with all warnings as errors, by pkg-config and by CMake, and run under valgrind.
//!
//! They need a C and a C++ compiler, valgrind, pkg-config and CMake; `tests/run.sh` of the repository installs them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a program to its end.
///
/// # Panics
/// If it does not start or fails; says what it printed.
fn run(command: &mut Command) -> String {
    let name = format!("{command:?}");
    // Cargo's has libraries of other builds, which would come before those that a program names.
    let done = command
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .unwrap_or_else(|why| panic!("{name}: {why}"));
    let said = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    assert!(
        done.status.success(),
        "{name}: {}\n{}\n{}",
        done.status,
        said(&done.stdout),
        said(&done.stderr)
    );
    said(&done.stdout)
}

/// A folder with the library that belongs to this test, installed.
fn installed(name: &str) -> (PathBuf, PathBuf) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let test = std::env::current_exe().unwrap();
    let built = test.parent().unwrap();
    run(Command::new("sh")
        .arg(root.join("install.sh"))
        .args([&prefix, built]));
    (root.join("tests/programs"), prefix)
}

fn under_valgrind(program: &Path) {
    let options = [
        "--quiet",
        "--error-exitcode=9",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect,possible",
        "--show-leak-kinds=definite,indirect,possible",
    ];
    run(Command::new("valgrind").args(options).arg(program));
}

#[test]
fn programs_find_the_library_by_pkg_config_and_leak_nothing() {
    let (sources, prefix) = installed("pkg-config");
    let flags = run(Command::new("pkg-config")
        .args(["--cflags", "--libs", "drystone"])
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-g"];
    let library = prefix.join("lib");
    let path = format!("-Wl,-rpath,{}", library.display());
    for (compiler, standard, source) in [
        ("cc", "-std=c99", "c99.c"),
        ("cc", "-std=c99", "readme.c"),
        ("c++", "-std=c++17", "cpp17.cpp"),
        ("c++", "-std=c++20", "cpp17.cpp"),
    ] {
        let program = prefix.join(source).with_extension("run");
        let mut build = Command::new(compiler);
        build.arg(standard).args(strict).arg(sources.join(source));
        run(build.args(&flags).args([&path, "-lm", "-o"]).arg(&program));
        under_valgrind(&program);
    }
}

#[test]
fn programs_find_the_library_by_cmake() {
    let (sources, prefix) = installed("cmake");
    let build = prefix.join("build");
    run(Command::new("cmake")
        .arg("-S")
        .arg(&sources)
        .arg("-B")
        .arg(&build)
        .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())));
    run(Command::new("cmake").arg("--build").arg(&build));
    run(&mut Command::new(build.join("c99")));
    run(&mut Command::new(build.join("cpp17")));
}
