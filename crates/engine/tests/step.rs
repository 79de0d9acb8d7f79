//! Steps of a batch against the plain way: commit, fill a mask, roll back, one sequence and one token at a time.

use tokenstile_engine::{
    Batch, Commit, Compiler, Constraint, DraftTokens, DraftTree, Fill, Grammar, MaskRows, MatchError,
    Matcher, PADDING, PlanError, RowKind, SequenceId, StepOptions, TokenId, Turn, Vocab,
};
use tokenstile_harness::{gbnf, mask_of, tokens_in};
use tokenstile_testkit::Rng;
use tokenstile_testkit::generate::{
    GrammarOptions, VocabOptions, random_grammar, random_vocab, sample_sentence,
};

/// A row that nobody wrote to.
const UNTOUCHED: u32 = 0xABCD_1234;

/// What one turn is to do, and the rows that the plain way writes.
struct Asked {
    sequence: usize,
    tokens: Vec<TokenId>,
    draft: Drafted,
    row: usize,
}

enum Drafted {
    None,
    Chain(Vec<TokenId>),
    Eagle(Vec<TokenId>, Vec<i64>, Vec<i64>),
    Parents(Vec<TokenId>, Vec<i64>),
}

impl Drafted {
    fn as_tokens(&self) -> DraftTokens<'_> {
        match self {
            Drafted::None => DraftTokens::None,
            Drafted::Chain(tokens) => DraftTokens::Chain(tokens),
            Drafted::Eagle(tokens, next, sibling) => {
                DraftTokens::Tree(DraftTree::eagle(tokens, next, sibling))
            }
            Drafted::Parents(tokens, parents) => DraftTokens::Tree(DraftTree::parents(tokens, parents)),
        }
    }

    /// For each row but the first, its token and the row of its parent; `None` if no way from the root leads there.
    fn nodes(&self) -> Vec<(TokenId, Option<usize>)> {
        match self {
            Drafted::None => Vec::new(),
            Drafted::Chain(tokens) => tokens.iter().enumerate().map(|(i, &t)| (t, Some(i))).collect(),
            Drafted::Parents(tokens, parents) => {
                let row = |parent: i64| Some(usize::try_from(parent).map_or(0, |parent| parent + 1));
                tokens.iter().zip(parents).map(|(&t, &parent)| (t, row(parent))).collect()
            }
            Drafted::Eagle(tokens, next, sibling) => {
                let mut parents = vec![None; tokens.len()];
                for (parent, &first) in next.iter().enumerate() {
                    let mut child = first;
                    while child >= 0 {
                        parents[child as usize] = Some(parent);
                        child = sibling[child as usize];
                    }
                }
                tokens.iter().copied().zip(parents).skip(1).collect()
            }
        }
    }
}

/// The mask behind each row's tokens from a matcher, made alone; a token on the way that is refused or no longer matters.
enum Plain {
    Mask(Vec<u32>),
    /// With the row of the last token that holds.
    Refused(usize),
    Past,
}

fn plain_rows(matcher: &Matcher, draft: &Drafted) -> Vec<Plain> {
    let nodes = draft.nodes();
    let parent = |row: usize| if row == 0 { None } else { nodes[row - 1].1 };
    (0..=nodes.len())
        .map(|row| {
            let mut way = Vec::new();
            let mut at = row;
            while at != 0 {
                way.push(at);
                match parent(at) {
                    Some(above) => at = above,
                    None => return Plain::Past,
                }
            }
            let mut matcher = matcher.fork();
            let mut last = 0;
            for &node in way.iter().rev() {
                let token = nodes[node - 1].0;
                if matcher.is_finished() || token == PADDING {
                    return Plain::Past;
                }
                if matcher.commit(token).is_err() {
                    return Plain::Refused(last);
                }
                last = node;
            }
            if matcher.is_finished() { Plain::Past } else { Plain::Mask(mask_of(&mut matcher)) }
        })
        .collect()
}

