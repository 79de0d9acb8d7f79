//! Bad vocabularies: each a typed error with a place, never a panic, never memory that the input does not pay
//! for. Small good files of every format are also mutated at random, always the same way.

use tokenstile_engine::{
    MAX_TOKENS, TokenId, TokenKind, Vocab, VocabError, VocabErrorKind as Kind, VocabPlace,
};

const NO_SPECIAL: &[(&str, TokenId)] = &[];

const TOKENIZER_JSON: &str = r#"{
  "added_tokens": [
    {"id": 3, "content": "<|im_end|>", "special": true}, {"id": 4, "content": "  ", "special": false}],
  "normalizer": null, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"}]},
  "decoder": {"type": "ByteLevel"},
  "model": {"type": "BPE", "byte_fallback": false, "vocab": {"a": 0, "Ġb": 1, "日": 2}, "merges": ["Ġ b"]}}"#;
const UNIGRAM: &str = r#"{"added_tokens": [{"id": 0, "content": "<unk>", "special": true}],
  "decoder": {"type": "Metaspace", "replacement": "▁"},
  "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": true,
    "vocab": [["<unk>", 0.0], ["▁a", -1.5], ["<0x0A>", -2], ["</s>", 0]]}}"#;
const TEKKEN: &str = r#"{"config": {"default_vocab_size": 5, "default_num_special_tokens": 3},
  "special_tokens": [{"rank": 2, "token_str": "</s>", "is_control": true}],
  "vocab": [{"rank": 0, "token_bytes": "IQ=="}, {"rank": 1, "token_bytes": "Ig=="}]}"#;
const TIKTOKEN: &str = "IQ== 0\nIg== 1\nIw== 3\n";
const JSONL: &str = "{\"n_vocab\": 4, \"eos\": 3, \"stop\": [3], \"special\": [3]}\n\
    {\"id\": 0, \"b64\": \"IQ==\"}\n{\"id\": 1, \"b64\": \"Ig==\"}\n{\"id\": 3, \"b64\": \"PC9zPg==\", \"special\": true}\n";
const SENTENCEPIECE: &[u8] =
    b"\x0a\x0b\x0a\x04\xe2\x96\x81a\x15\0\0\x80\xbf\x0a\x08\x0a\x04</s>\x18\x03\x0a\x0a\x0a\x06<0x0A>\x18\x06\x12\x03\xd0\x02\x01";

fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
}

fn gguf_of(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut file = b"GGUF\x03\0\0\0".to_vec();
    file.extend([0; 8]);
    file.extend((entries.len() as u64).to_le_bytes());
    for (key, value) in entries {
        file.extend(string(key));
        file.extend(value);
    }
    file
}

/// A value of the metadata: an array of `len` elements of a type.
fn array(element: u32, len: u64, elements: &[u8]) -> Vec<u8> {
    [&9u32.to_le_bytes()[..], &element.to_le_bytes(), &len.to_le_bytes(), elements].concat()
}

fn gguf() -> Vec<u8> {
    let tokens: Vec<u8> = ["a", "Ġb", "<|im_end|>", "[PAD3]"].into_iter().flat_map(string).collect();
    let types: Vec<u8> = [1i32, 1, 3, 4].into_iter().flat_map(i32::to_le_bytes).collect();
    gguf_of(&[
        ("general.name", [&8u32.to_le_bytes()[..], &string("x")].concat()),
        ("general.list", array(9, 1, &array(4, 1, &[1, 0, 0, 0])[4..])),
        ("tokenizer.ggml.model", [&8u32.to_le_bytes()[..], &string("gpt2")].concat()),
        ("tokenizer.ggml.tokens", array(8, 4, &tokens)),
        ("tokenizer.ggml.token_type", array(5, 4, &types)),
        ("tokenizer.ggml.eos_token_id", [4u32.to_le_bytes(), 2u32.to_le_bytes()].concat()),
    ])
}

