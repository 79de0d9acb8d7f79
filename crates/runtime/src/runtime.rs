//! A model with everything that its file brings, and the step that moves sequences on.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use candle_core::Device;
use rayon::prelude::*;
use tokenstile::{Compiler, TokenId};
use tokenstile_cache::TableCache;

use crate::chat::{ChatTemplate, Message};
use crate::error::{GenerateError, LoadError};
use crate::gguf::Gguf;
use crate::model::{Model, Piece};
use crate::request::{Request, Written};
use crate::sequence::{Memory, Sequence, Writer};
use crate::tokenizer::Tokenizer;

/// A model, its tokenizer, its chat template, and a compiler of constraints for its vocabulary.
///
/// Shared by all sequences and threads. A step takes any number of sequences through the model together:
///
/// ```no_run
/// use tokenstile::{Grammar, Limits};
/// use tokenstile_runtime::{Device, Message, Request, Runtime};
///
/// let runtime = Runtime::load("model.gguf".as_ref(), &Device::Cpu, |_| {})?;
/// let grammar = Grammar::choice(&["yes", "no"], &Limits::default())?;
/// let mut request = Request::new(runtime.prompt(&[Message::new("user", "Is water wet?")])?);
/// request.constraint = Some(runtime.compiler().compile(&grammar)?);
/// let mut sequence = runtime.start(request)?;
/// while sequence.finish().is_none() {
///     for step in runtime.step(&mut [&mut sequence])? {
///         step?;
///     }
/// }
/// assert!(["yes", "no"].contains(&&*sequence.take_text()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Runtime {
    model: Model,
    tokenizer: Tokenizer,
    template: Option<ChatTemplate>,
    compiler: Compiler,
}

impl Runtime {
    /// Loads a GGUF file. `progress` is told the part that is done, from 0 to 1.
    pub fn load(path: &Path, device: &Device, progress: impl FnMut(f64)) -> Result<Runtime, LoadError> {
        Runtime::load_with(path, device, &TableCache::off(), progress)
    }

