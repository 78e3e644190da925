//! What DESIGN.md, CONTRIBUTING.md and README.md name must exist: files by code spans and links,
//! Rust names by code spans.
//!
//! A code span is a file if it looks like a path below the repository, `crates`, or the sources of
//! this crate; it is a Rust name if it begins with a capital letter or has `::`. Examples in
//! capitals (`AXIS/NAME.rs`) stand for names of the reader's own.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// Files that the worked examples of CONTRIBUTING.md tell the reader to write, and where they are
/// kept as such a reader writes them.
const WORKED_EXAMPLES: [&str; 3] = ["windowed_greedy.rs", "two_pass.rs", "semicolons.rs"];
const KEPT: [&str; 3] = [
    "crates/ftl/tests/worked_examples/windowed_greedy.rs",
    "crates/ftl/tests/worked_examples/two_pass.rs",
    "crates/trace/tests/worked_examples/semicolons.rs",
];

const DOCUMENTS: [&str; 3] = ["DESIGN.md", "CONTRIBUTING.md", "README.md"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Code spans, and targets of links to files.
fn named(document: &str) -> (Vec<String>, Vec<String>) {
    let text = std::fs::read_to_string(repository().join(document)).unwrap();
    let (mut spans, mut links) = (Vec::new(), Vec::new());
    for event in Parser::new(&text) {
        match event {
            Event::Code(code) => spans.push(code.to_string()),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. })
                if !dest_url.contains("://") && !dest_url.starts_with('#') =>
            {
                links.push(dest_url.split('#').next().unwrap_or_default().to_string());
            }
            _ => {}
        }
    }
    (spans, links)
}

/// Whether a path has parts in capitals that the reader is to replace.
fn is_example(path: &str) -> bool {
    path.split(['/', '.', '_', '=', ':', ' '])
        .any(|part| part.len() > 1 && part.chars().all(|letter| letter.is_ascii_uppercase()))
}

/// Whether a code span names a file: a path whose first part is a folder here.
fn files_of(span: &str) -> Option<bool> {
    let plain = span.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter));
    let (first, _) = span.split_once('/')?;
    if !plain || is_example(span) || WORKED_EXAMPLES.iter().any(|file| span.ends_with(file)) {
        return None;
    }
    let bases = [repository(), repository().join("crates"), repository().join("crates/ftl/src")];
    let bases: Vec<_> = bases.into_iter().filter(|base| base.join(first).is_dir()).collect();
    (!bases.is_empty()).then(|| {
        bases.iter().any(|base| {
            let file = base.join(span);
            file.exists() || file.with_extension("rs").exists()
        })
    })
}

/// Every identifier of the sources.
fn identifiers() -> BTreeSet<String> {
    fn walk(folder: &Path, into: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_none_or(|name| name != "target") {
                walk(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "py") {
                let text = std::fs::read_to_string(&path).unwrap();
                let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
                into.extend(words.map(str::to_string));
            }
        }
    }
    let mut all = BTreeSet::new();
    ["crates", "python", "experiments"].iter().for_each(|folder| walk(&repository().join(folder), &mut all));
    all
}

/// The parts of a Rust name, if a code span is one.
fn rust_name(span: &str) -> Option<Vec<&str>> {
    let plain = span.chars().all(|letter| letter.is_ascii_alphanumeric() || "_:".contains(letter));
    let capital = span.starts_with(|letter: char| letter.is_ascii_uppercase());
    let is_name = plain && (capital || span.contains("::")) && !is_example(span) && !span.ends_with(':');
    is_name.then(|| span.split("::").collect())
}

#[test]
fn every_file_that_the_documents_name_exists() {
    for document in DOCUMENTS {
        let (spans, links) = named(document);
        for span in spans {
            assert_ne!(files_of(&span), Some(false), "{document} names {span}, and there is no such file");
        }
        for link in links.iter().filter(|link| !link.is_empty()) {
            assert!(
                repository().join(link).exists(),
                "{document} links to {link}, and there is no such file"
            );
        }
    }
}

#[test]
fn every_rust_name_in_the_documents_is_in_the_sources() {
    let known = identifiers();
    for document in DOCUMENTS {
        for span in named(document).0 {
            for part in rust_name(&span).into_iter().flatten() {
                assert!(known.contains(part), "{document} names `{span}`, and no source says {part}");
            }
        }
    }
}

/// The code blocks of a document in a language.
fn code_blocks(document: &str, language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(repository().join(document)).unwrap();
    let (mut blocks, mut inside) = (Vec::new(), None);
    for event in Parser::new(&text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(of))) if &*of == language => {
                inside = Some(String::new());
            }
            Event::Text(code) => inside.iter_mut().for_each(|block| block.push_str(&code)),
            Event::End(TagEnd::CodeBlock) => blocks.extend(inside.take()),
            _ => {}
        }
    }
    blocks
}

/// A line without its blanks and its comment.
fn bare(line: &str) -> &str {
    line.split("//").next().unwrap_or_default().trim()
}

/// Every line of CONTRIBUTING's code, in its order, is in a file that is compiled with the tests;
/// what is left out is marked by `/*`.
#[test]
fn the_code_of_the_worked_examples_is_what_is_compiled() {
    let kept = KEPT.map(|file| std::fs::read_to_string(repository().join(file)).unwrap());
    let blocks = code_blocks("CONTRIBUTING.md", "rust");
    assert!(blocks.len() >= 2, "{} blocks of code", blocks.len());
    for block in blocks {
        let missing = |file: &String| {
            let mut lines = file.lines().map(bare);
            block
                .lines()
                .map(bare)
                .filter(|line| !line.is_empty() && !line.contains("/*"))
                .find(|line| !lines.any(|other| other == *line))
                .map(str::to_owned)
        };
        let missing: Vec<_> = kept.iter().map(missing).collect();
        assert!(
            missing.contains(&None),
            "no worked example has this code; missing of each: {missing:?}\n{block}"
        );
    }
}

#[test]
fn paths_names_and_examples_are_told_apart() {
    assert_eq!(files_of("crates/ftl/src/lib.rs"), Some(true));
    assert_eq!(files_of("ftl/src/lib.rs"), Some(true));
    assert_eq!(files_of("crates/ftl/src/gone.rs"), Some(false));
    assert_eq!(files_of("crates/ftl/src/AXIS/NAME.rs"), None);
    assert_eq!(files_of("ftl.erase_unit"), None);
    assert_eq!(files_of("read/write"), None);
    assert_eq!(rust_name("Array::load_cells"), Some(vec!["Array", "load_cells"]));
    assert_eq!(rust_name("read_ns"), None);
}
