//! The texts that may be referred to: the schema, what the caller handed over, the metaschemas.

use std::borrow::Cow;
use std::cell::OnceCell;

use bumpalo::Bump;
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, Limits};

use crate::metaschema;
use crate::options::JsonOptions;
use crate::reader::{Json, quoted};
use crate::uri;

/// The number of the schema itself.
pub(super) const SCHEMA: usize = 0;

/// All documents, each read at most once and only when it is needed.
pub(crate) struct Documents<'a> {
    all: Vec<Document<'a>>,
    /// How many there are without the metaschemas.
    own: usize,
    /// Where all that is made of them lies.
    pub(super) room: &'a Bump,
}

struct Document<'a> {
    address: Cow<'a, str>,
    text: &'a str,
    json: OnceCell<Json<'a>>,
}

impl<'a> Documents<'a> {
    pub(crate) fn new(schema: &'a str, options: &'a JsonOptions, room: &'a Bump) -> Self {
        let document = |address: &str, text| Document {
            address: Cow::Owned(uri::resolve("", address).0),
            text,
            json: OnceCell::new(),
        };
        let mut all = vec![document("", schema)];
        all.extend(options.documents.iter().map(|(address, text)| document(address, text)));
        let own = all.len();
        all.extend(metaschema::ALL.iter().map(|meta| Document {
            address: Cow::Borrowed(meta.address),
            text: meta.text,
            json: OnceCell::new(),
        }));
        Documents { all, own, room }
    }

    /// The length of the schema's own text.
    pub(super) fn schema_len(&self) -> usize {
        self.all[SCHEMA].text.len()
    }

    /// The numbers of the schema and the documents that were handed over.
    pub(super) fn own(&self) -> std::ops::Range<usize> {
        0..self.own
    }

    /// The document that was handed over for `address`.
    pub(super) fn handed_over(&self, address: &str) -> Option<usize> {
        (1..self.own).find(|&i| self.all[i].address == address)
    }

    /// The document of `address`, or the metaschema.
    pub(super) fn find(&self, address: &str) -> Option<usize> {
        let meta = || metaschema::position(address).map(|i| self.own + i);
        self.handed_over(address).or_else(meta)
    }

    /// The address of a document; empty for the schema itself.
    pub(super) fn address(&self, document: usize) -> &str {
        &self.all[document].address
    }

    /// What stands before the pointers into a document.
    pub(super) fn prefix(&self, document: usize) -> String {
        if document == SCHEMA { String::new() } else { format!("{}#", self.address(document)) }
    }

    /// The value of a document.
    pub(super) fn json(
        &self,
        document: usize,
        limits: &Limits,
        budget: &mut Budget<'_>,
    ) -> Result<&Json<'a>, Error> {
        let slot = &self.all[document];
        if let Some(json) = slot.json.get() {
            return Ok(json);
        }
        let json = Json::parse(slot.text, self.room, limits, budget).map_err(|error| {
            if document == SCHEMA {
                return error;
            }
            // The place is one of another text: the message has to say which.
            let message = format!("in the document {}: {}", quoted(&slot.address), error.message());
            Error::at_place(error.kind(), message, error.place())
        })?;
        Ok(slot.json.get_or_init(|| json))
    }
}