    /// As [`load`](Self::load), with the tables of the vocabulary from a cache, or saved there.
    pub fn load_with(
        path: &Path,
        device: &Device,
        tables: &TableCache,
        progress: impl FnMut(f64),
    ) -> Result<Runtime, LoadError> {
        let gguf = Gguf::open(path)?;
        let model = Model::load(&gguf, device, progress)?;
        let tokenizer = Tokenizer::read(&gguf, model.config().vocab)?;
        let template = ChatTemplate::read(&gguf)?;
        let (compiler, _) = tables.compiler(tokenizer.vocab().clone());
        Ok(Runtime { model, tokenizer, template, compiler })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The model's tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The model's chat template, if it has one.
    pub fn template(&self) -> Option<&ChatTemplate> {
        self.template.as_ref()
    }

    /// Compiles constraints for the model's vocabulary.
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// The tokens of a conversation, up to where the answer begins. A model without a template is given the
    /// messages as they are.
    pub fn prompt(&self, messages: &[Message]) -> Result<Vec<TokenId>, GenerateError> {
        let text = match &self.template {
            Some(template) => template.render(messages, None)?,
            None => messages.iter().map(|message| &message.content[..]).collect::<Vec<_>>().join("\n\n"),
        };
        Ok(self.tokenizer.encode_prompt(&text))
    }

    /// A sequence at the start of its text. Nothing runs yet.
    pub fn start(&self, request: Request) -> Result<Sequence, GenerateError> {
        Sequence::new(request, &self.tokenizer, self.model.cache()?, self.model.config().context)
    }

    /// Several sequences from one prompt, which goes through the model once; the seeds count up.
    pub fn start_many(&self, request: Request, count: usize) -> Result<Vec<Sequence>, GenerateError> {
        let seed = request.sampling.seed;
        let mut first = self.start(request)?;
        let most = first.memory.pending.len().saturating_sub(1);
        if count > 1 && most > 0 && first.writer.is_open() {
            self.read(&mut first, most)?;
            first.writer.stats.passes += 1;
        }
        let forks: Result<Vec<Sequence>, _> =
            (1..count as u64).map(|index| first.fork(seed.wrapping_add(index))).collect();
        Ok(std::iter::once(first).chain(forks?).take(count).collect())
    }

    /// Takes up to `most` of the tokens that a sequence's model has not seen through it, but not the last one: for a
    /// long prompt, which would keep other sequences waiting if it went with them in one step.
    pub fn prefill(&self, sequence: &mut Sequence, most: usize) -> Result<(), GenerateError> {
        let count = most.min(sequence.memory.pending.len().saturating_sub(1));
        if count == 0 || !sequence.writer.is_open() {
            return Ok(());
        }
        self.read(sequence, count)
    }

    /// Takes the first tokens of a prompt through the model, and builds ahead meanwhile.
    fn read(&self, sequence: &mut Sequence, count: usize) -> Result<(), GenerateError> {
        let Memory { cache, pending } = &mut sequence.memory;
        let (begun, has_run) = (Instant::now(), AtomicBool::new(false));
        let (run, ()) = rayon::join(
            || {
                let run = self.model.forward(&mut [Piece { tokens: &pending[..count], cache }]);
                has_run.store(true, Ordering::Relaxed);
                run
            },
            || sequence.writer.warm_until(&has_run),
        );
        run?;
        pending.drain(..count);
        sequence.writer.stats.prefill += begun.elapsed();
        Ok(())
    }

    /// Moves each sequence on by a token of its own and what is forced after it. Sequences that have ended are left
    /// alone and write nothing.
    ///
    /// The model runs once for all of them, while their masks are made on other threads, and, while it reads their prompts,
    /// some of what their constraints will need later. An error of the whole step leaves all sequences unusable; an error of
    /// one sequence is its own.
    pub fn step(
        &self,
        batch: &mut [&mut Sequence],
    ) -> Result<Vec<Result<Vec<Written>, GenerateError>>, GenerateError> {
        let open: Vec<bool> = batch.iter().map(|sequence| sequence.writer.is_open()).collect();
        let (mut memories, mut writers): (Vec<&mut Memory>, Vec<&mut Writer>) = batch
            .iter_mut()
            .filter(|sequence| sequence.writer.is_open())
            .map(|sequence| (&mut sequence.memory, &mut sequence.writer))
            .unzip();
        let (begun, has_run) = (Instant::now(), AtomicBool::new(false));
        let (run, masked) = rayon::join(
            || {
                let run = self.run(&mut memories);
                has_run.store(true, Ordering::Relaxed);
                (run, Instant::now())
            },
            || {
                match &mut writers[..] {
                    [writer] => writer.prepare(&self.tokenizer),
                    writers => writers.par_iter_mut().for_each(|writer| writer.prepare(&self.tokenizer)),
                }
                let masked = Instant::now();
                writers.iter_mut().for_each(|writer| writer.warm_until(&has_run));
                masked
            },
        );
        let (logits, ran) = run;
        let logits = logits?;
        let waited = masked.saturating_duration_since(ran);
        let ready = memories.into_iter().zip(writers).zip(logits);
        let mut steps = ready.map(|((memory, writer), logits)| {
            writer.stats.ran(ran - begun, waited);
            writer.advance(&self.tokenizer, &logits, &mut memory.pending)
        });
        let nothing = || Ok(Vec::new());
        Ok(open
            .into_iter()
            .map(|open| if open { steps.next().unwrap_or_else(nothing) } else { nothing() })
            .collect())
    }

    fn run(&self, memories: &mut [&mut Memory]) -> Result<Vec<Vec<f32>>, GenerateError> {
        let pieces = memories.iter_mut().map(|memory| {
            let Memory { cache, pending } = &mut **memory;
            Piece { tokens: pending, cache }
        });
        self.model.forward(&mut pieces.collect::<Vec<_>>())
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime").field("model", &self.model).finish_non_exhaustive()
    }
}
