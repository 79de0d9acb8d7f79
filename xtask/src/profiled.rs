//! `cargo xtask optimize`: builds the command twice, the second time with a profile of what the first did. Code that runs
//! together then lies together, and what is rare is out of the way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::process::{output, run as run_command};

/// What `cargo xtask optimize --help` says.
const USAGE: &str = "\
usage: cargo xtask optimize --vocab FILE --cases FILE [CARGO ARGUMENTS]

  --vocab FILE  a vocabulary, as `tokenstile bench` takes it
  --cases FILE  cases with token ids, as `tokenstile bench --help` says; best those that will be served. Of schemas and
                texts tools/bench/cases.py makes them

Builds target/profiled/tokenstile: the command of a release build, compiled with a profile of going over the cases.
Compiling constraints then takes about a seventh less time, masks about a twelfth. It takes two builds and the llvm-profdata
of rustc's LLVM (`rustup component add llvm-tools`, or a package such as llvm-22). CARGO ARGUMENTS go to both builds, for
example --no-default-features to leave out what runs models.";

/// Builds with a profile, as the arguments say.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> ExitCode {
    let (mut vocab, mut cases, mut rest) = (None, None, Vec::new());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "--vocab" => vocab = words.next(),
            "--cases" => cases = words.next(),
            "--help" | "-h" => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            other => rest.push(other),
        }
    }
    let (Some(vocab), Some(cases)) = (vocab, cases) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let build = Build { root, target: &target.join("profiled"), arguments: &rest };
    match build.build(vocab.as_ref(), cases.as_ref()) {
        Ok(command) => {
            println!("optimize: built {}", command.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("optimize: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What is built, and where.
pub(crate) struct Build<'a> {
    pub(crate) root: &'a Path,
    /// The folder of both builds and of what comes of them.
    pub(crate) target: &'a Path,
    /// What cargo is told beside the package.
    pub(crate) arguments: &'a [&'a str],
}

impl Build<'_> {
    /// Builds the command with a profile of itself going over some cases; where it is then.
    pub(crate) fn build(&self, vocab: &Path, cases: &Path) -> Result<PathBuf, String> {
        let compiler = Compiler::asked()?;
        let profdata = compiler.profdata()?;
        let (raw, merged) = (self.target.join("raw"), self.target.join("merged.profdata"));
        let _ = fs::remove_dir_all(&raw);
        fs::create_dir_all(&raw).map_err(|error| format!("{}: {error}", raw.display()))?;

        println!("optimize: building the command that counts");
        let counting =
            self.cargo(&compiler.host, "counting", &format!("-Cprofile-generate={}", raw.display()))?;
        println!("optimize: going over the cases");
        let mut bench = Command::new(counting);
        bench.arg("bench").arg("--vocab").arg(vocab).arg("--cases").arg(cases);
        run_command(bench.arg("--out").arg(self.target.join("training.jsonl")))?;
        run_command(Command::new(profdata).arg("merge").arg("-o").arg(&merged).arg(&raw))?;
        println!("optimize: building with the profile");
        let built = self.cargo(&compiler.host, "built", &format!("-Cprofile-use={}", merged.display()))?;
        let command = self.target.join("tokenstile");
        fs::copy(&built, &command).map_err(|error| format!("{}: {error}", built.display()))?;
        Ok(command)
    }

    /// One build, with flags for what is of the command and not for what helps to build it.
    fn cargo(&self, host: &str, folder: &str, flags: &str) -> Result<PathBuf, String> {
        let folder = self.target.join(folder);
        let mut cargo = Command::new("cargo");
        cargo.current_dir(self.root).env("RUSTFLAGS", flags);
        cargo.args(["build", "--release", "--quiet", "--package", "tokenstile-cli", "--target", host]);
        // Who builds with a profile has the time to optimise the whole, too.
        cargo.env("CARGO_PROFILE_RELEASE_LTO", "thin");
        cargo.args(["--features", "dev"]);
        run_command(cargo.arg("--target-dir").arg(&folder).args(self.arguments))?;
        Ok(folder.join(host).join("release/tokenstile"))
    }
}

/// The compiler that cargo uses.
struct Compiler {
    host: String,
    /// The first number of the version of its LLVM.
    llvm: String,
    sysroot: String,
}

impl Compiler {
    fn asked() -> Result<Compiler, String> {
        let about = output("rustc", &["-vV"]).ok_or("rustc does not say what it is")?;
        let line = |name: &str| about.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let (host, llvm) = line("host").zip(line("LLVM version")).ok_or("rustc does not name its LLVM")?;
        let sysroot = output("rustc", &["--print", "sysroot"]).ok_or("rustc does not say where it is")?;
        let llvm = llvm.split('.').next().unwrap_or(llvm);
        Ok(Compiler { host: host.into(), llvm: llvm.into(), sysroot: sysroot.trim().into() })
    }

    /// What merges profiles, of the same LLVM.
    fn profdata(&self) -> Result<PathBuf, String> {
        let own = Path::new(&self.sysroot).join("lib/rustlib").join(&self.host).join("bin/llvm-profdata");
        let wanted = format!("LLVM version {}.", self.llvm);
        let fits = |path: &PathBuf| {
            output(&path.to_string_lossy(), &["--version"]).is_some_and(|text| text.contains(&wanted))
        };
        let numbered = PathBuf::from(format!("llvm-profdata-{}", self.llvm));
        [own, numbered, "llvm-profdata".into()].into_iter().find(fits).ok_or_else(|| {
            format!(
                "llvm-profdata of LLVM {0} is not there: `rustup component add llvm-tools` brings it, or a package \
                 such as llvm-{0}",
                self.llvm
            )
        })
    }
}
