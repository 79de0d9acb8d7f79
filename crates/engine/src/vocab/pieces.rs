//! Tokens with a type: what SentencePiece models hold, and GGUF files after them.

use super::error::{VocabError, VocabErrorKind};
use super::names::{self, AddedRule};
use super::{TokenId, TokenKind, Vocab, VocabBuilder, encoding};

/// The next `n` bytes at `at`, which moves past them. `n` comes from the file and can be anything; the error says
/// how many are left.
pub(super) fn take<'a>(bytes: &'a [u8], at: &mut usize, n: u64) -> Result<&'a [u8], String> {
    let left = &bytes[*at..];
    let taken = usize::try_from(n).ok().and_then(|n| left.get(..n));
    let taken = taken.ok_or_else(|| format!("{n} bytes expected, {} are left", left.len()))?;
    *at += taken.len();
    Ok(taken)
}

/// The types of pieces, with the numbers that both formats use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceType {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

impl PieceType {
    pub(super) fn from_number(number: i64) -> Option<Self> {
        Some(match number {
            1 => PieceType::Normal,
            2 => PieceType::Unknown,
            3 => PieceType::Control,
            4 => PieceType::UserDefined,
            5 => PieceType::Unused,
            6 => PieceType::Byte,
            _ => return None,
        })
    }
}

/// How normal pieces spell their bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// In the byte alphabet of GPT-2.
    ByteLevel,
    /// As text with `▁` for a space.
    Spaced,
}

/// Builds a vocabulary of typed pieces; the id of a piece is its place.
///
/// Control and unknown pieces are special. User-defined ones are added tokens and follow the rule for those.
/// Fillers are unused whatever their type: converters give them any.
pub(super) fn build(pieces: &[(&[u8], PieceType)], spelling: Spelling) -> Result<Vocab, VocabError> {
    let name = |piece| std::str::from_utf8(piece).unwrap_or_default();
    let user_defined = pieces.iter().filter(|(_, kind)| *kind == PieceType::UserDefined);
    let rule = AddedRule::new(user_defined.map(|(piece, _)| name(piece)));

    let mut builder = VocabBuilder::default();
    let mut text = Vec::new();
    for (id, &(piece, piece_type)) in pieces.iter().enumerate() {
        let kind = match piece_type {
            _ if names::is_filler(name(piece)) => TokenKind::Unused,
            PieceType::Unused => TokenKind::Unused,
            PieceType::Control | PieceType::Unknown => TokenKind::Special,
            PieceType::UserDefined => rule.kind(name(piece), false),
            PieceType::Normal | PieceType::Byte => TokenKind::Text,
        };
        text.clear();
        match (kind, piece_type, spelling) {
            (TokenKind::Text, PieceType::Byte, _) => {
                text.push(encoding::byte_piece(piece).ok_or_else(|| {
                    let message = format!("token {id} is a byte but not written as <0xNN>");
                    VocabError::new(VocabErrorKind::Encoding, message).at_token(id as TokenId)
                })?);
            }
            (TokenKind::Text, PieceType::Normal, Spelling::ByteLevel) => match std::str::from_utf8(piece) {
                Ok(piece) => encoding::byte_level(piece, &mut text),
                Err(_) => text.extend_from_slice(piece),
            },
            (TokenKind::Text, _, Spelling::Spaced) => {
                encoding::spaced_piece(piece, encoding::SPACE_MARK, &mut text);
            }
            _ => text.extend_from_slice(piece),
        }
        builder.add_wide(id as u64, kind, &text)?;
    }
    builder.build()
}
