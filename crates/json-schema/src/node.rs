//! A schema with its references resolved: an arena of nodes that name each other by id.
//!
//! Nothing is decided here about what a schema means; a [`Schema`] holds what its keywords say, in one form for
//! all drafts. References are ids, so the arena may have cycles.

use std::ops::{BitOr, BitOrAssign};

use tokenstile_grammar::ir::Warning;
use tokenstile_grammar::{Error, ErrorKind};

use super::pointer::Pointer;
use super::reader::Json;

/// A schema in a [`Nodes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// The id of the `index`-th node; `None` once 32 bits are exhausted.
    pub(crate) fn new(index: usize) -> Option<Self> {
        if index < u32::MAX as usize { Some(NodeId(index as u32)) } else { None }
    }

    /// Position in the arena.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// All schemas that are reachable from the root.
#[derive(Debug)]
pub(crate) struct Nodes<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) root: NodeId,
    /// What the caller should be told.
    pub(crate) warnings: Vec<Warning>,
}

impl<'a> Nodes<'a> {
    /// The node of an id.
    pub(crate) fn get(&self, id: NodeId) -> &Node<'a> {
        &self.nodes[id.index()]
    }

    /// The schema itself.
    pub(crate) fn root(&self) -> NodeId {
        self.root
    }

    /// Number of nodes; ids are `0..len`.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
}

/// One schema.
#[derive(Debug)]
pub(crate) enum Node<'a> {
    /// `true` or `{}`.
    Any,
    /// `false`.
    Never,
    /// Nothing but one type whose values have no parts. All that say the same are one node.
    Word(Word),
    /// Keywords.
    Schema(&'a Schema<'a>),
}

/// See [`Node::Word`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    pub(crate) types: Types,
    /// See [`Schema::plain_integers`].
    pub(crate) plain_integers: bool,
}

impl Word {
    /// The one type of a name, if its values have no parts.
    pub(crate) fn named(name: &str, plain_integers: bool) -> Option<Word> {
        let types = Types::named(name).filter(|&types| types != Types::ARRAY && types != Types::OBJECT)?;
        Some(Word { types, plain_integers: plain_integers && types == Types::INTEGER })
    }
}

/// A set of the types of JSON Schema.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Types(u8);

impl Types {
    /// No type.
    pub(crate) const NONE: Types = Types(0);
    /// `null`
    pub(crate) const NULL: Types = Types(1);
    /// `boolean`
    pub(crate) const BOOLEAN: Types = Types(2);
    /// `integer`: numbers without a fraction. It is a part of `number`, with a bit of its own.
    pub(crate) const INTEGER: Types = Types(4);
    /// `number`
    pub(crate) const NUMBER: Types = Types(8);
    /// `string`
    pub(crate) const STRING: Types = Types(16);
    /// `array`
    pub(crate) const ARRAY: Types = Types(32);
    /// `object`
    pub(crate) const OBJECT: Types = Types(64);

    /// Whether all of `other` is in this set.
    pub(crate) fn contains(self, other: Types) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set as bits.
    pub(crate) fn bits(self) -> u64 {
        self.0.into()
    }

    /// The type of a name.
    pub(crate) fn named(name: &str) -> Option<Types> {
        Some(match name {
            "null" => Types::NULL,
            "boolean" => Types::BOOLEAN,
            "integer" => Types::INTEGER,
            "number" => Types::NUMBER,
            "string" => Types::STRING,
            "array" => Types::ARRAY,
            "object" => Types::OBJECT,
            _ => return None,
        })
    }
}

impl BitOr for Types {
    type Output = Types;
    fn bitor(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }
}

impl BitOrAssign for Types {
    fn bitor_assign(&mut self, other: Types) {
        self.0 |= other.0;
    }
}

/// One end of a range of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bound<'a> {
    /// The number as it was written.
    pub(crate) value: &'a str,
    /// Whether the number itself is outside.
    pub(crate) exclusive: bool,
}

