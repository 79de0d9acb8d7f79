//! Vocabularies: which token id stands for which bytes.
//!
//! Bytes of a file come in (a Hugging Face `tokenizer.json`, tiktoken ranks, a Mistral `tekken.json`, a
//! SentencePiece `.model`, the metadata of a GGUF file, a JSON Lines list, or a plain list); a [`Vocab`] goes
//! out: for every id its [kind](TokenKind) and bytes, the end tokens, the width of the logits, and a
//! [`Fingerprint`] of it all. Nothing here opens a file, and nothing here tokenizes: masks only need to know
//! what each token spells.
//!
//! Three rules hold for every format. Text is bytes, not characters: many tokens are not valid UTF-8 alone.
//! Special tokens never match text, whatever their name spells. Ids without text are never allowed.
//!
//! How each format is read is explained in the module of its name; how control markers and end tokens are told
//! from text where a file does not say so, on [`Vocab::from_tokenizer_json`] and [`Vocab::end_tokens`]. The
//! libraries that encode text were considered for reading these files and left out: they bring dozens of
//! crates for what is a few hundred lines.

mod detect;
mod encoding;
mod error;
mod fingerprint;
mod gguf;
mod json;
mod jsonl;
mod names;
mod pieces;
mod sentencepiece;
mod tekken;
mod tiktoken;
mod tokenizer_json;

use std::fmt;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

pub use error::{VocabError, VocabErrorKind, VocabPlace};
pub use fingerprint::Fingerprint;

/// The number of a token, as models and samplers use it.
pub type TokenId = u32;

/// The most ids a vocabulary may have, and the widest mask: 2²⁴, some sixty times the largest known.
pub const MAX_TOKENS: usize = 1 << 24;

/// What an id is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum TokenKind {
    /// Text: the token's bytes are part of the output.
    Text,
    /// A control token such as `<|im_end|>`: never matches text, can be asked for by name or as an end token.
    Special,
    /// A hole, padding or filler: never allowed.
    Unused,
}

/// Token id → bytes, with special tokens, end tokens and the width of the logits.
///
/// Immutable and cheap to clone. The `with_…` methods return a changed vocabulary that shares the texts.
///
/// ```
/// use tokenstile::{TokenKind, Vocab};
///
/// let vocab = Vocab::from_tokens([(0, "{"), (1, "}"), (3, "<eos>")], &[3])?;
/// assert_eq!(vocab.len(), 4);
/// assert_eq!(vocab.bytes(0), Some(&b"{"[..]));
/// assert_eq!(vocab.kind(2), TokenKind::Unused);
/// assert_eq!(vocab.bytes(3), None);
/// assert_eq!(vocab.name(3), Some("<eos>"));
/// assert_eq!(vocab.end_tokens(), [3]);
/// # Ok::<(), tokenstile::VocabError>(())
/// ```
#[derive(Clone)]
pub struct Vocab {
    inner: Arc<Inner>,
}

struct Inner {
    table: Arc<Table>,
    /// One for each id below `len`; what lies at or past `width` counts as unused.
    kinds: Arc<[TokenKind]>,
    /// Without repetitions, each of kind `Special`, below `len` and `width`.
    end: Box<[TokenId]>,
    width: usize,
    fingerprint: OnceLock<Fingerprint>,
}

/// The text, or for special tokens the name, of id `i` is `pool[offsets[i]..offsets[i + 1]]`.
struct Table {
    pool: Box<[u8]>,
    offsets: Box<[u32]>,
}

impl Table {
    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn get(&self, id: usize) -> &[u8] {
        &self.pool[self.offsets[id] as usize..self.offsets[id + 1] as usize]
    }
}

impl Vocab {
    /// A vocabulary to be filled token by token.
    pub fn builder() -> VocabBuilder {
        VocabBuilder::default()
    }

    /// A vocabulary from a plain list of ids and bytes, in any order.
    ///
    /// Tokens without bytes are unused. The end tokens are special, whatever bytes they come with; one that is not in
    /// the list is added.
    pub fn from_tokens<B: AsRef<[u8]>>(
        tokens: impl IntoIterator<Item = (TokenId, B)>,
        end: &[TokenId],
    ) -> Result<Vocab, VocabError> {
        let mut builder = Vocab::builder();
        let mut named = vec![false; end.len()];
        for (id, bytes) in tokens {
            builder.add(id, TokenKind::Text, bytes.as_ref())?;
            end.iter().zip(&mut named).filter(|(e, _)| **e == id).for_each(|(_, n)| *n = true);
        }
        for (&id, _) in end.iter().zip(&named).filter(|(_, named)| !**named) {
            builder.add(id, TokenKind::Special, format!("<end {id}>").as_bytes())?;
        }
        builder.build()?.with_end_tokens(end)
    }

