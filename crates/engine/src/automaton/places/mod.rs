//! What places are seen to be: the forms of states and locals that something special is known of.
//!
//! None of them changes what is allowed. [`masks`](crate::masks) asks for most, in the order that is written there, and so do
//! commits; some are asked for when formulas are made or completed.
//!
//! - One thing with a known way on: [`literal`], [`loops`], [`rounds`] (loops that differ in how often they ran), [`bounds`]
//!   (lengths that are some way off).
//! - Several things, each with a way of its own: [`white_space`] (white space, then something else), [`spread`] (words among others),
//!   [`except`] and [`all_but_few`] (a loop but for a few texts), [`but_matched`] (but for what others match), [`watched`]
//!   and [`watcher`] (a loop under conditions).
//! - Of two places: [`covers`], whether one can do all that the other can; [`alike`], whether characters past ASCII are told
//!   apart; [`distance`], how far one is from its end.

mod alike;
mod all_but_few;
mod bounds;
mod but_matched;
mod covers;
mod distance;
mod except;
mod literal;
mod loops;
mod rounds;
mod spread;
mod watched;
mod watcher;
mod white_space;

pub(crate) use all_but_few::AllButFew;
pub(crate) use bounds::Bounded;
pub(crate) use but_matched::ButMatched;
pub(crate) use except::Except;
pub(crate) use literal::{Literals, Rest, Ways};
pub(crate) use rounds::Rounds;
pub(crate) use watched::{Endings, WatchPlace, Watched};
pub(crate) use watcher::{WatchWays, Watcher};
pub(crate) use white_space::WhiteSpaceFirst;