/// What a row has to have, for a buffer of rows of `width` words.
fn expected(rows: &[Plain], row: usize, options: &StepOptions, width: usize) -> Option<Vec<u32>> {
    let wide = |mask: &[u32]| [mask, &vec![0; width - mask.len()]].concat();
    let (fill, last) = match &rows[row] {
        Plain::Mask(mask) => return Some(wide(mask)),
        Plain::Refused(last) => (options.refused, Some(*last)),
        Plain::Past => (options.past, None),
    };
    match fill {
        Fill::Zeros => Some(vec![0; width]),
        Fill::Ones => Some(vec![u32::MAX; width]),
        Fill::Unchanged => Some(vec![UNTOUCHED; width]),
        _ => match &rows[last?] {
            Plain::Mask(mask) => Some(wide(mask)),
            _ => None,
        },
    }
}

/// A few tokens that may follow each other, and now and then others.
fn random_tokens(rng: &mut Rng, matcher: &Matcher, most: usize) -> Vec<TokenId> {
    let mut ahead = matcher.fork();
    let mut tokens = Vec::new();
    for _ in 0..rng.below(most + 1) {
        let allowed = tokens_in(&mask_of(&mut ahead));
        let token = match rng.below(12) {
            0 => rng.below(40) as TokenId,
            1 => PADDING,
            _ if allowed.is_empty() => 0,
            _ => *rng.pick(&allowed),
        };
        tokens.push(token);
        let _ = ahead.commit(token);
    }
    tokens
}

fn random_draft(rng: &mut Rng, matcher: &Matcher) -> Drafted {
    if rng.chance(1, 3) {
        return Drafted::None;
    }
    if rng.chance(1, 2) {
        return Drafted::Chain(random_tokens(rng, matcher, 5));
    }
    // Several ways from the same place, with a common root.
    let (mut tokens, mut parents): (Vec<TokenId>, Vec<i64>) = (Vec::new(), Vec::new());
    for _ in 0..=rng.below(3) {
        let mut parent =
            if tokens.is_empty() || rng.chance(1, 2) { -1 } else { rng.below(tokens.len()) as i64 };
        for token in random_tokens(rng, matcher, 3) {
            parents.push(parent);
            parent = tokens.len() as i64;
            tokens.push(token);
        }
    }
    if rng.chance(1, 2) { Drafted::Parents(tokens, parents) } else { eagle(&tokens, &parents, rng) }
}

/// The same tree in EAGLE's arrays, with a node that nothing leads to now and then.
fn eagle(tokens: &[TokenId], parents: &[i64], rng: &mut Rng) -> Drafted {
    let (mut next, mut sibling) = (vec![-1; tokens.len() + 1], vec![-1; tokens.len() + 1]);
    for (node, &parent) in parents.iter().enumerate().rev() {
        if rng.chance(1, 20) {
            continue;
        }
        let parent = (parent + 1) as usize;
        sibling[node + 1] = next[parent];
        next[parent] = node as i64 + 1;
    }
    Drafted::Eagle([&[0], tokens].concat(), next, sibling)
}

fn random_fill(rng: &mut Rng) -> Fill {
    *rng.pick(&[Fill::Zeros, Fill::Ones, Fill::LastMask, Fill::Unchanged])
}

/// Constraints of random grammars for one random vocabulary.
fn random_constraints(rng: &mut Rng) -> Vec<Constraint> {
    let grammars: Vec<Grammar> = (0..3).map(|_| random_grammar(rng, &GrammarOptions::default())).collect();
    let sentences: Vec<Vec<u8>> = grammars.iter().filter_map(|g| sample_sentence(g, rng, 24)).collect();
    let random = random_vocab(rng, &sentences, &VocabOptions::default());
    let Ok(vocab) = Vocab::from_tokens(random.tokens.iter().cloned(), &random.end) else { return Vec::new() };
    let compiler = Compiler::new(vocab);
    grammars.iter().filter_map(|grammar| compiler.compile(grammar).ok()).collect()
}

