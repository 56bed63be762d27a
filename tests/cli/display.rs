//! A display of its own for each test (Xvfb), its pointer, its keys, and what is to be seen on it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ClientMessageEvent, ConfigureWindowAux,
    ConnectionExt as _, EventMask, ImageFormat, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT,
    MOTION_NOTIFY_EVENT, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// A display without a window manager.
pub(crate) struct Display {
    server: Child,
    name: String,
    connection: RustConnection,
    root: Window,
}

/// A picture of a window: red, green and blue of each pixel, rows from the top.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shot {
    pub(crate) width: usize,
    pub(crate) pixels: Vec<[u8; 3]>,
}

impl Display {
    pub(crate) fn new() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "800x600x24"])
            .args(["-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|why| panic!("Xvfb, which tests/run.sh installs: {why}"));
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap())
            .read_line(&mut number)
            .unwrap();
        let name = format!(":{}", number.trim());
        let (connection, screen) = RustConnection::connect(Some(&name)).unwrap();
        let root = connection.setup().roots[screen].root;
        Self {
            server,
            name,
            connection,
            root,
        }
    }

    /// Lets a program that is not yet started use the display.
    pub(crate) fn show<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("DISPLAY", &self.name)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A program that shows a window.
pub(crate) struct Shown<'a> {
    display: &'a Display,
    program: Child,
    window: Window,
}

impl<'a> Shown<'a> {
    /// Starts a program, and waits for its window.
    pub(crate) fn start(display: &'a Display, command: &mut Command) -> Self {
        let program = display.show(command).spawn().unwrap();
        let mut shown = Self {
            display,
            program,
            window: 0,
        };
        let window = shown.wait("a window", |shown| {
            let tree = shown.x().query_tree(display.root).unwrap().reply().unwrap();
            let mut children = tree.children.into_iter();
            children.find(|&window| {
                let attributes = shown.x().get_window_attributes(window).unwrap().reply();
                let is_seen = attributes.is_ok_and(|found| u8::from(found.map_state) == 2);
                is_seen && shown.name(window).contains(" s, ")
            })
        });
        shown.window = window;
        let now = x11rb::CURRENT_TIME;
        let focus = shown.x().set_input_focus(InputFocus::PARENT, window, now);
        focus.unwrap().check().unwrap();
        shown
    }

