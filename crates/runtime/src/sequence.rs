//! One text that is being written: its tokens, its constraint, and why it ended.
//!
//! A sequence has two parts that are worked on at the same time: what the model sees of it ([`Memory`]), and what is
//! decided about it ([`Writer`]), whose mask is made on another thread while the model runs.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokenstile::TokenId;

use crate::error::GenerateError;
use crate::guide::{Guide, Trigger};
use crate::model::Cache;
use crate::request::{Finish, Origin, Request, Stats, Written};
use crate::sample::{Choice, Sampler};
use crate::steer;
use crate::text::Text;
use crate::tokenizer::Tokenizer;

/// What is built ahead of a constraint while the model reads a prompt: for no longer, since the model could do with the
/// thread, and no more bytes.
const AHEAD: Duration = Duration::from_millis(20);
const AHEAD_BYTES: usize = 4 << 20;
/// A constraint that was asked for more masks than that has what it needs.
const WELL_KNOWN: u64 = 256;

/// One text that is being written. [`Runtime::start`](crate::Runtime::start) makes one,
/// [`Runtime::step`](crate::Runtime::step) moves it on.
pub struct Sequence {
    pub(crate) memory: Memory,
    pub(crate) writer: Writer,
}

/// What the model sees of a sequence.
pub(crate) struct Memory {
    pub(crate) cache: Cache,
    /// Tokens that the model has not seen yet.
    pub(crate) pending: Vec<TokenId>,
}

/// What is decided about a sequence.
pub(crate) struct Writer {
    guide: Guide,
    sampler: Sampler,
    request: Request,
    text: Text,
    /// Tokens that come next in any case, one by one.
    planned: VecDeque<(TokenId, Origin)>,
    finish: Option<Finish>,
    pub(crate) stats: Stats,
    mask: Mask,
    /// What was written before the first step, when the constraint forces the start of the text.
    begun: Vec<Written>,
    /// Whether something was built ahead.
    warmed: bool,
}

/// The mask of the next token.
#[derive(Default)]
struct Mask {
    words: Vec<u32>,
    /// Whether there is one; otherwise everything is allowed.
    held: bool,
    time: Duration,
    failed: Option<GenerateError>,
}

impl Sequence {
    pub(crate) fn new(
        request: Request,
        tokenizer: &Tokenizer,
        cache: Cache,
        context: usize,
    ) -> Result<Sequence, GenerateError> {
        let prompt = request.prompt.clone();
        if prompt.is_empty() {
            return Err(GenerateError::EmptyPrompt);
        }
        if prompt.len() >= context {
            return Err(GenerateError::TooLong { prompt: prompt.len(), context });
        }
        let mut request = request;
        request.max_tokens = request.max_tokens.min(context - prompt.len());
        let mut writer = Writer::new(request, tokenizer)?;
        let mut pending = prompt;
        let begun = writer.go_on(tokenizer)?;
        pending.extend(begun.iter().map(|written| written.token));
        writer.begun = begun;
        Ok(Sequence { memory: Memory { cache, pending }, writer })
    }

    /// Why the text ended; none while it goes on.
    pub fn finish(&self) -> Option<&Finish> {
        self.writer.finish.as_ref()
    }

    /// The text so far. Behind the trigger, if there is one.
    pub fn text(&self) -> &[u8] {
        self.writer.text.answer()
    }

    /// The free text before the constraint holds, with the trigger.
    pub fn reasoning(&self) -> &[u8] {
        self.writer.text.reasoning()
    }

    /// The part of the text that is settled and was not taken yet: whole characters, and nothing that may turn out to
    /// be the start of a stop text.
    pub fn take_text(&mut self) -> String {
        self.writer.text.take_answer(self.writer.finish.is_some())
    }

    /// The same for the free text.
    pub fn take_reasoning(&mut self) -> String {
        self.writer.text.take_reasoning(self.writer.finish.is_some())
    }

    /// What the constraint forced before the first step, which will tell it; for a text that is complete without one.
    pub fn begun(&self) -> &[Written] {
        &self.writer.begun
    }

    /// Tokens that the model has not seen yet: the prompt at first, later the token written last and what was forced.
    pub fn unseen(&self) -> usize {
        self.memory.pending.len()
    }

    /// What it has cost so far.
    pub fn stats(&self) -> &Stats {
        &self.writer.stats
    }

    /// Tokens written so far.
    pub fn written(&self) -> usize {
        self.writer.stats.written
    }

    /// Ends the text here, as if its tokens had run out.
    pub fn cancel(&mut self) {
        self.writer.finish.get_or_insert(Finish::Length);
    }

