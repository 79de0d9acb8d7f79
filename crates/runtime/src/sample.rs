//! Sampling: logits and a mask in, one token out.
//!
//! The order is fixed: repetition penalty, temperature, mask, top-k, top-p, min-p, draw. Tokens that the mask forbids have
//! probability zero whatever their logit is, be it huge, infinite or not a number; an empty mask is an error. The same
//! seed gives the same choices: one number is drawn for each sampled token, none for forced ones.

use tokenstile::TokenId;

use crate::error::GenerateError;

/// How to choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// 0 always takes the likeliest token; 1 samples as the model has it.
    pub temperature: f32,
    /// Only the so many likeliest; 0 for all.
    pub top_k: usize,
    /// Only the likeliest that together have this much probability; 1 for all.
    pub top_p: f32,
    /// Only those with at least this part of the probability of the likeliest; 0 for all.
    pub min_p: f32,
    /// Logits of tokens that the text has already are divided by this if positive, multiplied if negative; 1 is
    /// none.
    pub repetition_penalty: f32,
    /// Taken from the logit of a token for each time the text has it.
    pub frequency_penalty: f32,
    /// Taken from the logit of a token if the text has it.
    pub presence_penalty: f32,
    /// Added to the logits of these tokens.
    pub logit_bias: Vec<(TokenId, f32)>,
    /// Where the random numbers begin.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling {
            temperature: 0.0,
            top_k: 0,
            top_p: 1.0,
            min_p: 0.0,
            repetition_penalty: 1.0,
            frequency_penalty: 0.0,
            presence_penalty: 0.0,
            logit_bias: Vec::new(),
            seed: 0,
        }
    }
}

impl Sampling {
    /// Whether every setting is in its range.
    pub fn check(&self) -> Result<(), GenerateError> {
        let checks = [
            ("temperature", "0 or more", self.temperature >= 0.0 && self.temperature.is_finite()),
            ("top-p", "above 0 and at most 1", self.top_p > 0.0 && self.top_p <= 1.0),
            ("min-p", "between 0 and 1", (0.0..=1.0).contains(&self.min_p)),
            (
                "repetition penalty",
                "above 0",
                self.repetition_penalty > 0.0 && self.repetition_penalty.is_finite(),
            ),
            ("frequency penalty", "a number", self.frequency_penalty.is_finite()),
            ("presence penalty", "a number", self.presence_penalty.is_finite()),
            ("logit bias", "numbers", self.logit_bias.iter().all(|(_, bias)| !bias.is_nan())),
        ];
        match checks.iter().find(|(.., holds)| !holds) {
            Some(&(name, must, _)) => Err(GenerateError::Setting { name, must }),
            None => Ok(()),
        }
    }
}

/// A token that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The token.
    pub token: TokenId,
    /// How many tokens the mask allowed.
    pub allowed: usize,
    /// How likely it was, if asked for.
    pub details: Option<Details>,
}

/// How likely a token was.
#[derive(Clone, Debug, PartialEq)]
pub struct Details {
    /// Natural logarithm of its probability before the mask, at temperature 1, without penalties.
    pub logprob: f32,
    /// Its probability before the mask, with temperature and penalties.
    pub before: f32,
    /// Its probability after the mask and before any cut; 0 if the mask forbids it.
    pub after: f32,
    /// The likeliest tokens of the model, allowed or not.
    pub top: Vec<Candidate>,
}

/// A token that the model thought likely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The token.
    pub token: TokenId,
    /// Natural logarithm of its probability before the mask, at temperature 1, without penalties.
    pub logprob: f32,
    /// Whether the mask allowed it.
    pub allowed: bool,
}

/// Chooses tokens for one sequence.
#[derive(Clone, Debug)]
pub struct Sampler {
    settings: Sampling,
    random: Random,
    /// How often the text has each token that it has; sorted.
    counts: std::collections::BTreeMap<TokenId, u32>,
}

impl Sampler {
    /// A sampler at the start of its random numbers.
    pub fn new(settings: Sampling) -> Result<Sampler, GenerateError> {
        settings.check()?;
        let random = Random(settings.seed);
        Ok(Sampler { settings, random, counts: Default::default() })
    }