    fn x(&self) -> &'a RustConnection {
        &self.display.connection
    }

    fn name(&self, window: Window) -> String {
        let name = AtomEnum::WM_NAME;
        let property = self
            .x()
            .get_property(false, window, name, AtomEnum::ANY, 0, 999);
        let reply = property.unwrap().reply();
        reply.map_or_else(
            |_| String::new(),
            |name| String::from_utf8_lossy(&name.value).into(),
        )
    }

    /// Asks again and again until there is an answer.
    pub(crate) fn wait<T>(&mut self, what: &str, ask: impl Fn(&Self) -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(answer) = ask(self) {
                return answer;
            }
            if let Some(status) = self.program.try_wait().unwrap() {
                panic!("the program ended before {what}: {status}");
            }
            let title = self.name(self.window);
            assert!(
                start.elapsed() < PATIENCE,
                "no {what}; the title is \"{title}\""
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Time in the title, once its state is this one `[s]`.
    pub(crate) fn time_when(&mut self, state: &str) -> f64 {
        self.wait(state, |shown| {
            let title = shown.name(shown.window);
            let (_, rest) = title.split_once(": ")?;
            let (time, now) = rest.split_once(" s, ")?;
            (now == state).then(|| time.parse().unwrap())
        })
    }

    /// Waits until the title has another time, and gives it `[s]`.
    pub(crate) fn time_after(&mut self, before: f64, state: &str) -> f64 {
        self.wait("another time", |shown| {
            let title = shown.name(shown.window);
            let (_, rest) = title.split_once(": ")?;
            let (time, now) = rest.split_once(" s, ")?;
            let time: f64 = time.parse().unwrap();
            (time != before && now == state).then_some(time)
        })
    }

    /// The window as it is now.
    pub(crate) fn shot(&self) -> Shot {
        let size = self.x().get_geometry(self.window).unwrap().reply().unwrap();
        let (width, height) = (size.width, size.height);
        let format = ImageFormat::Z_PIXMAP;
        let image = self
            .x()
            .get_image(format, self.window, 0, 0, width, height, u32::MAX);
        let data = image.unwrap().reply().unwrap().data;
        Shot {
            width: width.into(),
            pixels: data.chunks_exact(4).map(|p| [p[2], p[1], p[0]]).collect(),
        }
    }

    fn input(&self, kind: u8, detail: u8, [x, y]: [f64; 2]) {
        let (x, y) = (x.round() as i16, y.round() as i16);
        let fake = self
            .x()
            .xtest_fake_input(kind, detail, 0, self.display.root, x, y, 0);
        fake.unwrap().check().unwrap();
    }

    /// Presses and releases the key of a symbol: that of a character of Latin 1 is its number.
    pub(crate) fn key(&self, symbol: u32) {
        let setup = self.x().setup();
        let (least, most) = (setup.min_keycode, setup.max_keycode);
        let mapping = self.x().get_keyboard_mapping(least, most - least + 1);
        let mapping = mapping.unwrap().reply().unwrap();
        let each = usize::from(mapping.keysyms_per_keycode);
        let mut keys = mapping.keysyms.chunks(each);
        let at = keys.position(|key| key[0] == symbol).unwrap();
        for kind in [KEY_PRESS_EVENT, KEY_RELEASE_EVENT] {
            self.input(kind, least + at as u8, [0.0; 2]);
        }
    }

    /// Moves the pointer.
    pub(crate) fn point(&self, at: [f64; 2]) {
        self.input(MOTION_NOTIFY_EVENT, 0, at);
    }

    /// Presses a button of the mouse, 1 the left one.
    pub(crate) fn press(&self, button: u8) {
        self.input(BUTTON_PRESS_EVENT, button, [0.0; 2]);
    }

    pub(crate) fn release(&self, button: u8) {
        self.input(BUTTON_RELEASE_EVENT, button, [0.0; 2]);
    }

    /// Drags from a place to another, with stops on the way, and holds the button.
    pub(crate) fn drag(&self, button: u8, from: [f64; 2], to: [f64; 2]) {
        self.point(from);
        self.press(button);
        for stop in 1..=10 {
            let share = f64::from(stop) / 10.0;
            self.point([0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis])));
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Gives the window another size.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let size = ConfigureWindowAux::new().width(width).height(height);
        let configure = self.x().configure_window(self.window, &size);
        configure.unwrap().check().unwrap();
    }

    /// Asks the window to close, as window managers do, and gives how the program ends.
    pub(crate) fn close(mut self) -> ExitStatus {
        let atom = |name: &str| {
            let atom = self.x().intern_atom(false, name.as_bytes());
            atom.unwrap().reply().unwrap().atom
        };
        let (protocols, delete) = (atom("WM_PROTOCOLS"), atom("WM_DELETE_WINDOW"));
        let data = [delete, x11rb::CURRENT_TIME, 0, 0, 0];
        let message = ClientMessageEvent::new(32, self.window, protocols, data);
        let sent = self
            .x()
            .send_event(false, self.window, EventMask::NO_EVENT, message);
        sent.unwrap().check().unwrap();
        self.ended()
    }

    /// Waits until the program has ended.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.program.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "the program does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

impl Shot {
    /// Number and middle of the pixels of a colour.
    pub(crate) fn middle_of(&self, is_it: impl Fn([u8; 3]) -> bool) -> (usize, [f64; 2]) {
        let (mut count, mut sum) = (0, [0.0; 2]);
        for (at, pixel) in self.pixels.iter().enumerate() {
            if is_it(*pixel) {
                count += 1;
                sum[0] += (at % self.width) as f64;
                sum[1] += (at / self.width) as f64;
            }
        }
        (count, sum.map(|sum| sum / f64::from(count.max(1) as u32)))
    }

    /// Share of the pixels that differ by more than noise.
    pub(crate) fn difference(&self, other: &Self) -> f64 {
        assert_eq!(self.pixels.len(), other.pixels.len());
        let differs = |(a, b): &(&[u8; 3], &[u8; 3])| {
            a.iter().zip(b.iter()).any(|(a, b)| a.abs_diff(*b) > 24)
        };
        let count = self
            .pixels
            .iter()
            .zip(&other.pixels)
            .filter(differs)
            .count();
        count as f64 / self.pixels.len() as f64
    }

    /// The picture as a PNG file, for whoever wants to see it.
    pub(crate) fn save(&self, path: &std::path::Path) {
        let height = self.pixels.len() / self.width;
        let file = std::fs::File::create(path).unwrap();
        let mut encoder = png::Encoder::new(file, self.width as u32, height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(self.pixels.as_flattened()).unwrap();
    }
}
