//! Running the built command and looking at what it says.
#![allow(dead_code, reason = "each test file uses a part of this")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run of the command left behind.
pub struct Run {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    /// Standard output as JSON, one value a line.
    pub fn json(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.out.lines().map(parse).collect()
    }

    /// Fails unless the exit status is `status`.
    #[track_caller]
    pub fn expect(self, status: i32) -> Run {
        assert_eq!(self.status, status, "\nstdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// Fails unless standard output contains `part`.
    #[track_caller]
    pub fn says(self, part: &str) -> Run {
        assert!(self.out.contains(part), "no {part:?} in:\n{}", self.out);
        self
    }

    /// Fails unless standard error contains `part`.
    #[track_caller]
    pub fn complains(self, part: &str) -> Run {
        assert!(self.err.contains(part), "no {part:?} in:\n{}", self.err);
        self
    }
}

/// Runs `tokenstile` with `arguments` at the root of the repository.
pub fn tokenstile<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Run {
    tokenstile_with_input(arguments, b"")
}

/// As [`tokenstile`], with `input` on standard input.
pub fn tokenstile_with_input<S: AsRef<std::ffi::OsStr>>(arguments: &[S], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tokenstile"))
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command that does not read its input may be gone before it is written.
    let _ = child.stdin.take().expect("standard input is piped").write_all(input);
    let output = child.wait_with_output().expect("the command ends");
    Run {
        status: output.status.code().expect("the command was not killed"),
        out: String::from_utf8(output.stdout).expect("output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes a file for one test; the name says whose it is.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(name);
    std::fs::write(&path, content).expect("the test folder can be written");
    path.to_str().expect("the path is UTF-8").to_owned()
}

/// A vocabulary file: the bytes, some longer tokens, an end token (the last id).
pub fn small_vocab(name: &str) -> String {
    let mut tokens: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
    tokens
        .extend(["re", "red", "gr", "een", "20", "24-", "true", "\": ", "[1, ", "é", " "].map(|t| t.into()));
    vocab_of(name, &tokens)
}

/// A vocabulary file: these tokens and an end token.
pub fn vocab_of(name: &str, tokens: &[Vec<u8>]) -> String {
    let end = tokens.len();
    let mut text = format!("{{\"name\":\"small\",\"n_vocab\":{},\"eos\":{end},\"stop\":[{end}]}}\n", end + 1);
    for (id, token) in tokens.iter().enumerate() {
        text += &format!("{{\"id\":{id},\"b64\":\"{}\"}}\n", base64(token));
    }
    text += &format!("{{\"id\":{end},\"b64\":\"{}\",\"special\":true}}\n", base64(b"<end>"));
    file(name, text)
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, i| bits << 8 | u32::from(*chunk.get(i).unwrap_or(&0)));
        for i in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= chunk.len() { sign.into() } else { '=' });
        }
    }
    text
}
