//! What a measurement needs: a copy of the harness, the peers, this engine's command.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::workloads;
pub(super) use crate::process::run;
use crate::profiled::Build;

/// Folders of one measurement.
pub(super) struct Places {
    /// The repository.
    pub(super) root: PathBuf,
    /// The copy of the harness, which writes beside itself.
    pub(super) harness: PathBuf,
    /// Where results go.
    pub(super) results: PathBuf,
    /// The virtual environment of the peers.
    venv: PathBuf,
    /// Where cargo builds.
    target: PathBuf,
}

/// Python packages that every peer needs.
const COMMON: [&str; 5] = ["numpy", "tokenizers", "psutil", "apache-tvm-ffi", "pydantic"];

impl Places {
    /// The places below the target folder.
    pub(super) fn new(root: &Path) -> Places {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let bench = target.join("bench");
        Places {
            root: root.to_owned(),
            harness: bench.join("peerbench"),
            results: bench.join("results"),
            venv: bench.join("venv"),
            target,
        }
    }

    /// A file of the harness's data.
    pub(super) fn data(&self, name: &str) -> PathBuf {
        self.harness.join("data").join(name)
    }

    /// The results of one run.
    pub(super) fn result(&self, name: &str) -> PathBuf {
        self.results.join(format!("{name}.jsonl"))
    }

    /// Where the tables of vocabularies are kept.
    pub(super) fn tables(&self) -> PathBuf {
        self.target.join("bench/tables")
    }

    /// What the results are of.
    pub(super) fn about(&self) -> PathBuf {
        self.results.join("about.txt")
    }

    /// The outcome of comparing masks with the reference.
    pub(super) fn verified(&self) -> PathBuf {
        self.results.join("verified.txt")
    }

    /// The command that is measured.
    pub(super) fn tokenstile(&self) -> PathBuf {
        self.target.join("release/tokenstile")
    }

    /// The same, built with a profile.
    pub(super) fn profiled(&self) -> PathBuf {
        self.target.join("profiled/tokenstile")
    }

    /// The native loop of llguidance.
    pub(super) fn llgbench(&self) -> PathBuf {
        self.target.join("bench/llgbench/release/llgbench")
    }

    /// The interpreter that has the peers.
    pub(super) fn python(&self) -> PathBuf {
        self.venv.join("bin/python")
    }

    /// Copies the harness here, anew.
    pub(super) fn copy_harness(&self) -> io::Result<()> {
        fs::create_dir_all(&self.results)?;
        copy(&self.root.join("../shared/peerbench"), &self.harness)?;
        // The native loop stands for itself, and has exactly the version that the page names.
        let manifest = self.harness.join("rust/Cargo.toml");
        let text = fs::read_to_string(&manifest)?.replace("\"1.9.1\"", "\"=1.9.1\"");
        fs::write(&manifest, format!("{text}\n[workspace]\n"))
    }

    /// Has the harness measure what is in a folder: files of the same names take the place of its data.
    pub(super) fn put_data(&self, folder: &Path) -> io::Result<()> {
        copy(folder, &self.harness.join("data"))
    }

    /// Takes what [`put_data`](Places::put_data) did back.
    pub(super) fn restore_data(&self) -> io::Result<()> {
        self.put_data(&self.root.join("../shared/peerbench/data"))
    }

    /// Makes cases by `tools/bench/cases.py`.
    pub(super) fn make_cases(&self, arguments: &[&Path]) -> Result<(), String> {
        self.make_venv()?;
        if !self.runs("import tiktoken", &[]) {
            self.pip(&["tiktoken"])?;
        }
        let mut python = Command::new(self.python());
        run(python.arg(self.root.join("tools/bench/cases.py")).args(arguments))
    }

    /// Builds the command without what runs models.
    pub(super) fn build_tokenstile(&self) -> Result<(), String> {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&self.root).args(["build", "--release", "--quiet", "--no-default-features"]);
        run(cargo.args(["--package", "tokenstile-cli", "--features", "dev"]))
    }

    /// Builds the command with a profile of schemas that are not measured.
    pub(super) fn build_profiled(&self) -> Result<(), String> {
        let target = self.target.join("profiled");
        let build = Build { root: &self.root, target: &target, arguments: &["--no-default-features"] };
        build.build(&self.data("vocab.jsonl"), &workloads::others(self)?.training).map(|_| ())
    }

    /// Builds the native loop of llguidance.
    pub(super) fn build_llgbench(&self) -> Result<(), String> {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(self.harness.join("rust")).args(["build", "--release", "--quiet"]);
        run(cargo.arg("--target-dir").arg(self.target.join("bench/llgbench")))
    }

    /// Has a virtual environment with what every peer needs.
    pub(super) fn make_venv(&self) -> Result<(), String> {
        if !self.python().exists() {
            run(Command::new("python3").arg("-m").arg("venv").arg(&self.venv))?;
        }
        if self.runs("import numpy, tokenizers, psutil, tvm_ffi, pydantic", &[]) {
            return Ok(());
        }
        self.pip(&COMMON)
    }

    /// Has `package` (`name==version`) in the virtual environment.
    pub(super) fn install(&self, package: &str, with_dependencies: bool) -> Result<(), String> {
        self.make_venv()?;
        if self.has(package) {
            return Ok(());
        }
        if with_dependencies { self.pip(&[package]) } else { self.pip(&["--no-deps", package]) }
    }

    /// Whether that version of a package is there.
    fn has(&self, package: &str) -> bool {
        let (name, version) = package.split_once("==").unwrap_or((package, ""));
        let script = "import importlib.metadata as m, sys; sys.exit(m.version(sys.argv[1]) != sys.argv[2])";
        self.runs(script, &[name, version])
    }

    /// Whether a line of Python runs without a complaint.
    fn runs(&self, script: &str, arguments: &[&str]) -> bool {
        let mut python = Command::new(self.python());
        python.args(["-c", script]).args(arguments).stderr(Stdio::null());
        python.status().is_ok_and(|status| status.success())
    }

    fn pip(&self, arguments: &[&str]) -> Result<(), String> {
        let mut pip = Command::new(self.python());
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(arguments);
        run(&mut pip)
    }
}

/// Copies a folder; the copies can be written to.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            // Written anew rather than copied, since the data may be read-only and a copy would be as well; and only where it
            // is another, so that nothing is built again for it.
            let bytes = fs::read(entry.path())?;
            if fs::read(&target).ok().as_ref() != Some(&bytes) {
                fs::write(&target, bytes)?;
            }
        }
    }
    Ok(())
}

/// A command that stays on one core, where the system has `taskset`.
pub(super) fn pinned(program: &Path) -> Command {
    let there = Command::new("taskset").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if there.is_ok_and(|status| status.success()) {
        let mut command = Command::new("taskset");
        command.args(["-c", "0"]).arg(program);
        return command;
    }
    Command::new(program)
}

/// The first line that a command writes; empty if it cannot.
pub(super) fn first_line(program: &str, arguments: &[&str]) -> String {
    let text = crate::process::output(program, arguments).unwrap_or_default();
    text.lines().next().unwrap_or_default().to_owned()
}
