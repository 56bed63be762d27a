//! Pipelines and bind groups on wgpu's device that does nothing: they fit together, and no adapter
//! is needed to know.

use crate::crowd::Crowd;
use drystone::solver::gpu::GpuSolver;
use drystone::solver::{Method, Options, Solution, Solver};

#[test]
fn pipelines_and_bind_groups_fit_on_a_device_with_default_limits() {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    let mut solver = GpuSolver::from_device(device, queue).expect("pipelines for default limits");
    for method in Method::ALL {
        let options = Options {
            method,
            iterations: 2,
            ..Options::default()
        };
        solver
            .solve(
                &Crowd::default().problem(),
                &options,
                &mut Solution::default(),
            )
            .expect("bind groups that fit their layouts");
    }
}

#[test]
fn pipelines_fit_the_lowest_limits_of_web_gpu() {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits::downlevel_defaults(),
        ..Default::default()
    });
    // These limits allow four storage buffers; the kernels need more, and say so.
    let error = GpuSolver::from_device(device, queue)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("storage buffers per shader stage"),
        "{error}"
    );
}