    /// One more than the highest id. Not every id below it needs to be in use.
    #[allow(clippy::len_without_is_empty)] // An empty vocabulary is refused.
    pub fn len(&self) -> usize {
        self.inner.table.len()
    }

    /// The text of a token: `None` if it is special, unused, past the width or past the end. Never empty.
    pub fn bytes(&self, id: TokenId) -> Option<&[u8]> {
        (self.kind(id) == TokenKind::Text).then(|| self.inner.table.get(id as usize))
    }

    /// What an id is for. Ids past the width or past the end are unused.
    pub fn kind(&self, id: TokenId) -> TokenKind {
        match self.inner.kinds.get(id as usize) {
            Some(&kind) if (id as usize) < self.inner.width => kind,
            _ => TokenKind::Unused,
        }
    }

    /// The name of a special or filler token, such as `<|im_end|>`. `None` for text, holes, and special tokens
    /// whose bytes are no UTF-8.
    pub fn name(&self, id: TokenId) -> Option<&str> {
        let table = &self.inner.table;
        if self.kind(id) == TokenKind::Text || id as usize >= table.len() {
            return None;
        }
        std::str::from_utf8(table.get(id as usize)).ok().filter(|name| !name.is_empty())
    }

    /// All text tokens, by id.
    pub fn text_tokens(&self) -> impl Iterator<Item = (TokenId, &[u8])> {
        (0..self.len() as TokenId).filter_map(|id| Some((id, self.bytes(id)?)))
    }

    /// All special tokens that have a name, by id.
    pub fn special_tokens(&self) -> impl Iterator<Item = (TokenId, &str)> {
        let special = |id: &TokenId| self.kind(*id) == TokenKind::Special;
        (0..self.len() as TokenId).filter(special).filter_map(|id| Some((id, self.name(id)?)))
    }

    /// The special token of this name; the one with the lowest id if there are several.
    pub fn find_special(&self, name: &str) -> Option<TokenId> {
        self.special_tokens().find(|&(_, n)| n == name).map(|(id, _)| id)
    }

    /// The tokens that may follow a complete text. The first one is the model's own where that is known.
    ///
    /// Where they come from: GGUF `tokenizer.ggml.eos_token_id` and its like, the SentencePiece trainer's
    /// `eos_id`, the `eos` and `stop` of JSON Lines; and, except for JSON Lines and plain lists, all special
    /// tokens with one of these names, in this order: `<|im_end|>`, `<|eot_id|>`, `<|eot|>`, `<end_of_turn>`,
    /// `<turn|>`, `<|END_OF_TURN_TOKEN|>`, `<|return|>`, `<|call|>`, `<|end|>` (not beside `<|return|>`),
    /// `<|eom_id|>`, `<|eom|>`, `<｜end▁of▁sentence｜>`, `</s>`, `<eos>`, `<|endoftext|>`, `<|end_of_text|>`;
    /// and if there is none of these, `<EOS_TOKEN>`, `<|eos|>`, `[EOS]`, `<|EOT|>`, `<|endofprompt|>`.
    /// May be empty. What the caller's sampler stops at decides: [`with_end_tokens`](Self::with_end_tokens).
    pub fn end_tokens(&self) -> &[TokenId] {
        &self.inner.end
    }

    /// The width of the logits and so of masks: [`len`](Self::len) unless [set](Self::with_width).
    pub fn width(&self) -> usize {
        self.inner.width
    }

    /// The vocabulary with these end tokens instead. Each becomes special if it was not.
    pub fn with_end_tokens(self, end: &[TokenId]) -> Result<Vocab, VocabError> {
        let usable = self.len().min(self.width());
        let mut unique: Vec<TokenId> = Vec::new();
        let mut seen = FxHashSet::default();
        for &id in end {
            if id as usize >= usable {
                let message = format!("end token {id} is not one of the {usable} ids of the vocabulary");
                return Err(VocabError::new(VocabErrorKind::EndToken, message).at_token(id));
            }
            if seen.insert(id) {
                unique.push(id);
            }
        }
        let changed = self.changed(|kinds| set(kinds, &unique, TokenKind::Special));
        Vocab::checked(Inner { end: unique.into(), ..changed })
    }

