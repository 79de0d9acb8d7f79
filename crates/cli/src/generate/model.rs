//! The model: fetched if need be, loaded, with progress on standard error.

use std::path::PathBuf;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use tokenstile_runtime::fetch::{self, DEFAULT_MODEL, Progress};
use tokenstile_runtime::{Device, LoadError, Runtime};

use super::report::Timing;
use crate::diagnostic;
use crate::failure::Failure;
use crate::vocab::TableFlags;

/// Flags that choose a model.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelFlags {
    /// A GGUF file; without it SmolLM2-135M-Instruct, which is fetched once
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Run on the CPU even where this was built for an accelerator
    #[arg(long)]
    cpu: bool,
    #[command(flatten)]
    tables: TableFlags,
}

impl ModelFlags {
    /// What to call the model.
    #[cfg(feature = "serve")]
    pub(crate) fn name(&self) -> String {
        match self.model.as_deref().and_then(|path| path.file_stem()) {
            Some(stem) => stem.to_string_lossy().into_owned(),
            None => DEFAULT_MODEL.name.to_owned(),
        }
    }
}

/// Fetches and loads the model.
pub(crate) fn load(flags: &ModelFlags, timing: &mut Timing) -> Result<Runtime, Failure> {
    let begun = Instant::now();
    let path = match &flags.model {
        Some(path) => path.clone(),
        None => fetch_default()?,
    };
    timing.fetch = begun.elapsed();
    let begun = Instant::now();
    let bar = bar("loading the model", 1_000);
    let cache = flags.tables.cache();
    let progress = |part| bar.set_position((part * 1_000.0) as u64);
    let loaded = Runtime::load_with(&path, &device(flags)?, &cache, progress);
    bar.finish_and_clear();
    timing.load = begun.elapsed();
    Ok(loaded?)
}

fn device(flags: &ModelFlags) -> Result<Device, LoadError> {
    if flags.cpu {
        return Ok(Device::Cpu);
    }
    tokenstile_runtime::best_device()
}

fn fetch_default() -> Result<PathBuf, Failure> {
    let mut shown: Option<(&str, ProgressBar)> = None;
    let mut told = false;
    let path = fetch::ensure(&DEFAULT_MODEL, |progress| {
        let (what, done, all) = match progress {
            Progress::Checking => return,
            Progress::Fetching(done, all) => ("fetching", done, all),
            Progress::Unpacking(done, all) => ("unpacking", done, all),
        };
        if !std::mem::replace(&mut told, true) {
            let message = format!("fetching {}, once ({} MB)", DEFAULT_MODEL.name, all / 1_000_000);
            // Progress that cannot be shown is no reason to stop.
            let _ = diagnostic::write_note(&mut anstream::stderr(), &message);
        }
        let (name, bar) = shown.get_or_insert_with(|| (what, bytes_bar(what, all)));
        if *name != what {
            bar.finish_and_clear();
            shown = Some((what, bytes_bar(what, all)));
        }
        if let Some((_, bar)) = &shown {
            bar.set_position(done);
        }
    });
    if let Some((_, bar)) = shown {
        bar.finish_and_clear();
    }
    Ok(path?)
}

/// A bar on standard error; hidden where that is no terminal.
fn bar(what: &'static str, length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length).with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{msg:<18} {bar:40} {percent:>3} %") {
        bar.set_style(style);
    }
    bar
}

fn bytes_bar(what: &str, length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length).with_message(format!("{what} the model"));
    if let Ok(style) =
        ProgressStyle::with_template("{msg:<18} {bar:40} {bytes}/{total_bytes} {binary_bytes_per_sec}")
    {
        bar.set_style(style);
    }
    bar
}
