//! The window: what keys and mouse do, and when it is drawn.

use super::orbit;
use super::panel::{self, Controls};
use super::pick::pick;
use super::player::{Facts, Moment, Order, Player};
use super::screen::Screen;
use crate::render::{Camera, ColorBy, Look, Set};
use clap::ValueEnum;
use drystone::Result;
use drystone::math::Vec3;
use drystone::world::World;
use std::sync::Arc;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::keyboard::{Key, ModifiersState, NamedKey};
use winit::window::{Window, WindowId};

/// The player has a new moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wake;

/// Size of the panel's text on a display of ordinary density `[pixels]`.
const TEXT: f64 = 15.0;
/// Least time between two panels of a run that goes on.
const READING: Duration = Duration::from_millis(100);
/// Factor of the pace by a key.
const PACE: f64 = 2.0;
/// Bounds of the pace `[simulated s/s]`.
const PACES: (f64, f64) = (1.0 / 64.0, 64.0);
/// Samples of which bodies as if of glass are in one at least.
const GLASS: u32 = 3;
/// Pixels of a turn of a wheel that says pixels.
const NOTCH: f64 = 40.0;

/// All that a window is made from.
pub(super) struct Wish {
    pub(super) name: String,
    pub(super) size: (u32, u32),
    pub(super) adapter: Option<String>,
}

/// The window and what it shows.
pub(super) struct App {
    wish: Wish,
    player: Player,
    set: Set,
    /// The bodies as they are in the newest moment.
    world: World,
    first_view: Camera,
    moment: Option<Moment>,
    controls: Controls,
    screen: Option<(Arc<Window>, Screen)>,
    pointer: [f64; 2],
    modifiers: ModifiersState,
    drag: Option<Drag>,
    needs_scenery: bool,
    /// Time at which the panel was written last; nothing if it has to be.
    written: Option<Instant>,
    /// Reason why the window closes by itself.
    pub(super) failure: Option<drystone::Error>,
}

/// Effect of a move of the pointer.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Drag {
    /// Turns the camera.
    Turn,
    /// Moves the camera.
    Shift,
    /// Pulls at a body, in the plane across the view through the point that was taken `[m]`.
    Pull(Vec3),
}

impl App {
    pub(super) fn new(wish: Wish, player: Player, set: Set, world: World, look: Look) -> Self {
        Self {
            wish,
            player,
            first_view: set.camera,
            set,
            world,
            moment: None,
            controls: Controls {
                look,
                pace: 1.0,
                explains: true,
                curves: true,
            },
            screen: None,
            pointer: [0.0; 2],
            modifiers: ModifiersState::empty(),
            drag: None,
            needs_scenery: false,
            written: None,
            failure: None,
        }
    }

    /// Opens the window, and the adapter that draws on it.
    fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<()> {
        let (width, height) = self.wish.size;
        let attributes = Window::default_attributes()
            .with_title(self.wish.name.clone())
            .with_inner_size(PhysicalSize::new(width, height));
        let window = event_loop
            .create_window(attributes)
            .map_err(|why| super::no_window(&why.to_string()))?;
        let window = Arc::new(window);
        let display = event_loop.owned_display_handle();
        let adapter = self.wish.adapter.as_deref();
        let mut screen = Screen::new(Arc::clone(&window), display, adapter)?;
        screen.resize(window.inner_size())?;
        window.request_redraw();
        self.screen = Some((window, screen));
        self.needs_scenery = true;
        Ok(())
    }

    fn redraw(&self) {
        if let Some((window, _)) = &self.screen {
            window.request_redraw();
        }
    }

    fn resize(&mut self, size: PhysicalSize<u32>) -> Result<()> {
        if let Some((window, screen)) = &mut self.screen {
            screen.resize(size)?;
            self.written = None;
            window.request_redraw();
        }
        Ok(())
    }

    fn draw(&mut self) -> Result<()> {
        self.take_moment();
        let (Some((window, screen)), Some(moment)) = (&mut self.screen, &self.moment) else {
            return Ok(());
        };
        let Some((width, _)) = screen.size() else {
            return Ok(());
        };
        if std::mem::take(&mut self.needs_scenery) {
            let (snapshot, pull) = (&moment.snapshot, moment.pull);
            let scenery = self.set.scenery(&mut self.world, snapshot, pull);
            let look = &self.controls.look;
            let least = if look.joints || look.contacts {
                GLASS
            } else {
                1
            };
            screen.show(scenery, self.set.camera, least);
        }
        if self
            .written
            .is_none_or(|written| moment.is_running && written.elapsed() > READING)
        {
            let size = (TEXT * window.scale_factor()).round() as u32;
            let legend = self.set.legend();
            let image = panel::panel(moment, &self.controls, legend.as_ref(), size, width)?;
            screen.lay(Some(&image));
            window.set_title(&format!("{}: {}", self.wish.name, panel::state(moment)));
            self.written = Some(Instant::now());
        }
        if screen.draw()? {
            window.request_redraw();
        }
        Ok(())
    }