    /// Takes note of a token of the text, for the penalties.
    pub fn saw(&mut self, token: TokenId) {
        *self.counts.entry(token).or_default() += 1;
    }

    /// The same sampler with other random numbers.
    pub fn reseeded(&self, seed: u64) -> Sampler {
        let settings = Sampling { seed, ..self.settings.clone() };
        Sampler { settings, random: Random(seed), counts: self.counts.clone() }
    }

    /// Takes one token. `mask` has a bit for each token, as the engine makes it; without one everything is allowed.
    /// With `details` the answer says how likely it was, and which so many tokens were the likeliest.
    pub fn choose(
        &mut self,
        logits: &[f32],
        mask: Option<&[u32]>,
        details: Option<usize>,
    ) -> Result<Choice, GenerateError> {
        let mut allowed = allowed(logits, mask);
        if allowed.is_empty() {
            return Err(GenerateError::NothingAllowed);
        }
        if allowed.iter().all(|&id| logits[id as usize].is_nan()) {
            return Err(GenerateError::NotANumber);
        }
        let scores = self.scores(logits);
        let count = allowed.len();
        let token = match self.settings.temperature {
            0.0 => likeliest(&allowed, &scores),
            _ => self.draw(&mut allowed, &scores),
        };
        let details = details.map(|top| self.details(token, logits, &scores, mask, top));
        Ok(Choice { token, allowed: count, details })
    }

    /// What there is to say about a token that was not chosen here; draws no number.
    pub fn describe(
        &self,
        token: TokenId,
        logits: &[f32],
        mask: Option<&[u32]>,
        details: Option<usize>,
    ) -> Choice {
        let count = mask.map_or(logits.len(), |words| set_bits(words).count());
        let details = details.map(|top| self.details(token, logits, &self.scores(logits), mask, top));
        Choice { token, allowed: count, details }
    }

    fn details(
        &self,
        token: TokenId,
        logits: &[f32],
        scores: &[f32],
        mask: Option<&[u32]>,
        top: usize,
    ) -> Details {
        let plain = Softmax::of(logits.iter().map(|&logit| sane(logit)));
        let everything = Softmax::of(scores.iter().copied());
        let allowed = allowed(logits, mask);
        let masked = Softmax::of(allowed.iter().map(|&id| scores[id as usize]));
        let is_allowed = allowed.binary_search(&token).is_ok();
        let score = scores.get(token as usize).copied().unwrap_or(f32::MIN);
        Details {
            logprob: plain.log(logits.get(token as usize).map_or(f32::MIN, |&logit| sane(logit))),
            before: everything.part(score),
            after: if is_allowed { masked.part(score) } else { 0.0 },
            top: likeliest_of_all(logits, mask, &plain, top),
        }
    }

    /// The logits with penalties and temperature.
    fn scores(&self, logits: &[f32]) -> Vec<f32> {
        let settings = &self.settings;
        let mut scores: Vec<f32> = logits.iter().map(|&logit| sane(logit)).collect();
        for (&id, &count) in &self.counts {
            let Some(score) = scores.get_mut(id as usize) else { continue };
            let penalty = settings.repetition_penalty;
            *score = if *score > 0.0 { *score / penalty } else { *score * penalty };
            *score -= settings.frequency_penalty * count as f32 + settings.presence_penalty;
        }
        for &(id, bias) in &settings.logit_bias {
            if let Some(score) = scores.get_mut(id as usize) {
                *score = sane(*score + bias);
            }
        }
        if settings.temperature > 0.0 && settings.temperature != 1.0 {
            scores.iter_mut().for_each(|score| *score = sane(*score / settings.temperature));
        }
        scores
    }