    /// The vocabulary for a model with logits of this width. Ids at or past the width become unused; where
    /// the width is larger than the vocabulary, the ids between are padding and never allowed.
    pub fn with_width(self, width: usize) -> Result<Vocab, VocabError> {
        if width == 0 || width > MAX_TOKENS {
            let message = format!("a width of {width} is not between 1 and {MAX_TOKENS}");
            return Err(VocabError::new(VocabErrorKind::TooLarge, message));
        }
        if let Some(&id) = self.end_tokens().iter().find(|&&id| id as usize >= width) {
            let message = format!("end token {id} is past the width of {width}");
            return Err(VocabError::new(VocabErrorKind::EndToken, message).at_token(id));
        }
        Vocab::checked(Inner { width, ..self.changed(|_| ()) })
    }

    /// The vocabulary with these tokens special: a text token's bytes become its name.
    pub fn with_special(self, ids: &[TokenId]) -> Result<Vocab, VocabError> {
        self.known(ids)?;
        Vocab::checked(self.changed(|kinds| set(kinds, ids, TokenKind::Special)))
    }

    /// The vocabulary with these tokens text: a special token's name becomes its bytes. End tokens are refused.
    pub fn with_text(self, ids: &[TokenId]) -> Result<Vocab, VocabError> {
        self.known(ids)?;
        let end: FxHashSet<TokenId> = self.end_tokens().iter().copied().collect();
        if let Some(&id) = ids.iter().find(|id| end.contains(id)) {
            let message = format!("token {id} is an end token and cannot be text");
            return Err(VocabError::new(VocabErrorKind::EndToken, message).at_token(id));
        }
        Vocab::checked(self.changed(|kinds| set(kinds, ids, TokenKind::Text)))
    }

    /// The hash of kinds, bytes, end tokens and width. Computed once, on first use.
    pub fn fingerprint(&self) -> Fingerprint {
        *self.inner.fingerprint.get_or_init(|| {
            let mut hasher = fingerprint::Hasher::new();
            hasher.bytes(b"tokenstile vocabulary 1");
            hasher.number(self.len() as u32);
            hasher.number(self.width() as u32);
            for id in 0..self.len() {
                let bytes = self.inner.table.get(id);
                hasher.bytes(&[self.kind(id as TokenId) as u8]);
                hasher.number(bytes.len() as u32);
                hasher.bytes(bytes);
            }
            let mut end = self.inner.end.to_vec();
            end.sort_unstable();
            end.iter().for_each(|&id| hasher.number(id));
            hasher.finish()
        })
    }

    /// The end tokens a file states, then those that names tell, as far as they are usable.
    fn with_guessed_end_tokens(self, stated: &[TokenId]) -> Result<Vocab, VocabError> {
        let mut end = stated.to_vec();
        end.extend(names::guess_end_tokens(&self));
        self.with_end_tokens(&end)
    }

    fn known(&self, ids: &[TokenId]) -> Result<(), VocabError> {
        let table = &self.inner.table;
        match ids.iter().find(|&&id| id as usize >= table.len() || table.get(id as usize).is_empty()) {
            None => Ok(()),
            Some(&id) => {
                let message = format!("token {id} is not in the vocabulary");
                Err(VocabError::new(VocabErrorKind::UnknownToken, message).at_token(id))
            }
        }
    }

    fn changed(&self, change: impl FnOnce(&mut [TokenKind])) -> Inner {
        let mut kinds: Vec<TokenKind> = self.inner.kinds.to_vec();
        change(&mut kinds);
        Inner {
            table: self.inner.table.clone(),
            kinds: kinds.into(),
            end: self.inner.end.clone(),
            width: self.inner.width,
            fingerprint: OnceLock::new(),
        }
    }

    fn checked(inner: Inner) -> Result<Vocab, VocabError> {
        let vocab = Vocab { inner: Arc::new(inner) };
        if vocab.text_tokens().next().is_none() {
            return Err(VocabError::new(
                VocabErrorKind::NoText,
                "no token of the vocabulary has usable text",
            ));
        }
        Ok(vocab)
    }
}

fn set(kinds: &mut [TokenKind], ids: &[TokenId], kind: TokenKind) {
    for &id in ids {
        kinds[id as usize] = kind;
    }
}

impl fmt::Debug for Vocab {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vocab")
            .field("len", &self.len())
            .field("width", &self.width())
            .field("end_tokens", &self.end_tokens())
            .finish_non_exhaustive()
    }
}