    /// A second sequence that goes on from here with random numbers of its own; the two do not see each other.
    pub fn fork(&self, seed: u64) -> Result<Sequence, GenerateError> {
        let memory = Memory { cache: self.memory.cache.fork()?, pending: self.memory.pending.clone() };
        Ok(Sequence { memory, writer: self.writer.fork(seed)? })
    }
}

impl Writer {
    fn new(request: Request, tokenizer: &Tokenizer) -> Result<Writer, GenerateError> {
        let mut guide = Guide::Free;
        if let Some(constraint) = &request.constraint {
            if constraint.vocab().fingerprint() != tokenizer.vocab().fingerprint() {
                return Err(GenerateError::OtherVocabulary);
            }
            guide = match request.after.as_deref().filter(|trigger| !trigger.is_empty()) {
                Some(trigger) => {
                    let trigger = Trigger::new(trigger, request.after_is_optional);
                    Guide::Waiting(trigger, constraint.matcher())
                }
                None => Guide::Held(constraint.matcher()),
            };
        }
        if request.max_tokens == 0 {
            return Err(GenerateError::Setting { name: "the token limit", must: "1 or more" });
        }
        let mut sampler = Sampler::new(request.sampling.clone())?;
        request.prompt.iter().for_each(|&token| sampler.saw(token));
        let mut writer = Writer {
            guide,
            sampler,
            text: Text::new(&request.stop).stopping_everywhere(request.after_is_optional),
            request,
            planned: VecDeque::new(),
            finish: None,
            stats: Stats::default(),
            mask: Mask::default(),
            begun: Vec::new(),
            warmed: false,
        };
        writer.stats.prompt_tokens = writer.request.prompt.len();
        if writer.request.steer {
            steer::check_start(&mut writer.guide, tokenizer, writer.request.max_tokens)?;
        }
        Ok(writer)
    }

    fn fork(&self, seed: u64) -> Result<Writer, GenerateError> {
        let mut request = self.request.clone();
        request.sampling.seed = seed;
        Ok(Writer {
            guide: self.guide.fork(),
            sampler: self.sampler.reseeded(seed),
            text: self.text.clone(),
            planned: self.planned.clone(),
            finish: self.finish.clone(),
            stats: self.stats.clone(),
            mask: Mask::default(),
            begun: self.begun.clone(),
            warmed: true,
            request,
        })
    }

    /// Whether the text goes on.
    pub(crate) fn is_open(&self) -> bool {
        self.finish.is_none()
    }

    /// Makes the mask of the next token. An error is kept until the token is chosen.
    pub(crate) fn prepare(&mut self, tokenizer: &Tokenizer) {
        let begun = Instant::now();
        self.mask.failed = None;
        match self.guide.mask(tokenizer.vocab(), &mut self.mask.words) {
            Ok(held) => self.mask.held = held,
            Err(error) => self.mask.failed = Some(error),
        }
        self.mask.time = begun.elapsed();
        self.stats.masks += self.mask.time;
    }

    /// Builds ahead what the constraint will need, once and until the model has run.
    pub(crate) fn warm_until(&mut self, has_run: &AtomicBool) {
        if std::mem::replace(&mut self.warmed, true) {
            return;
        }
        let fresh = self.request.constraint.as_ref().filter(|known| known.stats().masks < WELL_KNOWN);
        if let Some(constraint) = fresh {
            constraint.warm_while(AHEAD, AHEAD_BYTES, &|| !has_run.load(Ordering::Relaxed));
        }
    }

    /// Chooses the next token, takes it and what must follow it, and leaves them for the model's next pass.
    pub(crate) fn advance(
        &mut self,
        tokenizer: &Tokenizer,
        logits: &[f32],
        pending: &mut Vec<TokenId>,
    ) -> Result<Vec<Written>, GenerateError> {
        let begun = Instant::now();
        pending.clear();
        let written = self.write(tokenizer, logits, pending);
        if written.is_err() {
            self.finish = Some(Finish::Failed);
        }
        self.stats.choosing += begun.elapsed();
        written
    }

    fn write(
        &mut self,
        tokenizer: &Tokenizer,
        logits: &[f32],
        pending: &mut Vec<TokenId>,
    ) -> Result<Vec<Written>, GenerateError> {
        if let Some(error) = self.mask.failed.take() {
            return Err(error);
        }
        let mut written = Vec::new();
        let (choice, origin) = self.choose(tokenizer, logits)?;
        self.note(tokenizer, &mut written, choice.token, origin, Some(choice));
        if self.finish.is_none() {
            written.extend(self.go_on(tokenizer)?);
        }
        pending.extend(written.iter().map(|written| written.token));
        // What was forced before the first step was in the pass that has just run.
        written.splice(..0, self.begun.drain(..));
        Ok(written)
    }

