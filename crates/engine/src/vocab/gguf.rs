//! The vocabulary in the metadata of a GGUF file, versions 2 and 3, little-endian.
//!
//! The metadata comes first in the file: a prefix that holds all of it is enough, the tensors are not looked
//! at. Values are borrowed from the input, and every length is checked against what is left of it before
//! anything is read, so a file that lies about its lengths costs no memory.

use super::error::{VocabError, VocabErrorKind};
use super::pieces::{self, PieceType, Spelling};
use super::{TokenId, Vocab, narrow_id};

/// Arrays of arrays deeper than this are refused. Known files have none at all.
const MAX_NESTING: usize = 8;

impl Vocab {
    /// Reads the vocabulary of a GGUF file.
    ///
    /// Byte-level (`gpt2`) and SentencePiece-like (`llama`, `t5`, `gemma4`) vocabularies are known. End tokens
    /// are `tokenizer.ggml.eos_token_id`, `eot_token_id` and `eom_token_id`, then those told
    /// [by name](Vocab::end_tokens).
    ///
    /// ```
    /// use tokenstile::{Vocab, VocabErrorKind};
    ///
    /// let error = Vocab::from_gguf(b"GGUF\x03\0\0\0").unwrap_err();
    /// assert_eq!(error.kind(), VocabErrorKind::Truncated);
    /// ```
    pub fn from_gguf(bytes: &[u8]) -> Result<Vocab, VocabError> {
        let metadata = Metadata::read(bytes)?;
        let tokens = metadata.tokens.ok_or_else(|| missing("tokenizer.ggml.tokens"))?;
        let model = metadata.model.ok_or_else(|| missing("tokenizer.ggml.model"))?;
        let spelling = match model {
            b"gpt2" => Spelling::ByteLevel,
            b"llama" | b"t5" | b"gemma4" => Spelling::Spaced,
            other => {
                let message = format!(
                    "tokenizer model \"{}\" is not supported: gpt2, llama, t5 and gemma4 are",
                    String::from_utf8_lossy(other).escape_debug()
                );
                return Err(VocabError::new(VocabErrorKind::Unsupported, message));
            }
        };
        let types = match metadata.types {
            None => vec![PieceType::Normal; tokens.len()],
            Some(types) if types.len() == tokens.len() => types,
            Some(types) => {
                let message = format!("{} tokens, but {} token types", tokens.len(), types.len());
                return Err(VocabError::new(VocabErrorKind::Syntax, message));
            }
        };
        let pieces: Vec<_> = tokens.into_iter().zip(types).collect();
        let vocab = pieces::build(&pieces, spelling)?;
        let end: Result<Vec<TokenId>, _> = metadata.end.into_iter().flatten().map(narrow_id).collect();
        vocab.with_guessed_end_tokens(&end?)
    }
}

fn missing(key: &str) -> VocabError {
    VocabError::new(VocabErrorKind::Syntax, format!("the file has no {key}"))
}

/// The keys that matter.
#[derive(Default)]
struct Metadata<'a> {
    model: Option<&'a [u8]>,
    tokens: Option<Vec<&'a [u8]>>,
    types: Option<Vec<PieceType>>,
    /// End of sequence, of turn, of message.
    end: [Option<u64>; 3],
}