/// Collects tokens into a [`Vocab`].
///
/// ```
/// use tokenstile::{TokenKind, Vocab};
///
/// let mut builder = Vocab::builder();
/// builder.add(1, TokenKind::Special, b"<|endoftext|>")?;
/// builder.add(0, TokenKind::Text, b"yes")?;
/// let vocab = builder.build()?.with_end_tokens(&[1])?;
/// assert_eq!(vocab.find_special("<|endoftext|>"), Some(1));
/// # Ok::<(), tokenstile::VocabError>(())
/// ```
#[derive(Default)]
pub struct VocabBuilder {
    pool: Vec<u8>,
    entries: Vec<Entry>,
    len: usize,
}

struct Entry {
    id: TokenId,
    start: usize,
    end: usize,
    kind: TokenKind,
}

impl VocabBuilder {
    /// Adds a token: its text, or the name of a special or unused one. In any order; twice the same is once.
    pub fn add(&mut self, id: TokenId, kind: TokenKind, bytes: &[u8]) -> Result<(), VocabError> {
        self.reserve_ids(u64::from(id) + 1)?;
        let start = self.pool.len();
        self.pool.extend_from_slice(bytes);
        let kind = if bytes.is_empty() && kind == TokenKind::Text { TokenKind::Unused } else { kind };
        self.entries.push(Entry { id, start, end: self.pool.len(), kind });
        Ok(())
    }

    /// As [`add`](Self::add), for ids as files have them.
    fn add_wide(&mut self, id: u64, kind: TokenKind, bytes: &[u8]) -> Result<(), VocabError> {
        self.add(narrow_id(id)?, kind, bytes)
    }

    /// Makes the vocabulary have at least `len` ids; those without a token are holes.
    fn reserve_ids(&mut self, len: u64) -> Result<(), VocabError> {
        match usize::try_from(len) {
            Ok(len) if len <= MAX_TOKENS => self.len = self.len.max(len),
            _ => {
                let message = format!("a vocabulary of {len} ids is above the limit of {MAX_TOKENS}");
                return Err(VocabError::new(VocabErrorKind::IdOutOfRange, message));
            }
        }
        Ok(())
    }

    /// The vocabulary, without end tokens. An id added twice with different bytes or kind is an error.
    pub fn build(self) -> Result<Vocab, VocabError> {
        let VocabBuilder { pool, mut entries, len } = self;
        if entries.is_empty() {
            return Err(VocabError::new(VocabErrorKind::Empty, "the vocabulary has no tokens"));
        }
        if u32::try_from(pool.len()).is_err() {
            return Err(VocabError::new(VocabErrorKind::TooLarge, "the token texts together exceed 4 GiB"));
        }
        entries.sort_by_key(|entry| entry.id);
        let mut sorted = Vec::with_capacity(pool.len());
        let mut offsets = Vec::with_capacity(len + 1);
        let mut kinds = vec![TokenKind::Unused; len];
        offsets.push(0);
        for (i, entry) in entries.iter().enumerate() {
            let bytes = &pool[entry.start..entry.end];
            let id = entry.id as usize;
            if let Some(before) = i.checked_sub(1).map(|i| &entries[i])
                && before.id == entry.id
            {
                if before.kind != entry.kind || &pool[before.start..before.end] != bytes {
                    let message = format!("token {id} is given twice, differently");
                    return Err(VocabError::new(VocabErrorKind::DuplicateId, message).at_token(entry.id));
                }
                continue;
            }
            offsets.resize(id + 1, sorted.len() as u32);
            sorted.extend_from_slice(bytes);
            offsets.push(sorted.len() as u32);
            kinds[id] = entry.kind;
        }
        offsets.resize(len + 1, sorted.len() as u32);
        Vocab::checked(Inner {
            table: Arc::new(Table { pool: sorted.into(), offsets: offsets.into() }),
            kinds: kinds.into(),
            end: Box::default(),
            width: len,
            fingerprint: OnceLock::new(),
        })
    }
}

/// An id as files have it, as a [`TokenId`] within [`MAX_TOKENS`].
fn narrow_id(id: u64) -> Result<TokenId, VocabError> {
    if id < MAX_TOKENS as u64 {
        return Ok(id as TokenId);
    }
    let message = format!("token id {id} is above the limit of {}", MAX_TOKENS - 1);
    Err(VocabError::new(VocabErrorKind::IdOutOfRange, message))
}
