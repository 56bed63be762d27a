//! Shaders without a device: they are valid, and their records have the layout of the Rust structs.

use drystone::internals::batches::{
    BodyInertia, BodyVelocity, ContactBlock, JointBlock, JointScale, SplitBody, SplitSlots,
};
use drystone::internals::constants::MAX_FRICTION_DIRECTIONS;
use drystone::internals::cpu::VelocityChange;
use drystone::internals::gpu::{ClusterBody, ClusterKernel, Kernel, Window};
use drystone::internals::momentum::{ContactMemory, JointMemory, Momentum, Progress};
use drystone::internals::records::FrictionTable;
use drystone::internals::records::{
    BodyState, ContactStep, ContactTotal, GivenContact, SubstepParams,
};
use drystone::internals::residual::{Control, Partial};
use std::collections::BTreeSet;
use std::mem::offset_of;

/// Entry point and source of every kernel.
fn sources() -> Vec<(&'static str, String)> {
    let clusters = ClusterKernel::ALL.iter();
    let kernels = Kernel::ALL.iter();
    kernels
        .map(|kernel| (kernel.entry(), kernel.source()))
        .chain(clusters.map(|kernel| (kernel.entry(), kernel.source())))
        .collect()
}

fn parsed(source: &str) -> naga::Module {
    naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)))
}

fn module(kernel: Kernel) -> naga::Module {
    parsed(&kernel.source())
}

#[test]
fn every_kernel_parses_and_validates() {
    for (name, source) in sources() {
        let module = parsed(&source);
        naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::empty(),
        )
        .validate(&module)
        .unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!(module.entry_points.len(), 1);
        assert_eq!(module.entry_points[0].name, name);
    }
}

#[test]
fn every_shader_file_belongs_to_a_kernel() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".wgsl"))
        .collect();
    // A source of contacts and joints has two kernels.
    let kernels: BTreeSet<String> = sources()
        .iter()
        .map(|(entry, _)| format!("{entry}.wgsl"))
        .collect();
    files.sort();
    assert!(files.iter().eq(&kernels), "{files:?}, {kernels:?}");
}

#[test]
fn no_kernel_binds_more_than_eight_storage_buffers() {
    for (name, source) in sources() {
        let module = parsed(&source);
        let storage = module
            .global_variables
            .iter()
            .filter(|(_, variable)| matches!(variable.space, naga::AddressSpace::Storage { .. }))
            .count();
        assert!(storage <= 8, "{name}: {storage}");
    }
}

/// Compares a struct of the shaders, member by member, with offsets from Rust.
fn check_layout(name: &str, size: usize, members: &[(&str, usize)]) {
    let mut seen = 0;
    for (_, source) in sources() {
        let module = parsed(&source);
        for (_, ty) in module.types.iter() {
            if ty.name.as_deref() != Some(name) {
                continue;
            }
            let naga::TypeInner::Struct {
                members: reflected,
                span,
            } = &ty.inner
            else {
                panic!("{name} is no struct");
            };
            let reflected: Vec<(&str, usize)> = reflected
                .iter()
                .map(|member| (member.name.as_deref().unwrap_or(""), member.offset as usize))
                .collect();
            assert_eq!(*span as usize, size, "size of {name}");
            assert_eq!(reflected, members, "offsets of {name}");
            seen += 1;
        }
    }
    assert!(seen > 0, "no shader has a struct {name}");
}

macro_rules! layout_of {
    ($type:ident { $($member:ident),* $(,)? }) => {
        check_layout(
            stringify!($type),
            size_of::<$type>(),
            &[$((stringify!($member), offset_of!($type, $member))),*],
        );
    };
}

