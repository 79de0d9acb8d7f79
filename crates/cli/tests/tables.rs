//! Tables of vocabularies are kept in a folder, unless that is not wanted.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{tokenstile, vocab_of};

/// A vocabulary that is large enough for its tables to be kept, and a folder that is not there yet.
fn vocabulary(name: &str) -> (String, PathBuf) {
    let tokens: Vec<Vec<u8>> = (0..9_000).map(|id| format!("{id:x}").into_bytes()).collect();
    let path = vocab_of(&format!("{name}-vocab.jsonl"), &tokens);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-tables"));
    let _ = fs::remove_dir_all(&folder);
    (path, folder)
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, |entries| entries.count())
}

#[test]
fn masks_with_kept_tables_are_the_same() {
    let (vocab, folder) = vocabulary("kept");
    let shown = folder.to_str().unwrap();
    let mask = |more: &[&str]| {
        let arguments =
            [&["mask", "--regex", "[0-9]+", "12", "--vocab", &vocab, "--output", "json", "--all"], more]
                .concat();
        tokenstile(&arguments).expect(0).out
    };
    let built = mask(&["--no-table-cache"]);
    assert_eq!(files(&folder), 0);
    assert_eq!(mask(&["--table-cache", shown]), built);
    assert_eq!(files(&folder), 1);
    assert_eq!(mask(&["--table-cache", shown]), built);
    let entry = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    // In its place: nobody may write to the one that is there.
    fs::remove_file(&entry).unwrap();
    fs::write(&entry, "not tables").unwrap();
    assert_eq!(mask(&["--table-cache", shown]), built);
    assert!(fs::metadata(&entry).unwrap().len() > 10_000, "the file was replaced");
    tokenstile(&["check", "--regex", "[0-9]+", "--vocab", &vocab, "--table-cache", shown]).expect(0);
    assert_eq!(files(&folder), 1);
}

#[test]
fn a_cache_is_a_folder_or_none() {
    let (vocab, folder) = vocabulary("both");
    let both = ["check", "--json", "--vocab", &vocab, "--no-table-cache", "--table-cache"];
    tokenstile(&[&both[..], &[folder.to_str().unwrap()]].concat()).expect(2).complains("cannot be used with");
}
