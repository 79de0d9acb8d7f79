//! A folder with the tables of vocabularies, one file for each.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use tokenstile::{Compiler, Vocab};

use crate::map::{open, seal};

/// The tables of smaller vocabularies are built as fast as they are read.
const SMALL: usize = 8_192;
/// So many files are kept; of more, the oldest go.
const FILES: usize = 16;
/// What is not finished after so long never will be.
const ABANDONED: Duration = Duration::from_secs(3_600);
/// How the names of files end, and those of files that are not finished.
const ENDING: &str = "tables";
const UNFINISHED: &str = "part";

/// Where the tables of vocabularies are kept between runs.
///
/// ```
/// use tokenstile::Vocab;
/// use tokenstile_cache::{Origin, TableCache};
///
/// let vocab = Vocab::from_tokens([(0, "yes"), (1, "no"), (2, "</s>")], &[2])?;
/// // In a program: TableCache::user()
/// let (compiler, origin) = TableCache::off().compiler(vocab);
/// assert_eq!(origin, Origin::Built);
/// # Ok::<(), tokenstile::VocabError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TableCache {
    folder: Option<PathBuf>,
}

/// Where the tables of a compiler came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// They were in the cache.
    Cache,
    /// They were built, and are in the cache now.
    Saved,
    /// They were built. The vocabulary is small, or there is no cache, or it cannot be written to.
    Built,
}

impl TableCache {
    /// The folder `tables` in the user's [cache folder](crate::folder); none where the machine does not say where that is.
    pub fn user() -> Self {
        TableCache { folder: crate::folder().map(|folder| folder.join("tables")) }
    }

    /// This folder. It is made when there is something to put into it. The files are read-only, so that a process can map them
    /// into memory; who permits itself to write to one of them while it is mapped is trusted not to.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        TableCache { folder: Some(folder.into()) }
    }

    /// None: tables are built each time.
    pub fn off() -> Self {
        TableCache { folder: None }
    }

    /// A compiler for `vocab`, with tables from the cache if they are there and fit. If not, they are built and put there;
    /// whether that works or not, the compiler answers the same. What was put there is used from there: processes share it,
    /// and masks are faster (the slowest hundredth of first masks took 3 to 4 % less time than with tables on the heap).
    pub fn compiler(&self, vocab: Vocab) -> (Compiler, Origin) {
        let Some(folder) = self.folder.as_deref().filter(|_| vocab.len() > SMALL) else {
            return (Compiler::new(vocab), Origin::Built);
        };
        let path = folder.join(format!("{}-{}.{ENDING}", vocab.fingerprint(), Compiler::TABLES_VERSION));
        // Why a file does not fit makes no difference to what is done about it.
        let read = || open(&path).ok().and_then(|bytes| Compiler::from_tables(vocab.clone(), bytes).ok());
        if let Some(compiler) = read() {
            return (compiler, Origin::Cache);
        }
        let built = Compiler::new(vocab.clone());
        match save(&built, folder, &path) {
            Ok(()) => (read().unwrap_or(built), Origin::Saved),
            Err(_) => (built, Origin::Built),
        }
    }
}

/// Writes a file under another name, and gives it its own when it is whole and nobody may change it any more.
fn save(compiler: &Compiler, folder: &Path, path: &Path) -> io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    fs::create_dir_all(folder)?;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let part = folder.join(format!("{}-{count}.{UNFINISHED}", std::process::id()));
    let written = File::create(&part)
        .and_then(|file| compiler.save_tables(file))
        .and_then(|()| seal(&part))
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    tidy(folder, path);
    written
}