/// What the keywords of one schema say. An absent keyword is `None`, empty or false.
#[derive(Debug, Default)]
pub(crate) struct Schema<'a> {
    /// Where it stands: a JSON pointer, `address#pointer` in documents other than the schema itself.
    pub(crate) pointer: Pointer<'a>,
    /// `type`
    pub(crate) types: Option<Types>,
    /// Whether there is nothing but `enum`, or nothing but `const`.
    pub(crate) only_values: bool,
    /// Whether `integer` means numbers written without fraction and exponent: in draft 4, `1.0` is none.
    pub(crate) plain_integers: bool,
    /// `enum`
    pub(crate) values: Option<&'a [Json<'a>]>,
    /// `const`
    pub(crate) constant: Option<&'a Json<'a>>,
    /// `minimum` and `exclusiveMinimum`: all of them hold.
    pub(crate) minimum: &'a [Bound<'a>],
    /// `maximum` and `exclusiveMaximum`: all of them hold.
    pub(crate) maximum: &'a [Bound<'a>],
    /// `multipleOf`, a number above 0 as it was written.
    pub(crate) multiple_of: Option<&'a str>,
    /// `minLength`
    pub(crate) min_length: Option<u64>,
    /// `maxLength`
    pub(crate) max_length: Option<u64>,
    /// `pattern`
    pub(crate) pattern: Option<&'a str>,
    /// `format`
    pub(crate) format: Option<&'a str>,
    /// `properties`, in order.
    pub(crate) properties: &'a [(&'a str, NodeId)],
    /// `required`, in order, without repetitions.
    pub(crate) required: &'a [&'a str],
    /// `additionalProperties`
    pub(crate) additional: Option<NodeId>,
    /// `patternProperties`, in order.
    pub(crate) pattern_properties: &'a [(&'a str, NodeId)],
    /// `propertyNames`
    pub(crate) property_names: Option<NodeId>,
    /// `minProperties`
    pub(crate) min_properties: Option<u64>,
    /// `maxProperties`
    pub(crate) max_properties: Option<u64>,
    /// `dependentRequired`, and the lists of `dependencies`.
    pub(crate) dependent_required: &'a [(&'a str, &'a [&'a str])],
    /// `dependentSchemas`, and the schemas of `dependencies`.
    pub(crate) dependent_schemas: &'a [(&'a str, NodeId)],
    /// `prefixItems`, or `items` where it is a list.
    pub(crate) prefix_items: &'a [NodeId],
    /// What follows the prefix: `items`, or `additionalItems` where `items` is a list.
    pub(crate) items: Option<NodeId>,
    /// `contains`
    pub(crate) contains: Option<NodeId>,
    /// `minContains`; `None` without `contains`.
    pub(crate) min_contains: Option<u64>,
    /// `maxContains`; `None` without `contains`.
    pub(crate) max_contains: Option<u64>,
    /// `minItems`
    pub(crate) min_items: Option<u64>,
    /// `maxItems`
    pub(crate) max_items: Option<u64>,
    /// `uniqueItems`
    pub(crate) unique_items: bool,
    /// `allOf`
    pub(crate) all_of: &'a [NodeId],
    /// `anyOf`; empty if absent.
    pub(crate) any_of: &'a [NodeId],
    /// `oneOf`; empty if absent.
    pub(crate) one_of: &'a [NodeId],
    /// `not`
    pub(crate) not: Option<NodeId>,
    /// `if`; `None` if neither `then` nor `else` is there and nothing could look at what it evaluates.
    pub(crate) condition: Option<NodeId>,
    /// `then`; `None` without `if`.
    pub(crate) then: Option<NodeId>,
    /// `else`; `None` without `if`.
    pub(crate) otherwise: Option<NodeId>,
    /// Targets of `$ref`, `$dynamicRef` and `$recursiveRef`: all of them hold.
    pub(crate) references: &'a [NodeId],
    /// `unevaluatedProperties`
    pub(crate) unevaluated_properties: Option<NodeId>,
    /// `unevaluatedItems`
    pub(crate) unevaluated_items: Option<NodeId>,
    /// Whether items that `contains` accepts count as evaluated (from 2020-12 on).
    pub(crate) contains_evaluates: bool,
}

impl<'a> Schema<'a> {
    /// The values of which an instance must be one.
    pub(crate) fn listed(&self) -> Option<&'a [Json<'a>]> {
        self.constant.map(std::slice::from_ref).or(self.values)
    }

    /// The pointer of one of its keywords.
    pub(crate) fn pointer_of(&self, keyword: &str) -> String {
        self.pointer.child(keyword)
    }

    /// An error at one of its keywords.
    pub(crate) fn error(&self, kind: ErrorKind, keyword: &str, message: impl Into<String>) -> Error {
        Error::new(kind, message).with_pointer(self.pointer_of(keyword))
    }

    /// A warning at one of its keywords.
    pub(crate) fn warning(&self, keyword: &str, message: impl Into<String>) -> Warning {
        Warning::new(message).with_pointer(self.pointer_of(keyword))
    }
}
