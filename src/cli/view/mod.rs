//! `drystone view`: a run in a window.

mod app;
mod args;
mod orbit;
mod panel;
mod pick;
mod playback;
mod player;
mod residuals;
mod screen;
mod spring;

use crate::failure::Failure;
use crate::plan;
use crate::render::{Look, Set, Source};
use app::{App, Wake, Wish};
pub(crate) use args::ViewArgs;
use drystone::Error;
use playback::{Live, Playback, Recorded};
use player::Player;
use winit::event_loop::EventLoop;

/// Keys and mouse, for `--help`.
pub(crate) const HELP: &str = "\
Keys:
  Space            run, pause
  . or Right       one step; Left goes one frame back where frames are shown
  R                start again
  + -              twice, half the pace
  C                colour by the next quantity
  F K J            show forces, contacts, joints
  E                hide or show the residuals of the last steps
  A                see all bodies
  V                the view at the start
  H                hide or show the keys
  Q or Escape      quit

Mouse:
  drag a body      pull at it with a spring, critically damped for its mass and that of what joints tie to it
  drag beside bodies, or with the right button
                   turn the view
  middle button, or Shift and drag
                   move the view
  wheel            nearer, farther

Exit codes: 0 the window was closed, 1 there is no display or no adapter, or it failed, 2 bad usage or input.";

/// Shows a scene or a run until the window is closed.
pub(crate) fn view(args: &ViewArgs) -> Result<(), Failure> {
    let pool = plan::thread_pool(args.threads)?;
    let mut source = Source::open(&args.source, false)?;
    let event_loop = event_loop().map_err(Failure::Run)?;
    let recording = if args.live { None } else { source.recording()? };
    let (playback, world, look) = match recording {
        Some(recording) => {
            refuse_what_is_not_recorded(&args.look)?;
            let world = plan::take_world(&mut source.scene);
            (
                Playback::Recorded(Recorded::new(recording)),
                world,
                args.look,
            )
        }
        None => {
            let simulation = pool.install(|| match source.at_checkpoint(u64::MAX) {
                Some(simulation) => Ok(simulation),
                None => source.begin(),
            })?;
            let world = simulation.world().clone();
            let live = Live::new(simulation).map_err(Failure::Run)?;
            (Playback::Live(Box::new(live)), world, args.look)
        }
    };
    let mut first = world.clone();
    let snapshot = playback.snapshot(&look).map_err(Failure::Input)?;
    snapshot.restore(&mut first);
    let snapshots = [snapshot];
    let set =
        Set::new(&source.scene, &first, &snapshots, look, args.size).map_err(Failure::Input)?;
    let proxy = event_loop.create_proxy();
    let wake = move || {
        // A window that is gone wants no news.
        let _ = proxy.send_event(Wake);
    };
    let player = Player::start(playback, look, !args.paused, pool, wake).map_err(Failure::Run)?;
    let wish = Wish {
        name: source.scene.name.clone(),
        size: args.size,
        adapter: args.adapter.clone(),
    };
    let mut app = App::new(wish, player, set, first, look);
    let ended = event_loop.run_app(&mut app);
    if let Some(why) = app.failure.take() {
        return Err(Failure::Run(why));
    }
    ended.map_err(|why| Failure::Run(no_window(&why.to_string())))
}

/// Frames say how bodies move, and no more.
fn refuse_what_is_not_recorded(look: &Look) -> Result<(), Failure> {
    if !look.needs_simulation() {
        return Ok(());
    }
    Err(Failure::Input(Error::invalid(
        "--forces, --contacts, --color",
        "frames do not hold forces, contacts and clusters; --live simulates the run",
    )))
}

/// The connection to the display.
fn event_loop() -> drystone::Result<EventLoop<Wake>> {
    // Where a library of the system is missing, winit panics in the place of an error.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let opened = std::panic::catch_unwind(|| EventLoop::with_user_event().build());
    std::panic::set_hook(hook);
    match opened {
        Ok(opened) => opened.map_err(|why| no_window(&why.to_string())),
        Err(panic) => {
            let why = panic.downcast_ref::<String>().cloned();
            let why = why.or_else(|| panic.downcast_ref::<&str>().map(|&why| why.to_owned()));
            Err(no_window(&why.unwrap_or_default()))
        }
    }
}

fn no_window(why: &str) -> Error {
    Error::invalid(
        "window",
        format!(
            "there is no display to show it on ({why}); drystone render draws pictures without one"
        ),
    )
}
