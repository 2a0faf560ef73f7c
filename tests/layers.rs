//! Who may name whom: the arrows that `src/lib.rs` draws, held against every path in `src`; where `unsafe` may
//! stand; and what the kernel does without. A new module fails here until it is given a row.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]

use std::fs;
use std::path::Path;

/// Each module, and the modules it may name. `lib.rs` declares them all and is no module.
const MAY_NAME: &[(&str, &str)] = &[
    ("lanes", ""),
    ("error", ""),
    ("kernel", "lanes"),
    ("secret", "error kernel lanes"),
    ("frame", "error lanes secret"),
    ("faults", ""),
    ("hw", "error faults secret"),
    ("backend", "error faults hw kernel lanes secret"),
    ("rng", "backend error hw kernel lanes secret"),
    ("nonce", "backend error hw lanes rng secret"),
    ("arena", "backend error hw secret"),
    ("limits", "error"),
    ("key", "arena limits backend error frame hw kernel lanes nonce rng secret"),
    ("node", "*"),
];

/// Where `unsafe` may stand.
const UNSAFE: &[&str] = &["backend", "hw", "node"];

/// What runs with every backend's instructions: no configuration, no allocation, no panic.
const PURE: &[&str] = &["kernel", "lanes"];
const IMPURE: &[&str] = &[
    "alloc",
    "Box",
    "cfg",
    "cfg_attr",
    "format",
    "panic",
    "std",
    "String",
    "todo",
    "unreachable",
    "unwrap",
    "vec",
    "Vec",
];

#[test]
fn the_arrows_point_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut folders, mut found) = (0, vec![src.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
                found.extend(violations(&name, &fs::read_to_string(&path).unwrap()));
                files += 1;
            }
        }
    }
    assert!(files > 15, "only {files} files under src");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What is wrong with one file, `path` being its place under `src`.
fn violations(path: &str, source: &str) -> Vec<String> {
    let tokens = tokens(source);
    let steps: Vec<&str> =
        path.trim_end_matches(".rs").trim_end_matches("/mod").split('/').collect();
    let module = steps[0];
    let mut found = Vec::new();
    if module != "lib" {
        let row = MAY_NAME.iter().find(|(name, _)| *name == module);
        let Some((_, allowed)) = row else {
            return vec![format!("{path}: the module `{module}` has no row")];
        };
        for named in named(&tokens, steps.len()) {
            let may = *allowed == "*" || allowed.split(' ').any(|name| name == named);
            if named != module && !may {
                found.push(format!("{path}: `{module}` names `{named}`"));
            }
        }
    }
    let has = |word: &str| tokens.iter().any(|token| token == word);
    if !UNSAFE.contains(&module) && has("unsafe") {
        found.push(format!("{path}: `unsafe`"));
    }
    for word in IMPURE.iter().filter(|word| PURE.contains(&module) && has(word)) {
        found.push(format!("{path}: `{word}`"));
    }
    found
}

/// What the paths of a file name at the root of the crate, which lies `depth` modules above it.
fn named(tokens: &[String], depth: usize) -> Vec<&str> {
    let at = |i: usize| tokens.get(i).map_or("", String::as_str);
    let mut found = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let mut ups = 0;
        let mut end = i;
        while at(end) == "super" && at(end + 1) == "::" {
            ups += 1;
            end += 2;
        }
        if at(i) == "crate" && at(i + 1) == "::" {
            (ups, end) = (depth, i + 2);
        } else if at(i) == "hardware_aes_gcm" || at(i) == "crate" && at(i + 1) == "as" {
            // A second name for the crate would be a way round this test.
            found.push(at(i));
        }
        i = end.max(i + 1);
        if ups < depth {
            continue;
        }
        if at(end) != "{" {
            found.push(at(end));
            continue;
        }
        let mut level = 0;
        loop {
            match at(end) {
                "{" => level += 1,
                "}" => level -= 1,
                "," => {}
                name if level == 1 && matches!(at(end - 1), "{" | ",") => found.push(name),
                _ => {}
            }
            end += 1;
            if level == 0 || end > tokens.len() {
                break;
            }
        }
    }
    found
}

