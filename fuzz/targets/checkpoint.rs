#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    drystone_fuzz::checkpoint(input);
});
