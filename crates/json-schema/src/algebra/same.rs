//! Schemas that say the same at different places.
//!
//! A value is often described in the same words in each of several alternatives. What it is found to be in one of them, it is
//! in all; so where values are told apart by what alternatives ask of them, schemas count as one that have the same keywords
//! with the same values, their parts included.

use super::Algebra;
use super::goal::{Atom, GoalId, Literal};
use super::words::{Piece, plain_words};
use crate::node::{Node, NodeId, Schema};
use crate::tuning::algebra::SAME_DEPTH;

impl<'a> Algebra<'a> {
    /// The same goal with one schema for all that say the same.
    pub(crate) fn in_same_words(&mut self, goal: GoalId) -> GoalId {
        if goal == GoalId::ANY || goal == GoalId::NEVER {
            return goal;
        }
        let literals: Vec<Literal> = self.goals.literals(goal).to_vec();
        literals.into_iter().fold(GoalId::ANY, |all, literal| {
            let Atom::Node(node) = literal.atom else {
                let one = self.goals.of(literal);
                return self.goals.and(all, one);
            };
            let same = self.same_as(node, 0);
            let one = self.goal_of_node(same, literal.holds);
            self.goals.and(all, one)
        })
    }

    /// The schema that stands for all that say the same as this one.
    fn same_as(&mut self, node: NodeId, depth: usize) -> NodeId {
        if let Some(&known) = self.same.known.get(&node) {
            return known;
        }
        let Node::Schema(schema) = self.nodes.get(node) else { return node };
        if depth == SAME_DEPTH {
            return node;
        }
        // Inside itself it is itself.
        self.same.known.insert(node, node);
        let schema: &'a Schema<'a> = schema;
        let words = self.words_of(schema, depth);
        let same = *self.same.by_words.entry(words).or_insert(node);
        self.same.known.insert(node, same);
        same
    }

    fn words_of(&mut self, schema: &'a Schema<'a>, depth: usize) -> Vec<Piece<'a>> {
        let mut words = plain_words(schema);
        let mut say = |keyword, parts: &[NodeId]| {
            if !parts.is_empty() {
                words.push(Piece::Keyword(keyword));
                words.extend(parts.iter().map(|&part| Piece::Schema(self.same_as(part, depth + 1))));
            }
        };
        let lists = [
            ("prefixItems", schema.prefix_items),
            ("allOf", schema.all_of),
            ("anyOf", schema.any_of),
            ("oneOf", schema.one_of),
            ("$ref", schema.references),
        ];
        lists.into_iter().for_each(|(keyword, list)| say(keyword, list));
        let single = [
            ("additionalProperties", schema.additional),
            ("propertyNames", schema.property_names),
            ("items", schema.items),
            ("contains", schema.contains),
            ("not", schema.not),
            ("if", schema.condition),
            ("then", schema.then),
            ("else", schema.otherwise),
            ("unevaluatedProperties", schema.unevaluated_properties),
            ("unevaluatedItems", schema.unevaluated_items),
        ];
        single.into_iter().for_each(|(keyword, part)| say(keyword, part.as_slice()));
        let maps = [
            ("properties", schema.properties),
            ("patternProperties", schema.pattern_properties),
            ("dependentSchemas", schema.dependent_schemas),
        ];
        for (keyword, map) in maps.into_iter().filter(|(_, map)| !map.is_empty()) {
            words.push(Piece::Keyword(keyword));
            for &(name, part) in map {
                words.extend([Piece::Text(name), Piece::Schema(self.same_as(part, depth + 1))]);
            }
        }
        words
    }
}
