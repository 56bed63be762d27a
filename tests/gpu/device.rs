//! Choosing an adapter, a host's own device, and a device that fails.

use crate::crowd::Crowd;
use crate::support::adapter;
use drystone::error::Error;
use drystone::solver::gpu::{AdapterChoice, GpuSolver, list_adapters};
use drystone::solver::{Options, Solution, Solver};

fn solve(solver: &mut GpuSolver) -> Result<Solution, Error> {
    let mut solution = Solution::default();
    solver.solve(
        &Crowd::default().problem(),
        &Options::default(),
        &mut solution,
    )?;
    Ok(solution)
}

#[test]
fn an_adapter_that_does_not_exist_is_an_error_that_lists_those_that_do() {
    let error = GpuSolver::new(&AdapterChoice::named("no such adapter")).unwrap_err();
    let Error::NoAdapter(message) = &error else {
        panic!("{error}");
    };
    assert!(message.contains("no such adapter"), "{message}");
    for adapter in list_adapters() {
        assert!(message.contains(&adapter.name), "{message}");
    }
}

#[test]
fn names_are_matched_in_any_case() {
    let name = list_adapters().remove(0).name.to_uppercase();
    let solver = GpuSolver::new(&AdapterChoice::named(name.as_str())).expect("that adapter");
    assert_eq!(solver.adapter().unwrap_or_default().to_uppercase(), name);
    assert_eq!(solver.backend(), "gpu");
}

#[test]
fn software_is_taken_only_when_asked_for() {
    let adapters = list_adapters();
    let hardware = adapters.iter().any(|a| a.usable && !a.software);
    match GpuSolver::new(&AdapterChoice::default()) {
        Ok(solver) => {
            let name = solver.adapter().unwrap_or_default();
            assert!(adapters.iter().any(|a| a.name == name && !a.software));
        }
        Err(Error::NoAdapter(message)) => {
            assert!(!hardware, "{message}");
            assert!(message.contains("hardware"), "{message}");
        }
        Err(error) => panic!("{error}"),
    }
    let allowed = AdapterChoice {
        allow_software: true,
        ..AdapterChoice::default()
    };
    GpuSolver::new(&allowed).expect("any adapter");
}

#[test]
fn adapters_are_listed_hardware_first_with_their_limits() {
    let adapters = list_adapters();
    assert!(!adapters.is_empty());
    assert!(adapters.is_sorted_by_key(|adapter| adapter.software));
    for adapter in &adapters {
        assert!(adapter.max_binding >= 1 << 20, "{adapter:?}");
        assert_eq!(
            adapter.to_string().contains("software"),
            adapter.software,
            "{adapter}"
        );
    }
}

/// A device as a host engine would open it, with its own choice of limits.
fn host_device() -> (wgpu::Device, wgpu::Queue) {
    let own = adapter::solver();
    let name = own.adapter().unwrap_or_default();
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let backends = descriptor.backends;
    let instance = wgpu::Instance::new(descriptor);
    let adapters = pollster::block_on(instance.enumerate_adapters(backends));
    let adapter = adapters
        .into_iter()
        .find(|adapter| adapter.get_info().name == name)
        .expect("the adapter under test");
    pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))
        .expect("a device with default limits")
}

#[test]
fn the_device_of_a_host_is_taken() {
    let (device, queue) = host_device();
    let mut solver = GpuSolver::from_device(device.clone(), queue).expect("kernels on it");
    let solution = solve(&mut solver).expect("a solve");
    assert_eq!(solution, solve(&mut adapter::solver()).expect("a solve"));
    // The host goes on working with it.
    device
        .poll(wgpu::PollType::wait_indefinitely())
        .expect("a living device");
}

/// After `device` is destroyed every call fails, without hanging or panicking.
fn check_loss(mut solver: GpuSolver, device: &wgpu::Device) {
    solve(&mut solver).expect("a solve");
    device.destroy();
    for _ in 0..3 {
        let error = solve(&mut solver).expect_err("the device is lost");
        assert!(matches!(error, Error::Device(_)), "{error}");
    }
}

#[test]
fn a_lost_device_is_an_error_and_stays_one() {
    let solver = adapter::solver();
    let device = solver.device().clone();
    check_loss(solver, &device);
}

#[test]
fn a_lost_device_of_a_host_is_an_error_too() {
    let (device, queue) = host_device();
    let solver = GpuSolver::from_device(device.clone(), queue).expect("kernels on it");
    check_loss(solver, &device);
}
