//! What is asked for, and what is answered.

use std::time::Duration;

use tokenstile::{Constraint, TokenId};

use crate::sample::{Choice, Sampling};

/// What to write, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// The tokens to go on from, as [`Tokenizer::encode_prompt`](crate::Tokenizer::encode_prompt) makes them.
    pub prompt: Vec<TokenId>,
    /// What the text is held to; it must be compiled for the model's vocabulary.
    pub constraint: Option<Constraint>,
    /// The constraint holds only behind this text; what comes before it is free ("thinking").
    pub after: Option<String>,
    /// Whether the text before `after` may be all there is: then it ends as free text does, and stop texts count in it.
    pub after_is_optional: bool,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Most tokens to write, free text and forced ones among them.
    pub max_tokens: usize,
    /// The text ends before the first of these that appears in it.
    pub stop: Vec<String>,
    /// Whether tokens that must come go to the model all at once. Without it they go one by one; the text is the same.
    pub jump_forward: bool,
    /// Whether the text is led to its shortest completion when the tokens run out, so that it is complete.
    pub steer: bool,
    /// Whether to report how likely each token was, which costs a little time.
    pub details: bool,
    /// How many of the likeliest tokens to report with the details.
    pub top: usize,
}

impl Request {
    /// A request with the usual settings.
    pub fn new(prompt: Vec<TokenId>) -> Request {
        Request {
            prompt,
            constraint: None,
            after: None,
            after_is_optional: false,
            sampling: Sampling::default(),
            max_tokens: 512,
            stop: Vec::new(),
            jump_forward: true,
            steer: true,
            details: false,
            top: 0,
        }
    }
}

/// Why a text ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finish {
    /// The model wrote an end token.
    End,
    /// The constraint is complete, and nothing can follow.
    Complete,
    /// One of the stop texts appeared.
    Stop(String),
    /// The tokens ran out; under a constraint the text may be incomplete.
    Length,
    /// A step of it failed; the error was returned then.
    Failed,
}

/// How a token came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The model's choice.
    Sampled,
    /// The constraint left no choice.
    Forced,
    /// The tokens were running out.
    Steered,
}

/// One token that was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// The token.
    pub token: TokenId,
    /// What it spells; nothing for a special token.
    pub bytes: Vec<u8>,
    /// How it came about.
    pub origin: Origin,
    /// Whether it belongs to the free text before the constraint holds.
    pub free: bool,
    /// What the model thought of it; none where the model was not asked.
    pub choice: Option<Choice>,
    /// Time that its mask took.
    pub mask_time: Duration,
}

/// What a sequence has cost so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Tokens written.
    pub written: usize,
    /// Of these, tokens that the constraint forced and that took no pass of the model of their own.
    pub jumped: usize,
    /// Of these, tokens on the way to the shortest completion.
    pub steered: usize,
    /// Passes of the model, the one over the prompt among them.
    pub passes: usize,
    /// Time of the pass over the prompt.
    pub prefill: Duration,
    /// Time of all other passes that this sequence was in.
    pub model: Duration,
    /// Time that masks took, on their own thread.
    pub masks: Duration,
    /// Time that the model's thread waited for masks.
    pub waited: Duration,
    /// Time for choosing tokens and moving on.
    pub choosing: Duration,
}

impl Stats {
    /// The part of the passes that forced tokens have saved.
    pub fn saved(&self) -> f64 {
        self.jumped as f64 / (self.passes + self.jumped).max(1) as f64
    }

    /// Time of everything.
    pub fn total(&self) -> Duration {
        self.prefill + self.model + self.waited + self.choosing
    }

    /// The part of all time that was spent waiting for masks.
    pub fn waiting(&self) -> f64 {
        self.waited.as_secs_f64() / self.total().as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Tokens written per second, after the prompt.
    pub fn rate(&self) -> f64 {
        let time = (self.model + self.waited + self.choosing).as_secs_f64();
        self.written.saturating_sub(1) as f64 / time.max(f64::MIN_POSITIVE)
    }

    /// Takes note of a pass of the model.
    pub(crate) fn ran(&mut self, time: Duration, waited: Duration) {
        match self.passes {
            0 => self.prefill += time,
            _ => self.model += time,
        }
        self.passes += 1;
        self.waited += waited;
    }

    /// Adds what another sequence has cost.
    pub fn add(&mut self, other: &Stats) {
        self.prompt_tokens += other.prompt_tokens;
        self.written += other.written;
        self.jumped += other.jumped;
        self.steered += other.steered;
        self.passes += other.passes;
        self.prefill += other.prefill;
        self.model += other.model;
        self.masks += other.masks;
        self.waited += other.waited;
        self.choosing += other.choosing;
    }
}
