//! Which module may name which: compares the paths in every file of `src` with the table `NAMES`, which `src/lib.rs` draws.
//! Also checks where `unsafe` may stand and which words the kernel must not contain. A new module needs a row in `NAMES`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Each module, and exactly the modules that it names. `lib.rs`, which declares all modules, has no row.
const NAMES: &[(&str, &str)] = &[
    ("lanes", ""),
    ("error", ""),
    ("faults", ""),
    ("kernel", "lanes"),
    ("secret", "error lanes"),
    ("hw", "error faults"),
    ("backend", "error faults hw kernel lanes"),
    ("rng", "backend error hw lanes"),
    ("key", "backend error hw lanes rng secret"),
    ("protocol", "backend error hw key lanes rng secret"),
    ("node", "backend error faults hw key lanes protocol rng secret"),
];

/// Where `unsafe` may stand.
const UNSAFE: &[&str] = &["backend", "hw", "node"];

/// Modules compiled with every backend's instructions: no configuration, no allocation, no panic.
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
    let mut arrows = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
                let source = fs::read_to_string(&path).unwrap();
                found.extend(violations(&name, &source));
                arrows.extend(arrows_of(&name, &tokens(&source)));
                files += 1;
            }
        }
    }
    assert!(files > 15, "only {files} files under src");
    for (module, allowed) in NAMES {
        for named in allowed.split_whitespace() {
            if !arrows.contains(&((*module).to_owned(), named.to_owned())) {
                found.push(format!("`{module}` may name `{named}` but does not"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The violations in one file. `path` is relative to `src`.
fn violations(path: &str, source: &str) -> Vec<String> {
    let tokens = tokens(source);
    let module = module_of(path);
    let mut found = Vec::new();
    if module != "lib" {
        let row = NAMES.iter().find(|(name, _)| *name == module);
        let Some((_, allowed)) = row else {
            return vec![format!("{path}: the module `{module}` has no row")];
        };
        for (_, named) in arrows_of(path, &tokens) {
            if allowed.split(' ').all(|name| name != named) {
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

/// The names on the way from the root of the crate to a file. The first is the file's module.
fn steps(path: &str) -> Vec<&str> {
    path.trim_end_matches(".rs").trim_end_matches("/mod").split('/').collect()
}

fn module_of(path: &str) -> &str {
    steps(path)[0]
}

/// The arrows from the module of a file to others.
fn arrows_of(path: &str, tokens: &[String]) -> Vec<(String, String)> {
    let module = module_of(path);
    let others = named(tokens, steps(path).len()).into_iter().filter(|named| *named != module);
    others.map(|named| (module.to_owned(), named.to_owned())).collect()
}

/// The names at the root of the crate that the paths of a file use. The root lies `depth` modules above the file.
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
            // With a second name for the crate, paths would escape this test.
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
        ("key/mod.rs", "use super::*;", "`key` names `*`"),
        ("key/mod.rs", "use crate as c;", "`key` names `crate`"),
        ("key/mod.rs", "use hardware_aes_gcm::node;", "names `hardware_aes_gcm`"),
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
            "backend/words.rs",
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