/// Removes the oldest files where there are too many, and what was left unfinished. What cannot be removed does no harm.
fn tidy(folder: &Path, newest: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let dated = |path: PathBuf| Some((fs::metadata(&path).ok()?.modified().ok()?, path));
    let all: Vec<(SystemTime, PathBuf)> = entries.flatten().filter_map(|entry| dated(entry.path())).collect();
    let ends = |path: &Path, ending: &str| path.extension() == Some(OsStr::new(ending));
    let is_old = |time: &SystemTime| time.elapsed().is_ok_and(|age| age > ABANDONED);
    for (_, path) in all.iter().filter(|(time, path)| ends(path, UNFINISHED) && is_old(time)) {
        let _ = fs::remove_file(path);
    }
    let mut files: Vec<_> = all.iter().filter(|(_, path)| ends(path, ENDING) && path != newest).collect();
    files.sort_unstable();
    for (_, path) in files.iter().rev().skip(FILES - 1) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use tokenstile::{Grammar, Limits};

    use super::*;

    /// A folder of its own for a test; goes with everything in it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("tokenstile-cache-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Folder(path)
        }

        fn files(&self) -> Vec<PathBuf> {
            let mut files: Vec<_> =
                fs::read_dir(&self.0).into_iter().flatten().flatten().map(|e| e.path()).collect();
            files.sort();
            files
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// As many tokens as are worth a file; the seed makes them others.
    fn vocab(seed: u32) -> Vocab {
        let tokens = (0..SMALL as u32 + 10).map(|id| (id, format!("{:x}", id * 7 + seed)));
        Vocab::from_tokens(tokens, &[SMALL as u32 + 10]).unwrap()
    }

    fn mask(compiler: &Compiler) -> Vec<u32> {
        let grammar = Grammar::gbnf("root ::= [0-9]+ [a-c]*", &Limits::default()).unwrap();
        let mut matcher = compiler.compile(&grammar).unwrap().matcher();
        let mut words = vec![0; matcher.mask_words()];
        matcher.fill_mask(&mut words).unwrap();
        words
    }

    #[test]
    fn the_second_time_tables_come_from_the_file() {
        let folder = Folder::new("twice");
        let cache = TableCache::at(&folder.0);
        let (built, origin) = cache.compiler(vocab(0));
        assert_eq!(origin, Origin::Saved);
        let (read, origin) = cache.compiler(vocab(0));
        assert_eq!(origin, Origin::Cache);
        assert_eq!(mask(&built), mask(&read));
        assert_eq!(cache.compiler(vocab(1)).1, Origin::Saved, "another vocabulary is another file");
        assert_eq!(folder.files().len(), 2);
    }

    #[test]
    fn a_file_that_does_not_fit_is_replaced() {
        let folder = Folder::new("replaced");
        let cache = TableCache::at(&folder.0);
        let (built, _) = cache.compiler(vocab(0));
        let path = folder.files().remove(0);
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 1;
        for wrong in [&whole[..whole.len() / 2], &[], b"something else", &flipped] {
            // As another file: the one that was there is mapped.
            fs::remove_file(&path).unwrap();
            fs::write(&path, wrong).unwrap();
            let (again, origin) = cache.compiler(vocab(0));
            assert_eq!(origin, Origin::Saved);
            assert_eq!(mask(&again), mask(&built));
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn without_a_folder_tables_are_built() {
        assert_eq!(TableCache::off().compiler(vocab(0)).1, Origin::Built);
        let folder = Folder::new("blocked");
        fs::write(&folder.0, "a file where the folder should be").unwrap();
        assert_eq!(TableCache::at(&folder.0).compiler(vocab(0)).1, Origin::Built);
        fs::remove_file(&folder.0).unwrap();
        let small = Vocab::from_tokens([(0, "a")], &[1]).unwrap();
        assert_eq!(TableCache::at(&folder.0).compiler(small).1, Origin::Built);
        assert!(!folder.0.exists(), "small vocabularies leave nothing behind");
    }

    #[test]
    fn few_files_are_kept() {
        let folder = Folder::new("few");
        fs::create_dir_all(&folder.0).unwrap();
        let old = SystemTime::now() - 2 * ABANDONED;
        for index in 0..40u64 {
            let name = folder.0.join(format!("{index:02}.{}", if index == 39 { UNFINISHED } else { ENDING }));
            let file = File::create(name).unwrap();
            file.set_modified(old + Duration::from_secs(index)).unwrap();
        }
        fs::write(folder.0.join("notes.txt"), "not ours").unwrap();
        assert_eq!(TableCache::at(&folder.0).compiler(vocab(0)).1, Origin::Saved);
        let left = folder.files();
        assert_eq!(left.len(), FILES + 1, "{left:?}");
        assert!(left.contains(&folder.0.join("38.tables")) && !left.contains(&folder.0.join("10.tables")));
        assert_eq!(TableCache::at(&folder.0).compiler(vocab(0)).1, Origin::Cache);
    }
}
