//! The schemas of schemas, for references to them: what the specifications say of the form of each keyword.

/// One of them.
pub(super) struct Metaschema {
    pub(super) address: &'static str,
    pub(super) text: &'static str,
}

/// All of them.
pub(super) static ALL: [Metaschema; 0] = [];

/// The number of the one that an address belongs to.
pub(super) fn position(address: &str) -> Option<usize> {
    ALL.iter().position(|meta| meta.address == address)
}
