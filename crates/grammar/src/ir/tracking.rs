//! What a grammar asks whoever runs it to remember.

/// What is to be remembered of a JSON text while it is written, since no grammar can.
///
/// Whoever runs such a grammar reads the text as JSON beside it, and gives the grammar another byte in place of the one
/// that was written where something is repeated. None of these bytes can occur in UTF-8, so a grammar says with
/// ordinary byte sets whether it minds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tracking {
    /// The closing quote of a member's key is given as [`REPEATED_KEY`](Tracking::REPEATED_KEY) if its object already
    /// has a member with the same key, however it is spelled.
    pub keys: bool,
    /// The comma or bracket after an item that equals an earlier one of its array, as JSON Schema compares values, is
    /// given as [`COMMA_AFTER_REPEATED`](Tracking::COMMA_AFTER_REPEATED) or
    /// [`BRACKET_AFTER_REPEATED`](Tracking::BRACKET_AFTER_REPEATED). White space before it stays as it is.
    pub items: bool,
    /// A promise: the grammar never takes [`REPEATED_KEY`](Tracking::REPEATED_KEY), and whatever it lets be written of
    /// a key can become a key of at least so many characters; with `u32::MAX`, one that its object does not have yet.
    /// As long as no key has so many, a text can go on if it repeats no key, and nothing has to be searched to find
    /// that out. 0 promises nothing.
    pub keys_abound: u32,
}

impl Tracking {
    /// In place of `"` at the end of a repeated key.
    pub const REPEATED_KEY: u8 = 0xFD;
    /// In place of `,` after a repeated item.
    pub const COMMA_AFTER_REPEATED: u8 = 0xFE;
    /// In place of `]` after a repeated item.
    pub const BRACKET_AFTER_REPEATED: u8 = 0xFF;

    /// Whether there is anything to remember.
    pub fn any(self) -> bool {
        self.keys || self.items
    }
}