    /// Chooses a token and commits it.
    fn choose(&mut self, tokenizer: &Tokenizer, logits: &[f32]) -> Result<(Choice, Origin), GenerateError> {
        let details = self.request.details.then_some(self.request.top);
        if let Some((token, origin)) = self.planned.pop_front() {
            let mask = self.mask.held.then_some(&self.mask.words[..]);
            let choice = self.sampler.describe(token, logits, mask, details);
            self.commit(tokenizer, token, origin)?;
            return Ok((choice, origin));
        }
        let mut words = self.mask.held.then(|| self.mask.words.clone());
        loop {
            let choice = self.sampler.choose(logits, words.as_deref(), details)?;
            let (token, left) = (choice.token, self.left());
            if self.request.steer
                && let Some(home) = steer::way_home(&mut self.guide, tokenizer, token, left)?
            {
                // This token leads too far from the end: the shortest way there is taken instead.
                self.planned = home.into_iter().map(|token| (token, Origin::Steered)).collect();
                return self.choose(tokenizer, logits);
            }
            if self.commit(tokenizer, token, Origin::Sampled)? {
                return Ok((choice, Origin::Sampled));
            }
            // It completes the trigger with bytes that the constraint refuses: anything but this.
            let words = words.get_or_insert_with(|| vec![u32::MAX; logits.len().div_ceil(32)]);
            words[token as usize / 32] &= !(1 << (token % 32));
        }
    }

    /// Tokens that may still be written.
    fn left(&self) -> usize {
        self.request.max_tokens - self.stats.written
    }

    /// Takes a token into the text and the constraint; false, with nothing changed, if that refuses it.
    fn commit(
        &mut self,
        tokenizer: &Tokenizer,
        token: TokenId,
        origin: Origin,
    ) -> Result<bool, GenerateError> {
        let vocab = tokenizer.vocab();
        let Some(taken) = self.guide.take(vocab, token)? else { return Ok(false) };
        self.sampler.saw(token);
        self.stats.written += 1;
        self.stats.steered += usize::from(origin == Origin::Steered);
        let bytes = vocab.bytes(token).unwrap_or_default();
        let stopped = self.text.push_reasoning(&bytes[..taken.free]);
        if vocab.end_tokens().contains(&token) {
            self.finish = Some(Finish::End);
        } else if let Some(stop) = stopped {
            self.finish = Some(Finish::Stop(stop));
        } else if let Some(stop) = self.text.push_answer(&bytes[taken.free..]) {
            self.finish = Some(Finish::Stop(stop));
        } else if self.guide.is_complete()? {
            self.finish = Some(Finish::Complete);
        } else if self.left() == 0 {
            self.run_out()?;
        }
        Ok(true)
    }

    /// The tokens have run out.
    fn run_out(&mut self) -> Result<(), GenerateError> {
        if let Guide::Waiting(trigger, _) = &self.guide
            && self.request.steer
            && !trigger.is_optional()
        {
            let trigger = String::from_utf8_lossy(trigger.text()).into_owned();
            return Err(GenerateError::TriggerMissing { trigger });
        }
        let complete = self.guide.held().is_some_and(|matcher| matcher.is_accepting());
        self.finish = Some(if complete { Finish::Complete } else { Finish::Length });
        Ok(())
    }

    /// Takes the tokens that must come next: at once, or planned one by one.
    fn go_on(&mut self, tokenizer: &Tokenizer) -> Result<Vec<Written>, GenerateError> {
        let mut written = Vec::new();
        while self.planned.is_empty() && self.finish.is_none() {
            let forced = self.guide.forced(tokenizer)?;
            if forced.is_empty() {
                break;
            }
            if !self.request.jump_forward {
                self.planned.extend(forced.into_iter().map(|token| (token, Origin::Forced)));
                break;
            }
            for token in forced {
                self.commit(tokenizer, token, Origin::Forced)?;
                self.stats.jumped += 1;
                self.note(tokenizer, &mut written, token, Origin::Forced, None);
                if self.finish.is_some() {
                    break;
                }
            }
        }
        Ok(written)
    }

    fn note(
        &self,
        tokenizer: &Tokenizer,
        written: &mut Vec<Written>,
        token: TokenId,
        origin: Origin,
        choice: Option<Choice>,
    ) {
        let bytes = tokenizer.vocab().bytes(token).unwrap_or_default().to_vec();
        let mask_time = if choice.is_some() { self.mask.time } else { Duration::ZERO };
        let free = matches!(self.guide, Guide::Waiting(..));
        written.push(Written { token, bytes, origin, free, choice, mask_time });
    }
}