/// One step of a batch, held against matchers of the same sequences that nobody else touches.
fn step_and_compare(rng: &mut Rng, batch: &mut Batch, ids: &[SequenceId], alone: &mut [Matcher]) -> usize {
    let words = alone.iter().map(Matcher::mask_words).max().unwrap_or(1);
    let (width, gap) = (words + rng.below(2), rng.below(3));
    let mut order: Vec<usize> = (0..ids.len()).filter(|_| rng.chance(3, 4)).collect();
    let mut row = rng.below(2);
    let mut asked = Vec::new();
    for &sequence in &order {
        let matcher = &mut alone[sequence];
        let tokens = random_tokens(rng, matcher, 2);
        let committed = matcher.commit_all(&tokens, Commit::Longest).unwrap();
        let draft = if committed < tokens.len() { Drafted::None } else { random_draft(rng, matcher) };
        let rows = draft.nodes().len() + 1;
        asked.push(Asked { sequence, tokens, draft, row });
        row += rows + rng.below(2);
    }
    order.clear();
    // The order of turns has nothing to do with that of rows.
    for at in (1..asked.len()).rev() {
        asked.swap(at, rng.below(at + 1));
    }
    let options = StepOptions::default()
        .with_refused(random_fill(rng))
        .with_past(random_fill(rng))
        .with_few(rng.below(3))
        .with_forced(rng.below(3))
        .with_parallel(rng.chance(1, 2));
    let mut masks = vec![UNTOUCHED; (row + 1) * (width + gap)];
    let turns: Vec<Turn<'_>> = asked
        .iter()
        .map(|a| Turn::new(ids[a.sequence], a.row).commit(&a.tokens).draft(a.draft.as_tokens()))
        .collect();
    let report =
        batch.step(&turns, MaskRows::new(&mut masks, width).with_stride(width + gap), &options).unwrap();
    for (turn, a) in asked.iter().enumerate() {
        let matcher = &mut alone[a.sequence];
        let done = report.turns()[turn];
        assert_eq!(done.finished, matcher.is_finished());
        let rows_of = report.rows_of(turn);
        if done.committed < a.tokens.len() {
            assert!(done.error.is_some());
            assert!(rows_of.iter().all(|row| row.kind == RowKind::Failed));
            continue;
        }
        assert_eq!(done.error, None);
        let plain = plain_rows(matcher, &a.draft);
        assert_eq!(rows_of.len(), plain.len());
        for (index, row) in rows_of.iter().enumerate() {
            let start = row.row * (width + gap);
            let got = &masks[start..start + width];
            if let Some(wanted) = expected(&plain, index, &options, width) {
                assert_eq!(got, wanted, "row {index} of {} tokens", a.draft.nodes().len());
            }
            assert!(masks[start + width..start + width + gap].iter().all(|&word| word == UNTOUCHED));
            let number = report.rows().iter().position(|other| other.row == row.row).unwrap();
            check_list(report.tokens(number), row.kind, &plain[index], &options);
        }
    }
    asked.len()
}

