//! SentencePiece `.model` files: a protocol buffer, of which two parts matter.
//!
//! Field 1 of the file is repeated, one piece each: 1 is its text, 3 its type (normal if absent). Field 2
//! describes the training; its field 42 is the id of the end piece (2 if absent, negative for none). All
//! other fields are skipped. The reader knows the four wire types in use and nothing else of the format.

use super::error::{VocabError, VocabErrorKind};
use super::pieces::{self, PieceType, Spelling};
use super::{TokenId, Vocab};

const PIECES: u64 = 1;
const PIECE_TEXT: u64 = 1;
const PIECE_TYPE: u64 = 3;
const TRAINER: u64 = 2;
const TRAINER_END: u64 = 42;

impl Vocab {
    /// Reads a SentencePiece model, BPE or Unigram. `▁` is a space, byte pieces are bytes, control and unknown
    /// pieces are special, user-defined ones follow the rule for added tokens of
    /// [`from_tokenizer_json`](Self::from_tokenizer_json).
    ///
    /// ```
    /// use tokenstile::Vocab;
    ///
    /// // Two pieces: "▁a", and "</s>" of the control type. The end piece is number 1.
    /// let model = b"\x0a\x06\x0a\x04\xe2\x96\x81a\x0a\x08\x0a\x04</s>\x18\x03\x12\x03\xd0\x02\x01";
    /// let vocab = Vocab::from_sentencepiece(model)?;
    /// assert_eq!(vocab.bytes(0), Some(&b" a"[..]));
    /// assert_eq!(vocab.end_tokens(), [1]);
    /// # Ok::<(), tokenstile::VocabError>(())
    /// ```
    pub fn from_sentencepiece(bytes: &[u8]) -> Result<Vocab, VocabError> {
        let mut pieces: Vec<(&[u8], PieceType)> = Vec::new();
        let mut end = 2;
        let mut file = Message { bytes, at: 0, base: 0 };
        while let Some((field, value)) = file.next()? {
            match (field, value) {
                (PIECES, Value::Bytes(message)) => pieces.push(piece(message)?),
                (TRAINER, Value::Bytes(mut trainer)) => {
                    while let Some((field, value)) = trainer.next()? {
                        if let (TRAINER_END, Value::Number(id)) = (field, value) {
                            end = id;
                        }
                    }
                }
                _ => {}
            }
        }
        if pieces.is_empty() {
            return Err(VocabError::new(VocabErrorKind::Empty, "the model has no pieces"));
        }
        // A negative number, "none", is past any vocabulary. So is the default where there is no such piece.
        let control = |id: &usize| pieces.get(*id).is_some_and(|(_, kind)| *kind == PieceType::Control);
        let end: Option<TokenId> = usize::try_from(end).ok().filter(control).map(|id| id as TokenId);
        pieces::build(&pieces, Spelling::Spaced)?.with_guessed_end_tokens(end.as_slice())
    }
}

fn piece(mut message: Message<'_>) -> Result<(&[u8], PieceType), VocabError> {
    let mut text: &[u8] = b"";
    let mut piece_type = PieceType::Normal;
    let offset = message.base;
    while let Some((field, value)) = message.next()? {
        match (field, value) {
            (PIECE_TEXT, Value::Bytes(bytes)) => text = bytes.bytes,
            (PIECE_TYPE, Value::Number(number)) => {
                let known = i64::try_from(number).ok().and_then(PieceType::from_number);
                piece_type = known.ok_or_else(|| {
                    let message = format!("piece type {number} does not exist");
                    VocabError::new(VocabErrorKind::Syntax, message).at_offset(offset)
                })?;
            }
            _ => {}
        }
    }
    Ok((text, piece_type))
}

enum Value<'a> {
    Number(u64),
    Bytes(Message<'a>),
    /// Of a fixed size: floats, which are not of interest.
    Skipped,
}

/// A run of fields. `base` is where it starts in the file.
struct Message<'a> {
    bytes: &'a [u8],
    at: usize,
    base: usize,
}

impl<'a> Message<'a> {
    fn error(&self, kind: VocabErrorKind, message: &str) -> VocabError {
        VocabError::new(kind, message).at_offset(self.base + self.at)
    }

    fn next(&mut self) -> Result<Option<(u64, Value<'a>)>, VocabError> {
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let value = match tag & 7 {
            0 => Value::Number(self.varint()?),
            1 => self.take(8).map(|_| Value::Skipped)?,
            2 => {
                let len = self.varint()?;
                let base = self.base + self.at;
                Value::Bytes(Message { bytes: self.take(len)?, at: 0, base })
            }
            5 => self.take(4).map(|_| Value::Skipped)?,
            other => {
                let message = format!("wire type {other}: not a SentencePiece model");
                return Err(self.error(VocabErrorKind::Syntax, &message));
            }
        };
        Ok(Some((tag >> 3, value)))
    }

    fn take(&mut self, n: u64) -> Result<&'a [u8], VocabError> {
        pieces::take(self.bytes, &mut self.at, n)
            .map_err(|message| self.error(VocabErrorKind::Truncated, &message))
    }

    fn varint(&mut self) -> Result<u64, VocabError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.error(VocabErrorKind::Syntax, "a number of more than 64 bits"))
    }
}
