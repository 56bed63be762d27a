//! drystone computes how large crowds of rigid bodies touch.
//!
//! Contacts and joints become a linear complementarity problem (LCP), solved in parallel on the GPU (WGSL
//! compute shaders) or on the CPU (rayon); a second, position-level LCP removes the constraint error that
//! is left; and every answer comes with its residual.
//!
//! # The path of a step
//!
//! ```text
//! scene file -> World -> broadphase -> narrowphase -> Problem -> colouring -> Solver
//!                                                                              |
//!           measures, files <- contacts <- post-stabilization <- integration <-+
//!                                          (second LCP, on positions)
//! ```
//!
//! The modules below stand in this order, and each uses only those before it.
//! [`step::Simulation::step`] is the path in code. From there to the arithmetic of a contact, each function calls the next:
//!
//! | call | file | does |
//! |---|---|---|
//! | `Simulation::step`, `Simulation::solve_part` | `step/parts.rs` | divides the step into parts, finds contacts after each; has the problem of a part solved, moves the bodies |
//! | `CpuSolver::attempt`, `CpuSolver::iterate` | `solver/cpu/run.rs` | checks and packs the problem, takes substep after substep; sweep after sweep |
//! | `Lanes::sweep` | `solver/cpu/lanes/sweep.rs` | colour after colour, each contact by its law |
//! | `Team::pipeline` | `parallel/team.rs` | calls the closure that it gets from `Lanes::sweep` for a colour of each domain |
//! | `Width::compiled` | `simd/mod.rs` | is the kernel that the closure calls, for the processor's vectors: `run_avx512`, which calls it |
//! | `Part::run`, `Part::update` | `solver/cpu/lanes/sweep.rs` | contacts in lanes, two strips of them in turns; a point of a strip |
//! | `Law::update` | `solver/cpu/contact.rs` | the impulse of a contact |
//!
//! These are 9 calls over 6 files. A host's own [`problem::Problem`] enters at `CpuSolver::attempt`, by way of [`solver::Solver::step`]: 7 calls, or 5 without the two that
//! hand a closure and a kernel on.
//!
//! On several threads `Simulation::step`, or `CpuSolver::attempt` where the step has not, calls itself once more through `together` (`parallel/team.rs`); and between
//! `Team::pipeline` and the closure threads wait for each other (`parallel/gate.rs`, `parallel/pipeline.rs`).
//!
//! # A pile tonight
//!
//! ```
//! use drystone::scene::{Overrides, Scene};
//! use drystone::solver::cpu::CpuSolver;
//! use drystone::step::Simulation;
//!
//! # fn main() -> drystone::Result<()> {
//! let scene = Scene::load("scenes/bench/pile_spheres_1k.toml".as_ref(), &Overrides::default())?;
//! let mut simulation =
//!     Simulation::new(scene.world, scene.settings, Box::new(CpuSolver::new()))?;
//! for _ in 0..10 {
//!     let report = simulation.step()?;
//!     assert!(report.velocity.residual_rms.is_finite());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Your engine's contacts
//!
//! An engine that has bodies and contacts of its own enters at [`problem::Problem`] and leaves with
//! velocities; it needs nothing of [`world`] or [`collide`].
//!
//! ```
//! use drystone::problem::{Body, Contact, Problem, bias};
//! use drystone::solver::{Options, Solution, Solver, cpu::CpuSolver};
//!
//! # fn main() -> drystone::Result<()> {
//! let h = 1.0 / 60.0;
//! // A ball of 2 kg and radius 0.5 m, falling at 3 m/s, gravity's share of the step included.
//! let inverse_inertia = 1.0 / (0.4 * 2.0 * 0.5 * 0.5);
//! let diagonal = [inverse_inertia, 0.0, 0.0, inverse_inertia, 0.0, inverse_inertia];
//! let ball = Body::dynamic(0.5, diagonal, [1.0, 0.0, -3.0], [0.0; 3]);
//! let ground = Body::immovable([0.0; 3], [0.0; 3]);
//! let touch = Contact {
//!     body_a: 0,
//!     body_b: 1,
//!     arm_a: [0.0, 0.0, -0.5], // from the ball's centre to the contact point
//!     arm_b: [0.0, 0.0, 0.0],
//!     normal: [0.0, 0.0, 1.0], // from B to A
//!     bias: bias::velocity(0.0, -3.0, 0.5, 0.3, h), // separation, approach, restitution, ...
//!     friction: 0.4,
//!     impulse: [0.0; 3], // last step's, to start from
//! };
//! let problem = Problem { bodies: vec![ball, ground], contacts: vec![touch], ..Problem::default() };
//! let mut solution = Solution::default();
//! let report = CpuSolver::new().solve(&problem, &Options::default(), &mut solution)?;
//! assert!((solution.velocities[0].linear[2] - 1.5).abs() < 1e-6); // bounces at half its speed
//! assert!(report.residual_max < 1e-6); // m/s
//! # Ok(())
//! # }
//! ```

mod constants;
pub mod error;
pub mod math;
mod parallel;
mod simd;

mod lcp;
pub mod problem;
pub mod solver;

pub mod world;

pub mod collide;
pub mod measure;

pub mod stabilize;

pub mod event;
pub mod step;

#[cfg(feature = "scene")]
pub mod scene;

#[cfg(feature = "scene")]
pub mod output;

#[cfg(feature = "scene")]
pub mod problem_file;

#[doc(hidden)]
pub mod internals;

pub use error::{Error, Result};
pub use parallel::on_this_thread;
/// The `wgpu` that [`GpuSolver::from_device`](solver::gpu::GpuSolver::from_device) takes devices of.
#[cfg(feature = "gpu")]
pub use wgpu;