#[test]
fn rows_that_stay_the_same_are_known() {
    let grammar = gbnf(r#"root ::= "a"* "b""#);
    let constraint = Compiler::new(spelled(&["a", "b"])).compile(&grammar).unwrap();
    let mut batch = Batch::new();
    let id = batch.insert(constraint.matcher());
    let width = constraint.mask_words();
    let mut masks = vec![0; 2 * width];
    let mut step = |batch: &mut Batch, row, tokens: &[TokenId]| {
        let turn = [Turn::new(id, row).commit(tokens)];
        let report = batch.step(&turn, MaskRows::new(&mut masks, width), &StepOptions::default()).unwrap();
        assert_eq!(report.error(), None);
        report.rows()[0].same
    };
    assert!(!step(&mut batch, 0, &[]));
    assert!(step(&mut batch, 0, &[]) && step(&mut batch, 0, &[0]));
    assert!(!step(&mut batch, 1, &[0]));
    assert!(!step(&mut batch, 0, &[1]), "the mask is another one");
    assert!(!step(&mut batch, 1, &[]));
    batch.get_mut(id).unwrap().rollback(1).unwrap();
    batch.forget_rows();
    assert!(!step(&mut batch, 0, &[]));
    assert!(step(&mut batch, 0, &[0]));
}

/// What a row is said to allow is what its mask allows.
fn check_list(tokens: &[TokenId], kind: RowKind, plain: &Plain, options: &StepOptions) {
    let Plain::Mask(mask) = plain else { return assert!(tokens.is_empty()) };
    let allowed = tokens_in(mask);
    match kind {
        RowKind::Mask => assert!(options.few < allowed.len() && tokens.is_empty()),
        RowKind::Few => assert_eq!(tokens, allowed),
        RowKind::One => {
            assert_eq!(tokens[..1], allowed);
            assert!(tokens.len() <= 1 + options.forced);
        }
        other => panic!("a mask is reported as {other:?}"),
    }
}

#[test]
fn steps_are_what_is_done_one_by_one() {
    let mut compared = 0;
    for seed in 0..120 {
        let mut rng = Rng::new(seed);
        let constraints = random_constraints(&mut rng);
        if constraints.is_empty() {
            continue;
        }
        let mut batch = Batch::new();
        let mut alone: Vec<Matcher> = (0..6).map(|_| rng.pick(&constraints).matcher()).collect();
        let mut ids: Vec<SequenceId> = alone.iter().map(|matcher| batch.insert(matcher.fork())).collect();
        for _ in 0..12 {
            compared += step_and_compare(&mut rng, &mut batch, &ids, &mut alone);
            let one = rng.below(ids.len());
            match rng.below(4) {
                0 => {
                    let back = rng.below(alone[one].steps() + 1);
                    alone[one].rollback(back).unwrap();
                    batch.get_mut(ids[one]).unwrap().rollback(back).unwrap();
                }
                1 => {
                    let taken = batch.remove(ids[one]).unwrap();
                    assert!(batch.get(ids[one]).is_none());
                    ids[one] = batch.insert(taken.fork());
                }
                _ => {}
            }
        }
    }
    assert!(compared > 2_000, "only {compared} turns were compared");
}

/// A vocabulary of these tokens from 0 on, and an end token.
fn spelled(tokens: &[&str]) -> Vocab {
    Vocab::from_tokens((0..).zip(tokens.iter().copied()), &[tokens.len() as TokenId]).unwrap()
}

fn letters() -> Constraint {
    Compiler::new(spelled(&["a", "b", "ab", "c"])).compile(gbnf(r#"root ::= "a" "b"* "c""#)).unwrap()
}

#[test]
fn wrong_plans_change_nothing() {
    let constraint = letters();
    let mut batch = Batch::new();
    let (one, two) = (batch.insert(constraint.matcher()), batch.insert(constraint.matcher()));
    let gone = batch.insert(constraint.matcher());
    assert!(batch.remove(gone).is_some() && batch.remove(gone).is_none());
    assert_eq!(batch.len(), 2);
    let words = constraint.mask_words();
    let mut masks = vec![UNTOUCHED; 3 * words];
    let turn = |id, row| Turn::new(id, row).commit(&[0]);
    let links = [1, -1];
    let circle = DraftTokens::Tree(DraftTree::eagle(&[0, 1], &links, &[1, 1]));
    let outside = DraftTokens::Tree(DraftTree::parents(&[0, 1], &[-1, 2]));
    let uneven = DraftTokens::Tree(DraftTree::parents(&[0, 1], &[-1]));
    let rootless = DraftTokens::Tree(DraftTree::eagle(&[], &[], &[]));
    let far = DraftTokens::Chain(&[0, 0, 0]);
    let plans: [(&str, Vec<Turn<'_>>, PlanError); 9] = [
        ("gone", vec![turn(one, 0), turn(gone, 1)], PlanError::UnknownSequence { turn: 1 }),
        ("twice", vec![turn(one, 0), turn(one, 1)], PlanError::SameSequence { turn: 1, sequence: one }),
        ("no row", vec![turn(one, 3)], PlanError::NoSuchRow { turn: 0, row: 3, rows: 3 }),
        ("last row", vec![turn(one, 0).draft(far)], PlanError::NoSuchRow { turn: 0, row: 3, rows: 3 }),
        (
            "same row",
            vec![turn(one, 2), turn(two, 1).draft(DraftTokens::Chain(&[1]))],
            PlanError::SameRow { turn: 0, row: 2 },
        ),
        ("circle", vec![turn(one, 0).draft(circle)], PlanError::TreeLink { node: 1 }),
        ("outside", vec![turn(one, 0).draft(outside)], PlanError::TreeLink { node: 1 }),
        ("uneven", vec![turn(one, 0).draft(uneven)], PlanError::TreeLengths { tokens: 2, links: 1 }),
        ("rootless", vec![turn(one, 0).draft(rootless)], PlanError::TreeLengths { tokens: 0, links: 0 }),
    ];
    for (name, turns, wanted) in plans {
        let error =
            batch.step(&turns, MaskRows::new(&mut masks, words), &StepOptions::default()).unwrap_err();
        assert_eq!(error, wanted, "{name}");
    }
    let narrow = batch.step(&[turn(one, 0)], MaskRows::new(&mut masks, 0), &StepOptions::default());
    assert_eq!(narrow.unwrap_err(), PlanError::RowTooShort { turn: 0, width: 0, needed: words });
    let close = MaskRows::new(&mut masks, words).with_stride(words - 1);
    let close = batch.step(&[turn(one, 0)], close, &StepOptions::default()).unwrap_err();
    assert_eq!(close, PlanError::StrideTooShort { stride: words - 1, width: words });
    assert!(masks.iter().all(|&word| word == UNTOUCHED));
    assert!([one, two].iter().all(|&id| batch.get(id).is_some_and(|matcher| matcher.steps() == 0)));
}

#[test]
fn one_that_fails_does_not_stop_the_others() {
    let constraint = letters();
    let mut batch = Batch::new();
    let ids: Vec<SequenceId> = (0..3).map(|_| batch.insert(constraint.matcher())).collect();
    let words = constraint.mask_words();
    let mut masks = vec![UNTOUCHED; 3 * words];
    let turns = [
        Turn::new(ids[0], 0).commit(&[0]),
        Turn::new(ids[1], 1).commit(&[0, 0]),
        Turn::new(ids[2], 2).commit(&[2]),
    ];
    let report = batch.step(&turns, MaskRows::new(&mut masks, words), &StepOptions::default()).unwrap();
    assert_eq!(report.error(), Some((1, MatchError::Forbidden { token: 0 })));
    assert_eq!(report.turns().iter().map(|turn| turn.committed).collect::<Vec<_>>(), [1, 1, 1]);
    let mut after = constraint.matcher();
    after.commit(0).unwrap();
    let mask = mask_of(&mut after);
    assert_eq!(masks, [mask.clone(), vec![0; words], mask].concat());
}

#[test]
fn a_step_is_cancelled() {
    let constraint = letters();
    let mut batch = Batch::new();
    let id = batch.insert(constraint.matcher());
    let mut masks = vec![UNTOUCHED; constraint.mask_words()];
    let cancel = tokenstile_engine::Cancel::new();
    cancel.cancel();
    let options = StepOptions::default().with_cancel(cancel);
    let width = masks.len();
    let report =
        batch.step(&[Turn::new(id, 0).commit(&[0])], MaskRows::new(&mut masks, width), &options).unwrap();
    assert!(report.turns()[0].cancelled && report.rows()[0].kind == RowKind::Cancelled);
    assert_eq!(batch.get(id).map(Matcher::steps), Some(0));
    assert_eq!(masks[0], UNTOUCHED);
}

#[test]
fn what_must_follow_a_single_token() {
    let grammar = gbnf(r#"root ::= "abcab" | "cc""#);
    let constraint = Compiler::new(spelled(&["a", "b", "c"])).compile(&grammar).unwrap();
    let mut batch = Batch::new();
    let id = batch.insert(constraint.matcher());
    let mut masks = vec![0; 2 * constraint.mask_words()];
    let width = constraint.mask_words();
    let options = StepOptions::default().with_few(2).with_forced(3);
    let draft = DraftTokens::Chain(&[0]);
    let report =
        batch.step(&[Turn::new(id, 0).draft(draft)], MaskRows::new(&mut masks, width), &options).unwrap();
    assert_eq!(report.rows().iter().map(|row| row.kind).collect::<Vec<_>>(), [RowKind::Few, RowKind::One]);
    assert_eq!(report.tokens(0), [0, 2]);
    assert_eq!(report.tokens(1), [1, 2, 0, 1]);
}