impl<'a> Metadata<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, VocabError> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.take(4)? != b"GGUF" {
            return Err(VocabError::new(VocabErrorKind::Syntax, "not a GGUF file").at_offset(0));
        }
        let version = reader.u32()?;
        if !(2..=3).contains(&version) {
            let message = format!("GGUF version {version} is not supported: 2 and 3, little-endian, are");
            return Err(VocabError::new(VocabErrorKind::Unsupported, message).at_offset(4));
        }
        let _tensors = reader.u64()?;
        let keys = reader.u64()?;
        let mut metadata = Metadata::default();
        for _ in 0..keys {
            let key = reader.string()?;
            let value_type = reader.value_type()?;
            match key {
                b"tokenizer.ggml.model" => metadata.model = Some(reader.expect_string(value_type)?),
                b"tokenizer.ggml.tokens" => metadata.tokens = Some(reader.strings(value_type)?),
                b"tokenizer.ggml.token_type" => metadata.types = Some(reader.piece_types(value_type)?),
                b"tokenizer.ggml.eos_token_id" => metadata.end[0] = Some(reader.id(value_type)?),
                b"tokenizer.ggml.eot_token_id" => metadata.end[1] = Some(reader.id(value_type)?),
                b"tokenizer.ggml.eom_token_id" => metadata.end[2] = Some(reader.id(value_type)?),
                _ => reader.skip(value_type, 0)?,
            }
        }
        Ok(metadata)
    }
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueType {
    Number { size: usize, integer: bool },
    String,
    Array,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn wrong(&self, message: &str) -> VocabError {
        VocabError::new(VocabErrorKind::Syntax, message).at_offset(self.at)
    }

    fn take(&mut self, n: u64) -> Result<&'a [u8], VocabError> {
        let start = self.at;
        pieces::take(self.bytes, &mut self.at, n)
            .map_err(|message| VocabError::new(VocabErrorKind::Truncated, message).at_offset(start))
    }

    fn number(&mut self, size: usize) -> Result<u64, VocabError> {
        let mut number = [0; 8];
        number[..size].copy_from_slice(self.take(size as u64)?);
        Ok(u64::from_le_bytes(number))
    }

    fn u32(&mut self) -> Result<u32, VocabError> {
        Ok(self.number(4)? as u32)
    }

    fn u64(&mut self) -> Result<u64, VocabError> {
        self.number(8)
    }

    fn string(&mut self) -> Result<&'a [u8], VocabError> {
        let len = self.u64()?;
        self.take(len)
    }

    fn value_type(&mut self) -> Result<ValueType, VocabError> {
        let number = |size, integer| Ok(ValueType::Number { size, integer });
        match self.u32()? {
            0 | 1 => number(1, true),
            2 | 3 => number(2, true),
            4 | 5 => number(4, true),
            6 => number(4, false),
            7 => number(1, false),
            8 => Ok(ValueType::String),
            9 => Ok(ValueType::Array),
            10 | 11 => number(8, true),
            12 => number(8, false),
            other => Err(self.wrong(&format!("value type {other} does not exist"))),
        }
    }

    fn expect_string(&mut self, value_type: ValueType) -> Result<&'a [u8], VocabError> {
        match value_type {
            ValueType::String => self.string(),
            _ => Err(self.wrong("a string was expected here")),
        }
    }

    /// A token id. A negative one is written by some converters for "none" and comes out as out of range.
    fn id(&mut self, value_type: ValueType) -> Result<u64, VocabError> {
        match value_type {
            ValueType::Number { size, integer: true } => self.number(size),
            _ => Err(self.wrong("an integer was expected here")),
        }
    }

    /// Type of the elements and their number.
    fn array(&mut self, value_type: ValueType) -> Result<(ValueType, u64), VocabError> {
        if value_type != ValueType::Array {
            return Err(self.wrong("an array was expected here"));
        }
        Ok((self.value_type()?, self.u64()?))
    }

    fn strings(&mut self, value_type: ValueType) -> Result<Vec<&'a [u8]>, VocabError> {
        let (element, len) = self.array(value_type)?;
        // No capacity up front: `len` is a claim until the strings are there.
        (0..len).map(|_| self.expect_string(element)).collect()
    }

    fn piece_types(&mut self, value_type: ValueType) -> Result<Vec<PieceType>, VocabError> {
        let (ValueType::Number { size, integer: true }, len) = self.array(value_type)? else {
            return Err(self.wrong("an array of integers was expected here"));
        };
        let mut types = Vec::new();
        for _ in 0..len {
            let number = self.number(size)?;
            let piece_type = i64::try_from(number).ok().and_then(PieceType::from_number);
            types.push(piece_type.ok_or_else(|| self.wrong(&format!("token type {number} does not exist")))?);
        }
        Ok(types)
    }

    fn skip(&mut self, value_type: ValueType, depth: usize) -> Result<(), VocabError> {
        match value_type {
            ValueType::Number { size, .. } => self.take(size as u64).map(drop),
            ValueType::String => self.string().map(drop),
            ValueType::Array if depth >= MAX_NESTING => Err(self.wrong("arrays are nested too deep")),
            ValueType::Array => match self.array(value_type)? {
                (ValueType::Number { size, .. }, len) => self.take(len.saturating_mul(size as u64)).map(drop),
                (element, len) => (0..len).try_for_each(|_| self.skip(element, depth + 1)),
            },
        }
    }
}
