//! Running the program in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with scenes in it, in which the program runs.
pub(crate) struct Home {
    folder: tempfile::TempDir,
}

/// How the program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Fails the test unless the exit code is this.
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }
}

/// The program, not yet started.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_drystone"))
}

/// Takes every graphics driver away from a process.
pub(crate) fn without_gpu(command: &mut Command) -> &mut Command {
    command
        .env("WGPU_BACKEND", "vulkan")
        .env("VK_DRIVER_FILES", "none")
        .env("VK_ICD_FILENAMES", "none")
        .env_remove("WGPU_ADAPTER_NAME")
}

impl Home {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A folder with the scene of [`drop_scene`] in `drop.toml`.
    pub(crate) fn with_drop_scene() -> Self {
        let home = Self::new();
        home.write("drop.toml", &drop_scene(40));
        home
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Runs the program with no GPU in sight.
    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        self.finish(without_gpu(program().args(args)))
    }

    /// Runs the program with the GPUs of this machine.
    #[cfg(feature = "gpu")]
    pub(crate) fn run_with_gpu(&self, args: &[&str]) -> Ended {
        self.finish(program().args(args))
    }

    /// Runs the program on an adapter that its environment names.
    #[cfg(feature = "gpu")]
    pub(crate) fn run_where(&self, adapter: &str, args: &[&str]) -> Ended {
        self.finish(program().env("WGPU_ADAPTER_NAME", adapter).args(args))
    }

    fn finish(&self, command: &mut Command) -> Ended {
        let Output {
            status,
            stdout,
            stderr,
        } = command.current_dir(self.folder.path()).output().unwrap();
        Ended {
            code: status.code().expect("the program was not killed"),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }
}

/// Names of what is in a folder, in order; empty if there is no such folder.
pub(crate) fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Sixty balls and boxes a little above a floor: they land within a few steps of 1/60 s.
pub(crate) fn drop_scene(steps: u32) -> String {
    format!(
        r#"name = "drop"
description = "Balls and boxes land on a floor."

[simulation]
dt = 0.016666666666666666
steps = {steps}
seed = 7

[solver]
method = "pgs"
iterations = 20

[stabilization]
method = "post"
iterations = 10

[[body]]
name = "floor"
kind = "fixed"
shape = {{ type = "half_space", normal = [0, 0, 1] }}

[[fill]]
name = "heap"
region = {{ type = "box", min = [-0.5, -0.5, 0.02], max = [0.5, 0.5, 3.0] }}
arrangement = "jittered"
spacing = 0.24
jitter = 0.01
count = 60
density = 1000
random_orientation = true
shapes = [
    {{ shape = {{ type = "sphere", radius = 0.1 }} }},
    {{ shape = {{ type = "box", half_extents = [0.05, 0.06, 0.07] }} }},
]

[[probe]]
type = "bed_height"
name = "bed"
"#
    )
}

/// A CSV file as columns of text.
pub(crate) struct Csv {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Csv {
    pub(crate) fn parse(text: &str) -> Self {
        let mut lines = text
            .lines()
            .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let rows: Vec<_> = lines.collect();
        for row in &rows {
            assert_eq!(row.len(), header.len(), "{row:?}");
        }
        Self { header, rows }
    }

    /// A column of numbers.
    pub(crate) fn numbers(&self, name: &str) -> Vec<f64> {
        let at = self.header.iter().position(|h| h == name).unwrap();
        self.rows
            .iter()
            .map(|row| row[at].parse().unwrap())
            .collect()
    }

    /// Everything but the times of the stages.
    pub(crate) fn without_times(&self) -> Vec<Vec<String>> {
        let kept: Vec<usize> = (0..self.header.len())
            .filter(|&column| !self.header[column].starts_with("t_"))
            .collect();
        assert_eq!(self.header.len() - kept.len(), 6, "{:?}", self.header);
        std::iter::once(&self.header)
            .chain(&self.rows)
            .map(|row| kept.iter().map(|&column| row[column].clone()).collect())
            .collect()
    }
}
