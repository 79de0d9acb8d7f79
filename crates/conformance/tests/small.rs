//! The sweeps over the project's own small data: all of them run, and nothing fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tokenstile_harness::data::{Shared, files};
use tokenstile_harness::vocab::Files;

/// The small data in a folder, as the shared data is in its own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let small = Shared::small();
    let put = |name: &Path, content: Vec<u8>| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    for file in files(small.folder(), "") {
        put(file.strip_prefix(small.folder()).unwrap(), fs::read(&file).unwrap());
    }
    put(Path::new("peerbench/data/vocab.jsonl"), Files::small().jsonl);
    folder
}

#[test]
fn nothing_fails() {
    let folder = folder("small");
    let run = Command::new(env!("CARGO_BIN_EXE_tokenstile-conformance"))
        .arg("--full")
        .args(["--show", "100", "--shared"])
        .arg(&folder)
        .arg("--lists")
        .arg(folder.join("lists"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}\n{}", String::from_utf8_lossy(&run.stderr));
    assert!(said.contains("conformance: 0 worse than the baseline"), "{said}");
    for sweep in ["maskbench", "suite", "soundness", "completeness"] {
        assert!(said.lines().any(|line| line.starts_with(sweep)), "{sweep} was not run:\n{said}");
    }
}
