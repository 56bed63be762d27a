//! Every shader in the languages of the drivers that are not at hand: Metal, Direct3D 12, Vulkan.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use drystone::internals::constants::{
    CLUSTER_COPIES, FIRST_VISITS, FREE_APPROACH, IMPULSE_DEAD_BAND, MOMENTUM_COSINE,
    MOMENTUM_COSINE_CONVEX, MOMENTUM_COSINE_FORWARD, MOMENTUM_KEPT, MOMENTUM_REBUILD_PASSES,
    PAIR_VISITS, PARTING_HARDNESS, WORKGROUP_SIZE,
};
use drystone::internals::gpu::{ClusterKernel, Kernel};
use naga::back::{PipelineConstants, hlsl, msl, pipeline_constants::process_overrides, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

/// Entry point and source of every kernel.
fn kernels() -> impl Iterator<Item = (&'static str, String)> {
    let clusters = ClusterKernel::ALL.iter();
    Kernel::ALL
        .iter()
        .map(|kernel| (kernel.entry(), kernel.source()))
        .chain(clusters.map(|kernel| (kernel.entry(), kernel.source())))
}

/// A kernel's module with all constants in place, and what validation found.
fn specialized(kernel: &str, source: &str) -> (naga::Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(source).unwrap();
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator.validate(&module).unwrap();
    let mut constants = PipelineConstants::default();
    for (name, value) in [
        ("WORKGROUP_SIZE", f64::from(WORKGROUP_SIZE)),
        ("IMPULSE_DEAD_BAND", f64::from(IMPULSE_DEAD_BAND)),
        ("PAIR_VISITS", f64::from(PAIR_VISITS)),
        ("FIRST_VISITS", f64::from(FIRST_VISITS)),
        ("MOMENTUM_COSINE", f64::from(MOMENTUM_COSINE)),
        (
            "MOMENTUM_COSINE_FORWARD",
            f64::from(MOMENTUM_COSINE_FORWARD),
        ),
        ("MOMENTUM_COSINE_CONVEX", f64::from(MOMENTUM_COSINE_CONVEX)),
        ("MOMENTUM_KEPT", f64::from(MOMENTUM_KEPT)),
        ("CLUSTER_COPIES", f64::from(CLUSTER_COPIES)),
        ("FREE_APPROACH", f64::from(FREE_APPROACH)),
        ("PARTING_HARDNESS", f64::from(PARTING_HARDNESS)),
        (
            "MOMENTUM_REBUILD_PASSES",
            f64::from(MOMENTUM_REBUILD_PASSES),
        ),
    ] {
        let known = module.overrides.iter();
        if known
            .into_iter()
            .any(|(_, o)| o.name.as_deref() == Some(name))
        {
            constants.insert(name.to_owned(), value);
        }
    }
    let entry = Some((naga::ShaderStage::Compute, kernel));
    let (module, info) = process_overrides(&module, &info, entry, &constants).unwrap();
    (module.into_owned(), info.into_owned())
}

#[test]
fn every_kernel_translates_to_metal() {
    for (kernel, source) in kernels() {
        let (module, info) = specialized(kernel, &source);
        let options = msl::Options {
            fake_missing_bindings: true,
            lang_version: (2, 0),
            ..msl::Options::default()
        };
        let (text, translation) =
            msl::write_string(&module, &info, &options, &msl::PipelineOptions::default())
                .unwrap_or_else(|error| panic!("{}: {error}", kernel));
        let entry = translation.entry_point_names[0].as_ref().unwrap();
        assert!(text.contains(entry.as_str()), "{}", kernel);
        assert!(text.contains("kernel void"), "{}", kernel);
    }
}

#[test]
fn every_kernel_translates_to_hlsl() {
    for (kernel, source) in kernels() {
        let (module, info) = specialized(kernel, &source);
        let options = hlsl::Options {
            shader_model: hlsl::ShaderModel::V5_1,
            ..hlsl::Options::default()
        };
        let pipeline = hlsl::PipelineOptions::default();
        let mut text = String::new();
        let mut writer = hlsl::Writer::new(&mut text, &options, &pipeline);
        let reflection = writer
            .write(&module, &info, None)
            .unwrap_or_else(|error| panic!("{}: {error}", kernel));
        for name in reflection.entry_point_names {
            let name = name.unwrap_or_else(|error| panic!("{}: {error}", kernel));
            assert!(text.contains(&name), "{}", kernel);
        }
        assert!(text.contains("[numthreads("), "{}", kernel);
    }
}

#[test]
fn every_kernel_translates_to_spirv_1_3() {
    for (kernel, source) in kernels() {
        let (module, info) = specialized(kernel, &source);
        let options = spv::Options {
            lang_version: (1, 3),
            ..spv::Options::default()
        };
        let pipeline = spv::PipelineOptions {
            shader_stage: naga::ShaderStage::Compute,
            entry_point: kernel.to_owned(),
        };
        let words = spv::write_vec(&module, &info, &options, Some(&pipeline))
            .unwrap_or_else(|error| panic!("{}: {error}", kernel));
        assert_eq!(words[0], 0x0723_0203, "{}", kernel);
    }
}

/// No kernel asks for more than what every WebGPU adapter has: 16 KiB of workgroup memory and 256
/// invocations; and none depends on subgroups.
#[test]
fn every_kernel_fits_the_limits_of_web_gpu() {
    for (kernel, source) in kernels() {
        let (module, _) = specialized(kernel, &source);
        let mut layouter = naga::proc::Layouter::default();
        layouter.update(module.to_ctx()).unwrap();
        let shared: u32 = module
            .global_variables
            .iter()
            .filter(|(_, variable)| variable.space == naga::AddressSpace::WorkGroup)
            .map(|(_, variable)| layouter[variable.ty].size)
            .sum();
        assert!(shared <= 16 << 10, "{}: {shared} bytes", kernel);
        let size: u32 = module.entry_points[0].workgroup_size.iter().product();
        assert!((1..=256).contains(&size), "{}: {size}", kernel);
        assert!(!source.contains("subgroup"), "{}", kernel);
    }
}