    fn take_moment(&mut self) {
        let Some(moment) = self.player.take() else {
            return;
        };
        moment.snapshot.restore(&mut self.world);
        self.set.follow(&self.world, &moment.snapshot);
        let was_running = self.moment.as_ref().is_some_and(|before| before.is_running);
        if !(moment.is_running && was_running) {
            self.written = None;
        }
        self.moment = Some(moment);
        self.needs_scenery = true;
    }

    fn key(&mut self, event_loop: &ActiveEventLoop, event: &KeyEvent) {
        if event.state != ElementState::Pressed {
            return;
        }
        let word = match &event.logical_key {
            Key::Named(NamedKey::Space) => " ".to_owned(),
            Key::Named(NamedKey::ArrowRight) => ".".to_owned(),
            Key::Named(NamedKey::ArrowLeft) => ",".to_owned(),
            Key::Named(NamedKey::Escape) => "q".to_owned(),
            Key::Character(text) => text.to_lowercase(),
            _ => return,
        };
        // Only steps are repeated while a key is held.
        match (word.as_str(), event.repeat) {
            (".", _) => self.player.order(Order::Forward),
            (",", _) => self.player.order(Order::Back),
            (_, true) => {}
            (" ", _) => {
                let runs = self.moment.as_ref().is_some_and(|moment| moment.is_running);
                self.player.order(Order::Run(!runs));
            }
            ("r", _) => self.reset(),
            ("+" | "=", _) => self.pace(PACE),
            ("-", _) => self.pace(1.0 / PACE),
            ("c", _) => self.look(|look| look.color = next(look.color)),
            ("f", _) => self.look(|look| look.forces = !look.forces),
            ("k", _) => self.look(|look| look.contacts = !look.contacts),
            ("j", _) => self.look(|look| look.joints = !look.joints),
            ("h", _) => {
                self.controls.explains = !self.controls.explains;
                self.written = None;
                self.redraw();
            }
            ("e", _) => {
                self.controls.curves = !self.controls.curves;
                self.written = None;
                self.redraw();
            }
            ("v", _) => self.camera(|camera, first| *camera = first),
            ("a", _) => self.see_all(),
            ("q", _) => event_loop.exit(),
            _ => {}
        }
    }

    fn reset(&mut self) {
        self.drag = None;
        self.player.order(Order::Reset);
    }

    fn pace(&mut self, factor: f64) {
        let (least, most) = PACES;
        self.controls.pace = (self.controls.pace * factor).clamp(least, most);
        self.player.order(Order::Pace(self.controls.pace));
        self.written = None;
        self.redraw();
    }

    fn look(&mut self, change: impl FnOnce(&mut Look)) {
        change(&mut self.controls.look);
        // Of recorded bodies nothing is known but how they move.
        while self.is_recorded() && self.controls.look.needs_simulation() {
            let look = &mut self.controls.look;
            (look.forces, look.contacts) = (false, false);
            if look.needs_step() {
                look.color = next(look.color);
            }
        }
        self.set.look(self.controls.look, &self.world);
        self.player.order(Order::Look(self.controls.look));
        self.written = None;
    }

    fn is_recorded(&self) -> bool {
        let facts = self.moment.as_ref().map(|moment| &moment.facts);
        matches!(facts, Some(Facts::Recorded { .. }))
    }

    /// Moves the camera to where all bodies are seen.
    fn see_all(&mut self) {
        if let Some(size) = self.size()
            && let Some(camera) = self.set.fitted(&self.world, size)
        {
            self.camera(|now, _| *now = camera);
        }
    }

    fn camera(&mut self, change: impl FnOnce(&mut Camera, Camera)) {
        change(&mut self.set.camera, self.first_view);
        if let Some((window, screen)) = &mut self.screen {
            screen.look_from(self.set.camera);
            window.request_redraw();
        }
    }