#[test]
fn records_have_the_layout_of_the_rust_structs() {
    layout_of!(ContactBlock {
        normal,
        normal_mass,
        arm_a,
        tangent_mass,
        arm_b,
        friction,
        free_velocity,
        residual_mass,
        body_a,
        body_b,
        coupling,
    });
    layout_of!(JointBlock {
        linear,
        free_velocity,
        angular_a,
        softness,
        angular_b,
        mass,
        lower,
        upper,
        body_a,
        body_b,
    });
    layout_of!(JointScale { mass, per_impulse });
    layout_of!(BodyVelocity {
        linear,
        inverse_mass,
        angular,
        padding
    });
    layout_of!(SplitSlots {
        slot_a,
        slot_b,
        copies_a,
        copies_b
    });
    layout_of!(SplitBody {
        body,
        first_slot,
        slot_count,
        padding
    });
    layout_of!(VelocityChange {
        linear,
        padding,
        angular,
        padding_2
    });
    layout_of!(FrictionTable {
        edges,
        directions,
        apothem,
        half_edge,
        law,
        softness,
        hardness,
        is_soft,
        calm_change
    });
    layout_of!(Partial {
        sum_of_squares,
        max
    });
    layout_of!(Control {
        done,
        iterations,
        residual_rms,
        residual_max,
        tolerance,
        check_every,
        iteration_limit,
        block_count,
    });
    layout_of!(SubstepParams {
        start_factor,
        increment_factor,
        past,
        part,
        substep_length,
        per_second,
        rate,
        memory,
        max_push,
        restitution_threshold,
        max_correction,
        max_turn,
        tolerance,
        check_every,
        iteration_limit,
        block_count,
        momentum_rule,
        slop,
        spared,
        softness,
        held,
        held_load,
        spring_time,
        calm_approach,
        touching,
    });
    layout_of!(BodyState {
        gained_linear,
        padding,
        gained_angular,
        padding_2,
        moved_linear,
        padding_3,
        moved_angular,
        padding_4,
    });
    layout_of!(ContactStep {
        start,
        gap,
        increment,
        restitution,
        load,
        root_size,
        share,
        padding,
    });
    layout_of!(ContactTotal { kept, total });
    layout_of!(GivenContact {
        normal,
        friction,
        arm_a,
        gap,
        arm_b,
        restitution,
        start,
        load,
        increment,
        root_size,
        impulse,
        share,
    });
    layout_of!(Window {
        first,
        end,
        block_base,
        entry_base,
        slot_base,
        slot_end,
        flags,
        start_base,
    });
    layout_of!(ContactMemory { previous, start });
    layout_of!(JointMemory { previous, start });
    layout_of!(Progress {
        along,
        step,
        change,
        padding
    });
    layout_of!(Momentum {
        sequence,
        factor,
        restarts,
        rule
    });
    let at = |offset: usize| offset + offset_of!(ClusterBody, inverse);
    check_layout(
        "ClusterBody",
        size_of::<ClusterBody>(),
        &[
            ("inverse", at(0)),
            ("inverse_rest", at(16)),
            ("change_linear", offset_of!(ClusterBody, change_linear)),
            ("padding_2", offset_of!(ClusterBody, padding_2)),
            ("change_angular", offset_of!(ClusterBody, change_angular)),
            ("padding_3", offset_of!(ClusterBody, padding_3)),
        ],
    );
    assert_eq!(offset_of!(ClusterBody, inverse_mass), 24);
    // Six numbers and two unused ones, which the shader loads as two vectors of four.
    check_layout(
        "BodyInertia",
        size_of::<BodyInertia>(),
        &[
            ("inverse", offset_of!(BodyInertia, inverse)),
            ("inverse_rest", offset_of!(BodyInertia, inverse) + 16),
        ],
    );
}

#[test]
fn the_friction_table_has_as_many_edges_in_both_languages() {
    let module = module(Kernel::ContactSweep);
    let (_, table) = module
        .types
        .iter()
        .find(|(_, ty)| ty.name.as_deref() == Some("FrictionTable"))
        .unwrap();
    let naga::TypeInner::Struct { members, .. } = &table.inner else {
        panic!("FrictionTable is no struct");
    };
    let naga::TypeInner::Array { size, stride, .. } = module.types[members[0].ty].inner else {
        panic!("edges are no array");
    };
    assert_eq!(stride, 16);
    let naga::ArraySize::Constant(length) = size else {
        panic!("the number of edges is no constant");
    };
    assert_eq!(length.get() as usize, MAX_FRICTION_DIRECTIONS);
}

/// Programs that draw, of the files in `shaders/render` that make them up.
const PICTURES: [&[&str]; 6] = [
    &["view", "shade", "surface"],
    &["view", "shade", "sphere"],
    &["view", "sphere_shadow"],
    &["view", "shade", "backdrop"],
    &["accumulate"],
    &["present"],
];

#[test]
fn shaders_of_pictures_validate_and_translate() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/render");
    let mut used = BTreeSet::new();
    for parts in PICTURES {
        let text: Vec<String> = parts
            .iter()
            .map(|part| std::fs::read_to_string(format!("{folder}/{part}.wgsl")).unwrap())
            .collect();
        used.extend(parts.iter().map(|part| format!("{part}.wgsl")));
        let module = parsed(&text.join("\n"));
        let flags = naga::valid::ValidationFlags::all();
        let info = naga::valid::Validator::new(flags, naga::valid::Capabilities::empty())
            .validate(&module)
            .unwrap_or_else(|error| panic!("{parts:?}: {error:?}"));
        let options = naga::back::msl::Options {
            // Numbers of instances came with it; wgpu takes the newest that the system knows.
            lang_version: (1, 2),
            fake_missing_bindings: true,
            ..Default::default()
        };
        naga::back::msl::write_string(&module, &info, &options, &Default::default())
            .unwrap_or_else(|error| panic!("{parts:?}: {error:?}"));
        let options = naga::back::spv::Options::default();
        naga::back::spv::write_vec(&module, &info, &options, None)
            .unwrap_or_else(|error| panic!("{parts:?}: {error:?}"));
    }
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files, used);
}
