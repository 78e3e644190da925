//! How the files of this crate may depend on each other.
//!
//! How it is counted: an arrow leads from a file to another whose item it names, by `use` or by a
//! path in its code (`crate::`, `super::`, `self::`, a child module, an imported name; inside
//! macros, too). A name that is re-exported counts where it is defined. What is compiled for tests,
//! comments, `mod` declarations and the re-exports of `lib.rs` make no arrow. Calls of methods make
//! none either, only naming their type does. Files that reach each other over arrows are a
//! component; a circle is a way over arrows back to its first file that meets no file twice.
//!
//! Counted so, 57 files with 201 arrows were one component before schemes and layer were parted (46
//! files with 144 arrows if only `use` counts).
#![allow(clippy::unwrap_used, missing_docs)]

mod arrows;
mod circles;
mod modules;
mod rules;

use std::path::{Path, PathBuf};

use modules::Crate;

/// Files that may need each other.
const MOST_IN_COMPONENT: usize = 3;

fn this_crate() -> Crate {
    Crate::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

fn names(all: &Crate, files: &[usize]) -> String {
    files.iter().map(|&file| all.files[file].as_str()).collect::<Vec<_>>().join(", ")
}

#[test]
fn files_form_no_circle_longer_than_allowed() {
    let all = this_crate();
    let arrows = arrows::arrows(&all);
    let components = circles::components(&arrows);
    println!("{} files, {} arrows", all.files.len(), arrows.len());
    for files in &components {
        let inside: Vec<_> =
            arrows.iter().filter(|(from, to)| files.contains(from) && files.contains(to)).collect();
        println!("component of {} files, {} arrows: {}", files.len(), inside.len(), names(&all, files));
        for (from, to) in inside {
            println!("    {} -> {}", all.files[*from], all.files[*to]);
        }
        if let Some(circle) = circles::longest_circle(&arrows, files) {
            println!("    longest circle, {} files: {}", circle.len(), names(&all, &circle));
        }
    }
    let largest = components.first().map_or(0, Vec::len);
    assert!(
        largest <= MOST_IN_COMPONENT,
        "{largest} files need each other, and at most {MOST_IN_COMPONENT} may"
    );
}

#[test]
fn schemes_and_policies_decide_and_the_layer_does() {
    let all = this_crate();
    let broken = rules::broken(&all, &arrows::arrows(&all));
    broken.iter().for_each(|line| println!("{line}"));
    assert!(broken.is_empty(), "{} places break the rules of the house", broken.len());
}

#[test]
fn who_moves_the_pages_of_a_unit_tells_the_scheme() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut movers = 0;
    for file in this_crate().files {
        let text = std::fs::read_to_string(sources.join(&file)).unwrap();
        let has = |call: &&str| text.contains(&format!(".{call}("));
        let is_the_mover = text.contains("fn move_valid_pages(");
        if !is_the_mover && ["move_valid_pages", "move_up_to"].iter().any(has) {
            movers += 1;
            let tells = ["take_victim", "begin_to_empty", "tell_emptying"].iter().any(has);
            assert!(tells, "{file} moves valid pages and tells no scheme that a unit is emptied");
        }
        let is_the_way = file == "cleaning/victim.rs" || file.starts_with("state/units");
        assert!(is_the_way || !has(&"begin_cleaning"), "{file} empties a unit past `begin_to_empty`");
    }
    assert!(movers >= 5, "{movers} files move the pages of a unit: the calls have other names now");
}

#[test]
fn no_file_has_400_lines() {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_none_or(|name| name != "target") {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut files = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut files);
    assert!(files.len() > 600, "{} files of all crates", files.len());
    for file in files {
        let lines = std::fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines < 400, "{} has {lines} lines; a file holds one concept", file.display());
    }
}
