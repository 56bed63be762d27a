//! The header that is checked in is the one that cbindgen makes.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::path::Path;

#[test]
fn the_header_is_that_of_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    // The other files are found by their `mod`s.
    let builder = cbindgen::Builder::new().with_src(root.join("src/lib.rs"));
    let mut made = Vec::new();
    builder
        .with_config(config)
        .generate()
        .unwrap()
        .write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = root.join("include/drystone.h");
    if std::env::var_os("DRYSTONE_HEADER").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap();
    assert!(
        there == made,
        "include/drystone.h is not that of src: DRYSTONE_HEADER=write writes it"
    );
}
