//! The extension module, which `run.sh` tests in Python, is built with the tests of the library: with the same features, so that
//! nothing is built twice.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

#[test]
fn the_module_has_its_entry() {
    let here = std::env::current_exe().unwrap();
    let name = format!(
        "{}_drystone{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let built = std::fs::read(here.with_file_name(name)).unwrap();
    let entry = b"PyInit__drystone";
    assert!(built.windows(entry.len()).any(|some| some == entry));
}
