//! Keywords that are read together, because drafts differ in which of them says what: `items` and
//! `additionalItems`, the bounds of numbers, `if`, `contains`.

use tokenstile_grammar::Error;

use super::build::Builder;
use super::values::{self, joined};
use crate::node::Bound;
use crate::options::Draft;
use crate::reader::Json;

/// The values of such keywords, until all of them are seen.
#[derive(Default)]
pub(super) struct Together<'a> {
    pub(super) items: Option<&'a Json<'a>>,
    pub(super) additional_items: Option<&'a Json<'a>>,
    pub(super) exclusive_minimum: Option<bool>,
    pub(super) exclusive_maximum: Option<bool>,
}

impl<'a> Builder<'_, 'a, '_, '_> {
    /// Notes one of these keywords; false if it is none.
    pub(super) fn together(&mut self, keyword: &'static str, value: &'a Json<'a>) -> bool {
        match (keyword, value) {
            ("items", _) => self.together.items = Some(value),
            ("additionalItems", _) => self.together.additional_items = Some(value),
            ("exclusiveMinimum", Json::Bool(flag)) => self.together.exclusive_minimum = Some(*flag),
            ("exclusiveMaximum", Json::Bool(flag)) => self.together.exclusive_maximum = Some(*flag),
            _ => return false,
        }
        true
    }

    /// Sets the fields of these keywords.
    pub(super) fn finish_together(&mut self) -> Result<(), Error> {
        self.finish_items()?;
        self.finish_bounds();
        let schema = &mut self.schema;
        if schema.contains.is_none() {
            (schema.min_contains, schema.max_contains) = (None, None);
        }
        let alone = schema.then.is_none() && schema.otherwise.is_none();
        if schema.condition.is_none() {
            (schema.then, schema.otherwise) = (None, None);
        } else if alone && self.draft <= Draft::Draft7 {
            schema.condition = None;
        }
        Ok(())
    }

    fn finish_items(&mut self) -> Result<(), Error> {
        let additional = self.together.additional_items;
        let Some(items) = self.together.items else { return Ok(()) };
        if !matches!(items, Json::Array(_)) {
            self.schema.items = Some(self.one("items", items)?);
            return Ok(());
        }
        if self.draft == Draft::Draft202012 {
            if !self.schema.prefix_items.is_empty() {
                return Err(
                    self.malformed("items", "must be a schema, since `prefixItems` is there".to_owned())
                );
            }
            self.warn_once(
                "items",
                "a list as `items` is read as `prefixItems`, as it is called since draft 2020-12",
            );
        }
        self.schema.prefix_items = self.list("items", items)?;
        if let Some(additional) = additional {
            self.schema.items = Some(self.one("additionalItems", additional)?);
        }
        Ok(())
    }

    /// Up to draft 4, `exclusiveMinimum` says how `minimum` is meant.
    fn finish_bounds(&mut self) {
        let flags = [self.together.exclusive_minimum, self.together.exclusive_maximum];
        let names = ["exclusiveMinimum", "exclusiveMaximum"];
        let room = self.room();
        let bounds = [&mut self.schema.minimum, &mut self.schema.maximum];
        for (flag, bounds) in flags.iter().zip(bounds) {
            if *flag == Some(true) {
                let exclusive = bounds.iter().map(|bound| Bound { exclusive: true, ..*bound });
                *bounds = room.alloc_slice_fill_iter(exclusive);
            }
        }
        for (flag, name) in flags.into_iter().zip(names) {
            if flag.is_some() && self.draft > Draft::Draft4 {
                self.warn_once(name, "a boolean here is read as in draft 4; it is a number since draft 6");
            }
        }
    }

    /// `dependencies`: lists of names and schemas in one.
    pub(super) fn dependencies(&mut self, value: &'a Json<'a>) -> Result<(), Error> {
        if self.draft >= Draft::Draft201909 {
            let now = "`dependencies` is read as in draft 7; since draft 2019-09 it is `dependentRequired` and \
                 `dependentSchemas`";
            self.warn_once("dependencies", now);
        }
        let members = self.checked("dependencies", values::object(value))?;
        let (mut required, mut schemas) = (Vec::new(), Vec::new());
        for (name, value) in members {
            if let Json::Array(_) = value {
                let names = self.checked("dependencies", values::strings(value, self.room()))?;
                required.push((*name, names));
            } else {
                schemas.push((*name, self.member("dependencies", name, value)?));
            }
        }
        self.schema.dependent_required = joined(self.schema.dependent_required, &required, self.room());
        self.schema.dependent_schemas = joined(self.schema.dependent_schemas, &schemas, self.room());
        Ok(())
    }
}