/// The words, `::` and single signs of a source, without comments, strings, characters and the ticks of lifetimes.
fn tokens(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => quoted(rest, '"'),
            '\'' if rest[1..].starts_with('\\') || rest[1..].chars().nth(1) == Some('\'') => {
                quoted(rest, '\'')
            }
            '\'' => 1,
            _ if matches!(&rest[..word], "r" | "br" | "cr") => match raw_string(&rest[word..]) {
                Some(length) => word + length,
                None => word,
            },
            _ if word > 0 => {
                found.push(rest[..word].to_owned());
                word
            }
            ':' if rest.starts_with("::") => {
                found.push("::".to_owned());
                2
            }
            sign => {
                if !sign.is_whitespace() {
                    found.push(sign.to_string());
                }
                sign.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    found
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    let end = rest.char_indices().skip(1).find(|(_, c)| {
        let closes = *c == quote && !escaped;
        escaped = *c == '\\' && !escaped;
        closes
    });
    end.map_or(rest.len(), |(i, _)| i + 1)
}

fn raw_string(rest: &str) -> Option<usize> {
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let text = rest[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    Some(hashes + 1 + text.find(&close).unwrap_or(0) + close.len())
}

fn block_comment(rest: &str) -> usize {
    let (mut level, mut end) = (0, 0);
    while end < rest.len() {
        match &rest.as_bytes()[end..] {
            [b'/', b'*', ..] => (level, end) = (level + 1, end + 2),
            [b'*', b'/', ..] => (level, end) = (level - 1, end + 2),
            _ => end += 1,
        }
        if level == 0 {
            break;
        }
    }
    end
}

#[test]
fn planted_violations_are_found() {
    for (path, source, expected) in [
        ("lanes.rs", "use crate::kernel::KeyState;", "`lanes` names `kernel`"),
        ("kernel/gcm.rs", "fn f() { crate::key::g() }", "`kernel` names `key`"),
        ("kernel/gcm.rs", "use crate::{lanes::{Block, Lanes}, error::Error};", "names `error`"),
        ("kernel/gcm.rs", "use super::super::secret::same;", "names `secret`"),
        ("kernel/mod.rs", "use super::secret;", "names `secret`"),
        ("backend/mod.rs", "macro_rules! m { () => { $crate::node::x } }", "names `node`"),
        ("key.rs", "use super::*;", "`key` names `*`"),
        ("key.rs", "use crate as c;", "`key` names `crate`"),
        ("key.rs", "use hardware_aes_gcm::node;", "names `hardware_aes_gcm`"),
        ("secret.rs", "/* /* */ */ 'a'; \"\\\"\"; unsafe { f() }", "secret.rs: `unsafe`"),
        ("kernel/aes.rs", "x.unwrap()", "`unwrap`"),
        ("kernel/aes.rs", "#[cfg(unix)] fn f() {}", "`cfg`"),
        ("kernel/aes.rs", "let c = '\"'; panic!(\"\")", "`panic`"),
        ("kernel/aes.rs", "fn f<'a>() -> Vec<&'a u8> {}", "`Vec`"),
        ("siv/mod.rs", "", "`siv` has no row"),
    ] {
        let found = violations(path, source);
        assert_eq!(found.len(), 1, "{source}: {found:?}");
        assert!(found[0].contains(expected), "{source}: {found:?}");
    }
    for (path, source) in [
        ("kernel/gcm.rs", "use super::{KeyState, ghash}; use crate::{lanes::Block, kernel::aes};"),
        (
            "backend/aesni.rs",
            "use super::backend; pub(super) struct X; pub(crate) fn f() { unsafe {} }",
        ),
        (
            "error.rs",
            "// crate::key, unsafe\n/// [`crate::key`]\nconst A: &str = r#\"crate::key \" unsafe\"#;",
        ),
        ("error.rs", "#![deny(unsafe_code)] const A: [char; 2] = ['\\'', '\\\\']; fn r() {}"),
        ("kernel/aes.rs", "x.unwrap_or(&[]).get(1..).expect_none()"),
        ("lib.rs", "pub mod lanes; mod node;"),
        ("node/mod.rs", "use crate::key::Key;"),
    ] {
        assert_eq!(violations(path, source), Vec::<String>::new(), "{source}");
    }
}