#[test]
fn the_good_ones() {
    let vocab = Vocab::detect(TOKENIZER_JSON.as_bytes()).unwrap();
    assert_eq!(vocab.bytes(1), Some(&b" b"[..]));
    assert_eq!(vocab.bytes(2), Some("日".as_bytes()));
    assert_eq!(vocab.bytes(4), Some(&b"  "[..]));
    assert_eq!(vocab.end_tokens(), [3]);
    let vocab = Vocab::detect(UNIGRAM.as_bytes()).unwrap();
    assert_eq!(vocab.bytes(1), Some(&b" a"[..]));
    assert_eq!(vocab.bytes(2), Some(&b"\n"[..]));
    assert_eq!(vocab.kind(0), TokenKind::Special);
    let vocab = Vocab::detect(TEKKEN.as_bytes()).unwrap();
    assert_eq!((vocab.bytes(4), vocab.end_tokens()), (Some(&b"\""[..]), &[2][..]));
    assert_eq!(vocab.kind(0), TokenKind::Unused);
    let vocab = Vocab::detect(TIKTOKEN.as_bytes()).unwrap();
    assert_eq!((vocab.len(), vocab.kind(2), vocab.end_tokens()), (4, TokenKind::Unused, &[][..]));
    let vocab = Vocab::detect(JSONL.as_bytes()).unwrap();
    assert_eq!((vocab.len(), vocab.kind(2), vocab.end_tokens()), (4, TokenKind::Unused, &[3][..]));
    let vocab = Vocab::detect(SENTENCEPIECE).unwrap();
    assert_eq!((vocab.bytes(0), vocab.bytes(2)), (Some(&b" a"[..]), Some(&b"\n"[..])));
    assert_eq!(vocab.end_tokens(), [1]);
    let vocab = Vocab::detect(&gguf()).unwrap();
    assert_eq!((vocab.bytes(1), vocab.end_tokens()), (Some(&b" b"[..]), &[2][..]));
    assert_eq!((vocab.kind(3), vocab.name(3)), (TokenKind::Unused, Some("[PAD3]")));
}

#[track_caller]
fn refused(result: Result<Vocab, VocabError>, kind: Kind, place: Option<VocabPlace>) {
    let error = result.expect_err("accepted");
    assert_eq!((error.kind(), error.place()), (kind, place), "{error}");
}

#[test]
fn typed_errors() {
    let line = |n| Some(VocabPlace::Line(n));
    let token = |id| Some(VocabPlace::Token(id));
    let json = |from: &str, to: &str| {
        let changed = TOKENIZER_JSON.replace(from, to);
        assert_ne!(changed, TOKENIZER_JSON);
        Vocab::from_tokenizer_json(changed.as_bytes())
    };
    refused(Vocab::from_tokenizer_json(b"nonsense"), Kind::Syntax, line(1));
    refused(Vocab::from_tokenizer_json(b"{\n\n"), Kind::Truncated, line(3));
    refused(Vocab::from_tokenizer_json(b"{}"), Kind::Syntax, None);
    refused(json("\"a\": 0", "\"a\": 16777216"), Kind::IdOutOfRange, None);
    refused(json("\"a\": 0", "\"a\": 1"), Kind::DuplicateId, token(1));
    refused(json("\"a\": 0", "\"a\": 3"), Kind::DuplicateId, token(3));
    refused(json("\"a\": 0", "\"a\": -1"), Kind::Syntax, line(6));
    refused(json("\"BPE\"", "\"WordPiece\""), Kind::Unsupported, None);
    refused(json("\"byte_fallback\": false", "\"end_of_word_suffix\": \"</w>\""), Kind::Unsupported, None);

    let tiktoken = |text: &str| Vocab::from_tiktoken(text.as_bytes(), NO_SPECIAL);
    refused(tiktoken(""), Kind::Empty, None);
    refused(tiktoken("IQ== 0\nIQ==\n"), Kind::Syntax, line(2));
    refused(tiktoken("IQ== 0\nIQ== x\n"), Kind::Syntax, line(2));
    refused(tiktoken("IQ== 0\nI 1\n"), Kind::Encoding, line(2));
    refused(tiktoken("IQ== 0\nIg== 0\n"), Kind::DuplicateId, token(0));
    refused(tiktoken("IQ== 99999999999999999999999\n"), Kind::IdOutOfRange, line(1));
    refused(Vocab::from_tiktoken(b"IQ== 0\n", &[("<s>", 0)]), Kind::DuplicateId, token(0));

    let jsonl = |from: &str, to: &str| Vocab::from_jsonl(JSONL.replace(from, to).as_bytes());
    refused(jsonl("\"n_vocab\": 4, ", ""), Kind::Syntax, line(1));
    refused(jsonl("\"n_vocab\": 4", "\"n_vocab\": 3"), Kind::IdOutOfRange, line(4));
    refused(jsonl("\"n_vocab\": 4", "\"n_vocab\": 99999999999"), Kind::IdOutOfRange, line(1));
    refused(jsonl("\"b64\": \"Ig==\"", "\"b64\": \"Ig=\""), Kind::Encoding, line(3));
    refused(jsonl("\"eos\": 3", "\"eos\": 7"), Kind::EndToken, token(7));
    refused(Vocab::from_jsonl(b"{\"n_vocab\": 2}\n"), Kind::Empty, None);

    let tekken = |from: &str, to: &str| Vocab::from_tekken_json(TEKKEN.replace(from, to).as_bytes());
    refused(tekken("\"config\"", "\"x\""), Kind::Syntax, None);
    refused(tekken("_size\": 5", "_size\": 5000000000"), Kind::IdOutOfRange, None);
    refused(tekken("\"Ig==\"", "\"!\""), Kind::Encoding, token(4));
    refused(tekken("\"rank\": 2", "\"rank\": 3"), Kind::IdOutOfRange, None);
    let wide = TEKKEN.replace("_size\": 5", "_size\": 9000000").replace("_tokens\": 3", "_tokens\": 8000000");
    refused(Vocab::from_tekken_json(wide.as_bytes()), Kind::TooLarge, None);

    refused(Vocab::detect(b""), Kind::Empty, None);
    refused(Vocab::detect(b"{\"a\": 1}"), Kind::UnknownFormat, None);
    refused(Vocab::detect(b"hello world"), Kind::UnknownFormat, None);
    refused(Vocab::detect(b"\x89PNG"), Kind::UnknownFormat, None);

    refused(Vocab::from_tokens([] as [(TokenId, &str); 0], &[]), Kind::Empty, None);
    refused(Vocab::from_tokens([(0, "")], &[]), Kind::NoText, None);
    refused(Vocab::from_tokens([(0, "a")], &[0]), Kind::NoText, None);
    refused(Vocab::from_tokens([(0, "a")], &[MAX_TOKENS as TokenId]), Kind::IdOutOfRange, None);
    refused(Vocab::from_tokens([(MAX_TOKENS as TokenId, "a")], &[]), Kind::IdOutOfRange, None);
    refused(Vocab::from_tokens([(0, "a"), (0, "b")], &[]), Kind::DuplicateId, token(0));
}

