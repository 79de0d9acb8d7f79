//! Tags, alone and in text.

use std::ops::Range;

use tokenstile_grammar::compose::text::special_names;
use tokenstile_grammar::{Error, Part, Trigger, Triggered};

use super::{Around, Lower};
use crate::format::*;
use crate::path::Path;

impl Lower<'_> {
    pub(super) fn tag(&mut self, tag: &Tag, at: &Path<'_>) -> Result<Part, Error> {
        let begin = match &tag.begin {
            Begin::Text(text) => self.composer.marked(text),
            Begin::Token(token) => self.one(token, &at.field("begin")),
        };
        let rest = self.rest(tag, at)?;
        Ok(self.composer.concat(&[begin, rest]))
    }

    /// What of a tag comes after its begin.
    fn rest(&mut self, tag: &Tag, at: &Path<'_>) -> Result<Part, Error> {
        if let (Format::AnyText(text), End::Texts(ends)) = (&tag.content, &tag.end)
            && (text.max_chars, text.max_tokens) == (None, None)
            && ends_where_it_shows(ends, &text.excludes)
        {
            let marked = |texts: &[String]| -> Vec<Trigger> {
                texts.iter().map(|text| Trigger::marked(&text[..])).collect()
            };
            return Ok(self.composer.through(marked(ends), marked(&text.excludes)));
        }
        let content = self.format(&tag.content, Around::of(&tag.end), &at.field("content"))?;
        let end = match &tag.end {
            End::Texts(ends) => {
                let ends: Vec<Part> = ends.iter().map(|end| self.composer.marked(end)).collect();
                self.composer.union(&ends)
            }
            End::Token(token) => self.one(token, &at.field("end")),
        };
        Ok(self.composer.concat(&[content, end]))
    }

    pub(super) fn triggered_tags(
        &mut self,
        tags: &TriggeredTags,
        around: Around<'_>,
        at: &Path<'_>,
    ) -> Result<Part, Error> {
        let at = at.field("tags");
        // What follows each trigger, in the order of the triggers, and tags whose whole begin is a trigger.
        let mut rests: Vec<Vec<Part>> = vec![Vec::new(); tags.triggers.len()];
        let mut whole = Vec::new();
        let by_text: std::collections::HashMap<&str, usize> =
            tags.triggers.iter().enumerate().map(|(i, trigger)| (&trigger[..], i)).collect();
        for (i, tag) in tags.tags.iter().enumerate() {
            let Begin::Text(begin) = &tag.begin else { continue };
            let rest = self.rest(tag, &at.index(i))?;
            let mut prefixes = begin.char_indices().map(|(end, c)| &begin[..end + c.len_utf8()]);
            let Some(trigger) = prefixes.find_map(|prefix| by_text.get(prefix).copied()) else { continue };
            let cut = tags.triggers[trigger].len();
            let more = self.composer.marked(&begin[cut..]);
            rests[trigger].push(self.composer.concat(&[more, rest]));
            let is_cut = |name: &Range<usize>| {
                name.start < cut && cut < name.end && !begin[name.clone()].contains(['=', '"'])
            };
            if special_names(begin).iter().any(is_cut) {
                // The trigger ends inside of what may be one token: the whole begin triggers too.
                whole.push((Trigger::marked(&begin[..]), rest));
            }
        }
        let mut all = Vec::with_capacity(rests.len() + whole.len());
        for (trigger, rests) in tags.triggers.iter().zip(rests) {
            all.push((Trigger::marked(&trigger[..]), self.composer.union(&rests)));
        }
        all.extend(whole);
        let excludes = tags.excludes.iter().chain(around.ends());
        Ok(self.composer.triggered(Triggered {
            excludes: excludes.map(|text| Trigger::marked(&text[..])).collect(),
            at_least_one: tags.at_least_one,
            stop_after_first: tags.stop_after_first,
            ..Triggered::new(all)
        }))
    }

    pub(super) fn token_triggered_tags(
        &mut self,
        tags: &TokenTriggeredTags,
        around: Around<'_>,
        at: &Path<'_>,
    ) -> Result<Part, Error> {
        let mut ways = Vec::with_capacity(tags.tags.len());
        for (i, tag) in tags.tags.iter().enumerate() {
            ways.push(self.tag(tag, &at.field("tags").index(i))?);
        }
        let names: Vec<Token> = tags.trigger_tokens.iter().chain(&tags.exclude_tokens).cloned().collect();
        let free = self.but(&names, around, &at.field("exclude_tokens"));
        Ok(self.among_tokens(free, &ways, (tags.at_least_one, tags.stop_after_first)))
    }

    pub(super) fn tags_with_separator(
        &mut self,
        tags: &TagsWithSeparator,
        at: &Path<'_>,
    ) -> Result<Part, Error> {
        let mut ways = Vec::with_capacity(tags.tags.len());
        for (i, tag) in tags.tags.iter().enumerate() {
            ways.push(self.tag(tag, &at.field("tags").index(i))?);
        }
        let one = self.composer.union(&ways);
        let some = if tags.stop_after_first {
            one
        } else {
            let separator = self.composer.marked(&tags.separator);
            let next = self.composer.concat(&[separator, one]);
            let more = self.composer.repeat(next, 0, None);
            self.composer.concat(&[one, more])
        };
        Ok(if tags.at_least_one { some } else { self.composer.optional(some) })
    }
}

/// Whether text up to the first place where an end is complete is the same as text without an end, and then an end: no end
/// and nothing excluded can reach from the text into an end and be complete before it.
fn ends_where_it_shows(ends: &[String], excludes: &[String]) -> bool {
    let reaches = |end: &str, other: &str| {
        let (end, other) = (end.as_bytes(), other.as_bytes());
        let overlaps = (1..end.len().min(other.len() + 1)).any(|len| other.ends_with(&end[..len]));
        let inside = end.len() > 1 && end[..end.len() - 1].windows(other.len()).any(|part| part == other);
        overlaps || inside
    };
    // Many ends or excluded texts are not compared with each other.
    let few = ends.len() * (ends.len() + excludes.len()) <= 1_000;
    few && ends.iter().all(|end| !end.is_empty())
        && ends.iter().all(|end| ends.iter().chain(excludes).all(|other| !reaches(end, other)))
}