    /// Draws from `allowed` after the cuts.
    fn draw(&mut self, allowed: &mut Vec<TokenId>, scores: &[f32]) -> TokenId {
        let settings = &self.settings;
        let masked = Softmax::of(allowed.iter().map(|&id| scores[id as usize]));
        let part = |id: TokenId| masked.part(scores[id as usize]);
        if settings.min_p > 0.0 {
            let best = scores[likeliest(allowed, scores) as usize];
            let least = masked.part(best) * settings.min_p;
            allowed.retain(|&id| part(id) >= least);
        }
        let order =
            |a: &TokenId, b: &TokenId| scores[*b as usize].total_cmp(&scores[*a as usize]).then(a.cmp(b));
        if settings.top_k > 0 && settings.top_k < allowed.len() {
            allowed.select_nth_unstable_by(settings.top_k, order);
            allowed.truncate(settings.top_k);
            allowed.sort_unstable();
        }
        if settings.top_p < 1.0 {
            allowed.sort_unstable_by(order);
            let whole: f64 = allowed.iter().map(|&id| f64::from(part(id))).sum();
            let mut sum = 0.0;
            let enough = allowed.iter().position(|&id| {
                sum += f64::from(part(id));
                sum >= whole * f64::from(settings.top_p)
            });
            allowed.truncate(enough.map_or(allowed.len(), |at| at + 1));
            allowed.sort_unstable();
        }
        let whole: f64 = allowed.iter().map(|&id| f64::from(part(id))).sum();
        let mut left = self.random.unit() * whole;
        for &id in &*allowed {
            let part = f64::from(part(id));
            if part > 0.0 && left < part {
                return id;
            }
            left -= part;
        }
        // Rounding may leave a little over: the likeliest, which has a part.
        likeliest(allowed, scores)
    }
}

/// The ids that a mask allows and that have a logit, in order.
fn allowed(logits: &[f32], mask: Option<&[u32]>) -> Vec<TokenId> {
    match mask {
        Some(words) => set_bits(words).take_while(|&id| (id as usize) < logits.len()).collect(),
        None => (0..logits.len() as TokenId).collect(),
    }
}

/// The `count` likeliest tokens, allowed or not.
fn likeliest_of_all(logits: &[f32], mask: Option<&[u32]>, plain: &Softmax, count: usize) -> Vec<Candidate> {
    let count = count.min(logits.len());
    if count == 0 {
        return Vec::new();
    }
    let order = |a: &TokenId, b: &TokenId| {
        sane(logits[*b as usize]).total_cmp(&sane(logits[*a as usize])).then(a.cmp(b))
    };
    let mut ids: Vec<TokenId> = (0..logits.len() as TokenId).collect();
    if count < ids.len() {
        ids.select_nth_unstable_by(count, order);
        ids.truncate(count);
    }
    ids.sort_unstable_by(order);
    let candidate = |token: TokenId| Candidate {
        token,
        logprob: plain.log(sane(logits[token as usize])),
        allowed: mask.is_none_or(|words| is_set(words, token)),
    };
    ids.into_iter().map(candidate).collect()
}

/// The ids whose bits are set, in order.
pub(crate) fn set_bits(words: &[u32]) -> impl Iterator<Item = TokenId> + '_ {
    words.iter().zip(0u32..).flat_map(|(&word, index)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(index * 32 + bit)
        })
    })
}

fn is_set(words: &[u32], id: TokenId) -> bool {
    words.get(id as usize / 32).is_some_and(|word| word >> (id % 32) & 1 == 1)
}

/// A logit that can be computed with: what is no number is as unlikely as can be.
fn sane(logit: f32) -> f32 {
    if logit.is_nan() { f32::MIN } else { logit.clamp(f32::MIN, f32::MAX) }
}

/// The token with the highest score; of equal ones the first.
fn likeliest(allowed: &[TokenId], scores: &[f32]) -> TokenId {
    let mut best = allowed[0];
    for &id in allowed {
        if scores[id as usize] > scores[best as usize] {
            best = id;
        }
    }
    best
}

/// Turns scores into probabilities.
struct Softmax {
    most: f32,
    sum: f64,
}

impl Softmax {
    fn of(scores: impl Iterator<Item = f32> + Clone) -> Softmax {
        let most = scores.clone().fold(f32::MIN, f32::max);
        let sum = scores.map(|score| f64::from((score - most).exp())).sum();
        Softmax { most, sum }
    }

    fn part(&self, score: f32) -> f32 {
        (f64::from((score - self.most).exp()) / self.sum) as f32
    }

    fn log(&self, score: f32) -> f32 {
        (f64::from(score - self.most) - self.sum.ln()) as f32
    }
}

/// Random numbers: small, fast, and the same everywhere (SplitMix64).
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    /// A number from 0 up to, not including, 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests;