#[test]
fn end_tokens_need_not_be_listed() {
    let vocab = Vocab::from_tokens([(0, "a")], &[1]).unwrap();
    assert_eq!((vocab.len(), vocab.end_tokens(), vocab.kind(1)), (2, &[1][..], TokenKind::Special));
    assert_eq!((vocab.bytes(1), vocab.name(1)), (None, Some("<end 1>")));
}

#[test]
fn gguf_that_lies() {
    let tokens = |value| Vocab::from_gguf(&gguf_of(&[("tokenizer.ggml.tokens", value)]));
    let kind = |result: Result<Vocab, VocabError>| {
        let error = result.unwrap_err();
        assert!(matches!(error.place(), Some(VocabPlace::Offset(_))), "{error}");
        error.kind()
    };
    assert_eq!(kind(Vocab::from_gguf(b"")), Kind::Truncated);
    assert_eq!(kind(Vocab::from_gguf(b"GGML\0\0\0\0")), Kind::Syntax);
    assert_eq!(kind(Vocab::from_gguf(b"GGUF\x01\0\0\0")), Kind::Unsupported);
    assert_eq!(kind(tokens(array(8, u64::MAX, &[]))), Kind::Truncated);
    assert_eq!(kind(tokens(array(8, 1, &u64::MAX.to_le_bytes()))), Kind::Truncated);
    assert_eq!(kind(tokens(array(4, 1, &[0; 4]))), Kind::Syntax);
    assert_eq!(kind(tokens(array(77, 1, &[]))), Kind::Syntax);
    let other = |value| Vocab::from_gguf(&gguf_of(&[("x", value)]));
    assert_eq!(kind(other(array(12, u64::MAX, &[]))), Kind::Truncated);
    assert_eq!(kind(other(array(12, u64::MAX / 8 + 1, &[]))), Kind::Truncated);
    let nested: Vec<u8> = (0..1000).flat_map(|_| array(9, 1, &[])[4..].to_vec()).collect();
    assert_eq!(kind(other([&9u32.to_le_bytes()[..], &nested].concat())), Kind::Syntax);
    let whole = gguf();
    for len in 0..whole.len() {
        assert_eq!(kind(Vocab::from_gguf(&whole[..len])), Kind::Truncated, "{len} bytes");
    }
}

