//! Schemes and policies decide, the layer does: what a file may name, by the folder it lies in.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{ItemFn, ItemImpl, Type, TypeReference};

use super::modules::{Crate, is_test};

/// The axes, each with an interface and registry in its folder and a file or folder for each
/// scheme.
const AXES: [&str; 3] = ["recycle", "reuse", "effort"];
/// Folders of code that decides.
const DECIDE: [&str; 4] = ["recycle", "reuse", "effort", "policies"];
/// Folders of code that does.
const DO: [&str; 2] = ["layer", "cleaning"];
/// Types that only code that does may change; `Ftl` and `State` have no methods in a scheme's
/// folder either.
const STATE: [&str; 5] = ["Ftl", "State", "Array", "Units", "Map"];

/// A line for each place where a rule is broken.
pub(crate) fn broken(all: &Crate, arrows: &BTreeSet<(usize, usize)>) -> Vec<String> {
    let named = arrows.iter().filter_map(|&(from, to)| wrong_arrow(&all.files[from], &all.files[to]));
    let written = all.modules.values().filter(|module| decides(&all.files[module.file])).flat_map(|module| {
        let mut changes = Changes { file: &all.files[module.file], found: Vec::new() };
        module.items.iter().for_each(|item| changes.visit_item(item));
        changes.found
    });
    let mut found: Vec<_> = named.chain(written).collect();
    found.sort();
    found
}

/// The folder right below `src`, and the name in it.
fn place(file: &str) -> (&str, &str) {
    let (folder, rest) = file.split_once('/').unwrap_or(("", file));
    (folder, rest)
}

fn decides(file: &str) -> bool {
    DECIDE.contains(&place(file).0)
}

/// The scheme that a file belongs to: a folder of an axis. The files of an axis' own folder are its
/// interface and registry.
fn scheme(file: &str) -> Option<(&str, &str)> {
    let (axis, rest) = place(file);
    let (scheme, _) = rest.split_once('/')?;
    AXES.contains(&axis).then_some((axis, scheme))
}

fn wrong_arrow(from: &str, to: &str) -> Option<String> {
    let ((from_folder, _), (to_folder, _)) = (place(from), place(to));
    let says = |why: &str| Some(format!("{from} names {to}: {why}"));
    if decides(from) && DO.contains(&to_folder) {
        return says("who decides does not do");
    }
    if AXES.contains(&from_folder) && AXES.contains(&to_folder) && from_folder != to_folder {
        return says("a scheme knows its own axis only");
    }
    match (scheme(from), scheme(to)) {
        (Some(own), Some(other)) if own != other => says("a scheme knows no other scheme"),
        (None, Some((axis, _))) if from_folder != axis => says("a scheme is reached through its axis"),
        _ => None,
    }
}

/// Finds what changes the drive in code that only decides.
struct Changes<'a> {
    file: &'a str,
    found: Vec<String>,
}

impl Changes<'_> {
    fn note(&mut self, what: &str) {
        let line = format!("{}: {what}", self.file);
        if !self.found.contains(&line) {
            self.found.push(line);
        }
    }
}

fn state_type(of: &Type) -> Option<String> {
    let Type::Path(path) = of else { return None };
    let name = path.path.segments.last()?.ident.to_string();
    STATE.contains(&name.as_str()).then_some(name)
}

impl<'ast> Visit<'ast> for Changes<'_> {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_item_impl(&mut self, implementation: &'ast ItemImpl) {
        if let Some(name @ ("Ftl" | "State")) = state_type(&implementation.self_ty).as_deref() {
            self.note(&format!("impl {name}"));
        }
        visit::visit_item_impl(self, implementation);
    }

    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        if reference.mutability.is_some()
            && let Some(name) = state_type(&reference.elem)
        {
            self.note(&format!("&mut {name}"));
        }
        visit::visit_type_reference(self, reference);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.last().is_some_and(|last| last.ident == "Ftl") {
            self.note("names Ftl");
        }
        visit::visit_path(self, path);
    }
}

#[test]
fn arrows_are_judged_by_the_folders_of_their_ends() {
    assert_eq!(wrong_arrow("reuse/seal/mod.rs", "state/mod.rs"), None);
    assert_eq!(wrong_arrow("reuse/mod.rs", "reuse/seal/mod.rs"), None);
    assert_eq!(wrong_arrow("layer/write.rs", "reuse/scheme.rs"), None);
    assert_eq!(wrong_arrow("reuse/seal/a.rs", "reuse/seal/b.rs"), None);
    assert!(wrong_arrow("reuse/seal/mod.rs", "layer/mod.rs").is_some());
    assert!(wrong_arrow("policies/background.rs", "cleaning/clean.rs").is_some());
    assert!(wrong_arrow("reuse/seal/mod.rs", "reuse/wom_v/mod.rs").is_some());
    assert!(wrong_arrow("reuse/seal/mod.rs", "effort/mod.rs").is_some());
    assert!(wrong_arrow("layer/write.rs", "reuse/second_write/config.rs").is_some());
    assert!(wrong_arrow("state/mod.rs", "effort/agcr/mod.rs").is_some());
}
