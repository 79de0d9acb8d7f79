//! `cargo xtask package`: what would be published, and whether a stranger can use it.
//!
//! The last commit is checked out into a folder of its own, and the crates that are published are packed there, together,
//! as `cargo publish` would. Then a crate that depends on nothing but the unpacked files runs the example of the README of
//! `tokenstile`. Nothing is uploaded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates that are published: folder below `crates/`, and name. Each comes after those that it depends on.
const PUBLISHED: [(&str, &str); 11] = [
    ("grammar", "tokenstile-grammar"),
    ("json-schema", "tokenstile-json-schema"),
    ("structural-tag", "tokenstile-structural-tag"),
    ("engine", "tokenstile-engine"),
    ("logits", "tokenstile-logits"),
    ("tokenstile", "tokenstile"),
    ("testkit", "tokenstile-testkit"),
    ("cache", "tokenstile-cache"),
    ("runtime", "tokenstile-runtime"),
    ("server", "tokenstile-server"),
    ("cli", "tokenstile-cli"),
];

/// What the manifest of each of them says beside its name.
const METADATA: [&str; 8] =
    ["description", "version", "edition", "rust-version", "license", "readme", "keywords", "categories"];

/// Packs everything and runs the example.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    check_metadata(root)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = target.join("publish");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    if !output(Command::new("git").current_dir(root).args(["status", "--porcelain"]))?.is_empty() {
        println!("the last commit is packed: what is not committed is left out");
    }
    let checkout = folder.join("checkout");
    succeed(Command::new("git").args(["clone", "--quiet"]).arg(root).arg(&checkout))?;
    let mut cargo = Command::new("cargo");
    // They are built below, by the crate that uses them.
    cargo
        .current_dir(&checkout)
        .args(["package", "--no-verify", "--locked", "--quiet", "--target-dir"])
        .arg(&folder);
    PUBLISHED.iter().for_each(|(_, name)| {
        cargo.args(["--package", name]);
    });
    succeed(&mut cargo)?;
    let unpacked = folder.join("unpacked");
    fs::create_dir_all(&unpacked).map_err(|error| format!("{}: {error}", unpacked.display()))?;
    let version = version(root)?;
    for (_, name) in PUBLISHED {
        let packed = folder.join("package").join(format!("{name}-{version}.crate"));
        let size = fs::metadata(&packed).map_err(|error| format!("{}: {error}", packed.display()))?.len();
        println!("{name}: {} KiB packed", size.div_ceil(1024));
        succeed(Command::new("tar").arg("-xzf").arg(&packed).arg("-C").arg(&unpacked))?;
    }
    let stranger = folder.join("stranger");
    write_stranger(root, &stranger, &unpacked, &version)?;
    let run = ["run", "--quiet", "--target-dir"];
    succeed(Command::new("cargo").current_dir(&stranger).args(run).arg(folder.join("built")))?;
    println!("a crate that depends on the packed files alone has run the example of the README");
    Ok(())
}

/// A crate that uses the library as its README shows.
fn write_stranger(root: &Path, folder: &Path, unpacked: &Path, version: &str) -> Result<(), String> {
    let readme =
        fs::read_to_string(root.join("crates/tokenstile/README.md")).map_err(|error| error.to_string())?;
    let example = readme.split_once("```rust\n").and_then(|(_, rest)| rest.split_once("```"));
    let (example, _) = example.ok_or("the README of `tokenstile` has no example")?;
    // As rustdoc reads it: what is behind a `#` belongs to the example and is not shown.
    let lines: Vec<&str> = example.lines().map(|line| line.strip_prefix("# ").unwrap_or(line)).collect();
    let mut manifest = format!(
        "[package]\nname = \"stranger\"\nedition = \"2024\"\n\n[dependencies]\ntokenstile = \"={version}\"\n\n[workspace]\n\n\
         [patch.crates-io]\n"
    );
    for (_, name) in PUBLISHED {
        let path = unpacked.join(format!("{name}-{version}"));
        manifest.push_str(&format!("{name} = {{ path = {:?} }}\n", path.display().to_string()));
    }
    let main = format!("fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{}\n}}\n", lines.join("\n"));
    let lock = fs::read(root.join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    fs::create_dir_all(folder.join("src"))
        .and_then(|()| fs::write(folder.join("Cargo.toml"), manifest))
        .and_then(|()| fs::write(folder.join("src/main.rs"), main))
        // The versions of others that are tested here.
        .and_then(|()| fs::write(folder.join("Cargo.lock"), lock))
        .map_err(|error| format!("{}: {error}", folder.display()))
}

/// Every crate of this workspace is published with all that is asked of it, or says that it is not.
fn check_metadata(root: &Path) -> Result<(), String> {
    let entries = fs::read_dir(root.join("crates")).map_err(|error| format!("crates: {error}"))?;
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.join("Cargo.toml").exists()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let manifest =
            fs::read_to_string(path.join("Cargo.toml")).map_err(|error| format!("{name}: {error}"))?;
        let has = |key: &str| {
            let is_it = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with([' ', '.']));
            manifest.lines().any(is_it)
        };
        match PUBLISHED.iter().any(|(folder, _)| *folder == name) {
            false if !manifest.contains("publish = false") => {
                return Err(format!(
                    "crates/{name}: is it published? xtask/src/package.rs and its manifest should say"
                ));
            }
            false => {}
            true => {
                if let Some(missing) = METADATA.iter().find(|key| !has(key)) {
                    return Err(format!("crates/{name}/Cargo.toml: has no `{missing}`"));
                }
                if !path.join("README.md").exists() {
                    return Err(format!("crates/{name}: has no README.md"));
                }
            }
        }
    }
    Ok(())
}

/// The version of all crates.
fn version(root: &Path) -> Result<String, String> {
    let manifest =
        fs::read_to_string(root.join("Cargo.toml")).map_err(|error| format!("Cargo.toml: {error}"))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    version.map(str::to_owned).ok_or_else(|| "Cargo.toml: has no version".to_owned())
}

fn succeed(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    command.output().map(|output| output.stdout).map_err(|error| format!("{command:?}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_says_whether_it_is_published() {
        assert_eq!(check_metadata(&crate::root()), Ok(()));
        assert_eq!(version(&crate::root()), Ok(env!("CARGO_PKG_VERSION").to_owned()));
    }
}