#[test]
fn changes() {
    let vocab = Vocab::from_tokens([(0, "a"), (1, "<x>"), (3, "<eos>")], &[3, 3]).unwrap();
    let token = |id| Some(VocabPlace::Token(id));
    assert_eq!(vocab.end_tokens(), [3]);
    let special = vocab.clone().with_special(&[1]).unwrap();
    assert_eq!((special.find_special("<x>"), special.bytes(1)), (Some(1), None));
    assert_ne!(special.fingerprint(), vocab.fingerprint());
    assert_eq!(special.with_text(&[1]).unwrap().fingerprint(), vocab.fingerprint());
    refused(vocab.clone().with_text(&[3]), Kind::EndToken, token(3));
    refused(vocab.clone().with_text(&[2]), Kind::UnknownToken, token(2));
    refused(vocab.clone().with_special(&[4]), Kind::UnknownToken, token(4));
    refused(vocab.clone().with_special(&[0, 1]), Kind::NoText, None);
    refused(vocab.clone().with_width(3), Kind::EndToken, token(3));
    refused(vocab.clone().with_width(0), Kind::TooLarge, None);
    refused(vocab.clone().with_width(MAX_TOKENS + 1), Kind::TooLarge, None);
    let narrow = vocab.clone().with_end_tokens(&[]).unwrap().with_width(1).unwrap();
    assert_eq!((narrow.bytes(0), narrow.bytes(1), narrow.len()), (Some(&b"a"[..]), None, 4));
    refused(narrow.with_end_tokens(&[1]), Kind::EndToken, token(1));
}

#[test]
fn fingerprints_do_not_change() {
    // Saved artifacts carry fingerprints: a new value here breaks them all.
    let vocab = Vocab::from_tokens([(0, "a"), (1, "</s>")], &[1]).unwrap();
    assert_eq!(vocab.fingerprint().to_string(), "b783a79fafddfcbc0fcb0289acff080c");
}

/// A small random generator of its own, so that failures can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

fn mutate(good: &[u8], random: &mut Random) -> Vec<u8> {
    const WORDS: [&[u8]; 10] =
        [b"\xff\xff\xff\xff", b"\0", b"null", b"{}", b"[", b"\"", b"99999999", b"-1", b"\n", b"\\ud800"];
    let mut bytes = good.to_vec();
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.below(256) as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..(at + 1 + random.below(8)).min(bytes.len()))),
            _ => drop(bytes.splice(at..at, WORDS[random.below(WORDS.len())].iter().copied())),
        }
    }
    bytes
}

#[test]
fn mutated_files_never_panic() {
    type Load = fn(&[u8]) -> Result<Vocab, VocabError>;
    let tiktoken: Load = |bytes| Vocab::from_tiktoken(bytes, NO_SPECIAL);
    let cases: [(&str, Vec<u8>, Load); 7] = [
        ("tokenizer.json", TOKENIZER_JSON.into(), Vocab::from_tokenizer_json),
        ("unigram", UNIGRAM.into(), Vocab::from_tokenizer_json),
        ("tekken", TEKKEN.into(), Vocab::from_tekken_json),
        ("tiktoken", TIKTOKEN.into(), tiktoken),
        ("jsonl", JSONL.into(), Vocab::from_jsonl),
        ("sentencepiece", SENTENCEPIECE.into(), Vocab::from_sentencepiece),
        ("gguf", gguf(), Vocab::from_gguf),
    ];
    for (name, good, load) in cases {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (mut accepted, mut refused) = (0, 0);
        for _ in 0..4000 {
            let bytes = mutate(&good, &mut random);
            let same = |vocab: &Vocab| {
                // Whatever was accepted keeps its promises.
                assert!(vocab.end_tokens().iter().all(|&id| vocab.kind(id) == TokenKind::Special));
                assert!(vocab.text_tokens().all(|(_, bytes)| !bytes.is_empty()));
            };
            match load(&bytes) {
                Ok(vocab) => {
                    accepted += 1;
                    // Ids far apart are legal and slow to walk.
                    if vocab.len() < 1000 {
                        same(&vocab);
                    }
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
            let _ = Vocab::detect(&bytes);
        }
        assert!(accepted > 0 && refused > 1000, "{name}: {accepted} accepted, {refused} refused");
    }
}