    fn button(&mut self, state: ElementState, button: MouseButton) {
        if state == ElementState::Released {
            if let Some(Drag::Pull(_)) = self.drag.take() {
                self.player.order(Order::Release);
            }
            return;
        }
        if self.drag.is_some() {
            return;
        }
        self.drag = match button {
            MouseButton::Left if self.modifiers.shift_key() => Some(Drag::Shift),
            MouseButton::Left => Some(self.grab().unwrap_or(Drag::Turn)),
            MouseButton::Right => Some(Drag::Turn),
            MouseButton::Middle => Some(Drag::Shift),
            _ => None,
        };
    }

    /// Takes hold of the body under the pointer, if there is one.
    fn grab(&self) -> Option<Drag> {
        if self.is_recorded() {
            return None;
        }
        let ray = orbit::ray(&self.set.camera, self.pointer, self.size()?);
        let (body, distance) = pick(&self.world, &ray)?;
        let at = ray.at(distance);
        let point = self.world.bodies[body as usize].pose.inverse_point(&at);
        self.player.order(Order::Grab(body, point));
        Some(Drag::Pull(at))
    }

    fn size(&self) -> Option<(u32, u32)> {
        self.screen.as_ref()?.1.size()
    }

    fn moved(&mut self, to: [f64; 2]) {
        let before = std::mem::replace(&mut self.pointer, to);
        let (Some(drag), Some((width, height))) = (self.drag, self.size()) else {
            return;
        };
        let by = [0, 1].map(|axis| (to[axis] - before[axis]) / f64::from(height));
        match drag {
            Drag::Turn => self.camera(|camera, _| orbit::orbit(camera, by)),
            Drag::Shift => self.camera(|camera, _| orbit::shift(camera, by)),
            Drag::Pull(at) => {
                let camera = &self.set.camera;
                let ray = orbit::ray(camera, to, (width, height));
                let [_, _, back] = camera.axes();
                if let Some(distance) = ray.plane(&at, &back) {
                    self.player.order(Order::Hand(ray.at(distance)));
                }
            }
        }
    }

    fn wheel(&mut self, delta: MouseScrollDelta) {
        let notches = match delta {
            MouseScrollDelta::LineDelta(_, lines) => f64::from(lines),
            MouseScrollDelta::PixelDelta(by) => by.y / NOTCH,
        };
        let (_, radius) = self.set.room();
        let between = (0.02 * radius, 100.0 * radius);
        self.camera(|camera, _| orbit::zoom(camera, notches, between));
    }

    /// Ends where something failed.
    fn watch(&mut self, event_loop: &ActiveEventLoop, outcome: Result<()>) {
        if let Err(why) = outcome {
            self.failure.get_or_insert(why);
            event_loop.exit();
        } else if self.player.is_over() && !event_loop.exiting() {
            let why = "the thread of the simulation has ended";
            self.failure
                .get_or_insert(drystone::Error::invalid("window", why));
            event_loop.exit();
        }
    }
}

impl ApplicationHandler<Wake> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        event_loop.set_control_flow(ControlFlow::Wait);
        if self.screen.is_none() {
            let opened = self.open(event_loop);
            self.watch(event_loop, opened);
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, Wake: Wake) {
        self.redraw();
        self.watch(event_loop, Ok(()));
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let outcome = match event {
            WindowEvent::CloseRequested => {
                event_loop.exit();
                return;
            }
            WindowEvent::Resized(size) => self.resize(size),
            WindowEvent::RedrawRequested => self.draw(),
            WindowEvent::ScaleFactorChanged { .. } => {
                self.written = None;
                self.redraw();
                Ok(())
            }
            WindowEvent::Occluded(false) => {
                self.redraw();
                Ok(())
            }
            WindowEvent::ModifiersChanged(modifiers) => {
                self.modifiers = modifiers.state();
                Ok(())
            }
            WindowEvent::KeyboardInput {
                event,
                is_synthetic: false,
                ..
            } => {
                self.key(event_loop, &event);
                Ok(())
            }
            WindowEvent::CursorMoved { position, .. } => {
                self.moved([position.x, position.y]);
                Ok(())
            }
            WindowEvent::MouseInput { state, button, .. } => {
                self.button(state, button);
                Ok(())
            }
            WindowEvent::MouseWheel { delta, .. } => {
                self.wheel(delta);
                Ok(())
            }
            _ => Ok(()),
        };
        self.watch(event_loop, outcome);
    }
}

/// The next quantity for colours.
fn next(color: ColorBy) -> ColorBy {
    let all = ColorBy::value_variants();
    let at = all.iter().position(|other| *other == color).unwrap_or(0);
    all[(at + 1) % all.len()]
}
