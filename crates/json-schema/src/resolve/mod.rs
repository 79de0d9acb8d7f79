//! From the text of a schema to its [`Nodes`]: drafts, identifiers, references.
//!
//! A *document* is a text that was handed over; it is read when something refers to it. A *resource* is a schema with
//! an address of its own: a document, or a part of one that has `$id`. `index` walks a document once and notes its
//! resources and anchors; `refs` finds what a reference means; `build` makes the nodes, from the root on, only of what
//! can be reached.
//!
//! What `$dynamicRef` means depends on the resources that were entered on the way to it. All that matters of them is
//! which schema each dynamic anchor stands for: a `scope`. There is one node for each pair of a place and a scope;
//! without dynamic anchors there is only one scope.

mod build;
mod documents;
mod index;
mod items;
mod refs;
mod scope;
mod values;
mod warnings;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, Limits};

pub(crate) use self::documents::Documents;
use self::index::Resource;
use self::scope::Scopes;
use self::warnings::Warnings;
use super::node::{NodeId, Nodes};
use super::options::JsonOptions;
use super::pointer::Pointer;
use super::reader::Json;

/// Reads a schema and everything it refers to.
pub(crate) fn load<'a>(
    documents: &'a Documents<'a>,
    options: &'a JsonOptions,
    limits: &'a Limits,
    budget: &mut Budget<'_>,
) -> Result<Nodes<'a>, Error> {
    let mut resolver = Resolver::new(documents, options, limits, budget);
    let root = resolver.document(documents::SCHEMA)?;
    let root = resolver.resources[root].root;
    resolver.nodes(root)
}

/// A place in a document.
#[derive(Clone, Copy, Debug)]
struct Location<'a> {
    json: &'a Json<'a>,
    /// The resource it is in, by number.
    resource: usize,
    /// With the document's address before it if that is not the schema itself.
    pointer: Pointer<'a>,
}

/// The identity of a JSON value: no two in memory are at one address.
type Identity<'a> = *const Json<'a>;

/// Everything that is known while a schema is read.
struct Resolver<'a, 'b, 'l> {
    documents: &'a Documents<'a>,
    options: &'a JsonOptions,
    limits: &'a Limits,
    budget: &'b mut Budget<'l>,
    resources: Vec<Resource<'a>>,
    /// The root resource of each document that was read.
    loaded: FxHashMap<usize, usize>,
    /// Which values are the roots of resources.
    roots: FxHashMap<Identity<'a>, usize>,
    /// All schemas that were walked.
    indexed: FxHashSet<Identity<'a>>,
    /// What each address, with or without an anchor, stands for.
    addresses: HashMap<String, Vec<Location<'a>>>,
    /// Identifiers that the draft does not know, for references that lead nowhere else.
    aliases: HashMap<String, Location<'a>>,
    /// What references mean, by the resource they are in.
    targets: HashMap<(usize, &'a str), Location<'a>>,
    /// The members of large objects that a reference went through.
    members: FxHashMap<Identity<'a>, HashMap<&'a str, &'a Json<'a>>>,
    scopes: Scopes<'a>,
    ids: FxHashMap<(Identity<'a>, usize), NodeId>,
    warnings: Warnings<'a>,
}

impl<'a, 'b, 'l> Resolver<'a, 'b, 'l> {
    fn new(
        documents: &'a Documents<'a>,
        options: &'a JsonOptions,
        limits: &'a Limits,
        budget: &'b mut Budget<'l>,
    ) -> Self {
        // So many schemas are about right for a text of this length.
        let schemas = (documents.schema_len() / 64).min(1_024);
        Resolver {
            documents,
            options,
            limits,
            budget,
            resources: Vec::new(),
            loaded: FxHashMap::default(),
            roots: FxHashMap::default(),
            indexed: FxHashSet::with_capacity_and_hasher(schemas, FxBuildHasher),
            addresses: HashMap::new(),
            aliases: HashMap::new(),
            targets: HashMap::new(),
            members: FxHashMap::default(),
            scopes: Scopes::new(),
            ids: FxHashMap::with_capacity_and_hasher(schemas, FxBuildHasher),
            warnings: Warnings::default(),
        }
    }
}
