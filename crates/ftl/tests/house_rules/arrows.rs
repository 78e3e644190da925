//! Which file needs which: every path in a file, followed to the file that defines what it names.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{ImplItemFn, ItemFn, ItemUse, Macro, Path};

use super::modules::{Crate, Module, Segments, is_test};

/// Re-exports of re-exports are followed so far.
const DEEPEST: usize = 16;

/// From which file to which, as numbers of [`Crate::files`]; no file has an arrow to itself.
pub(crate) fn arrows(all: &Crate) -> BTreeSet<(usize, usize)> {
    let mut found = BTreeSet::new();
    for (path, module) in &all.modules {
        // The root re-exports what is public and has no code of its own.
        if module.file == 0 {
            continue;
        }
        let mut paths = Paths::default();
        module.items.iter().for_each(|item| paths.visit_item(item));
        let imports = module.imported.values().chain(&module.globs).cloned();
        for named in imports.chain(paths.named) {
            if let Some(file) = all.defining_file(path, &named, DEEPEST)
                && file != module.file
                && file != 0
            {
                found.insert((module.file, file));
            }
        }
    }
    found
}

impl Crate {
    /// The file that defines what a path names, seen from a module. Nothing for names of other
    /// crates and for modules themselves.
    pub(crate) fn defining_file(&self, from: &Segments, named: &[String], deep: usize) -> Option<usize> {
        let deep = deep.checked_sub(1)?;
        let (mut at, mut rest) = self.start(from, named)?;
        loop {
            let module = self.modules.get(&at)?;
            let (name, behind) = rest.split_first()?;
            let child: Segments = at.iter().cloned().chain([name.clone()]).collect();
            if self.modules.contains_key(&child) {
                (at, rest) = (child, behind);
            } else if module.defined.contains(name) {
                return Some(module.file);
            } else if let Some(import) = module.imported.get(name) {
                if import == named && &at == from {
                    return None;
                }
                let further: Segments = import.iter().chain(behind).cloned().collect();
                return self.defining_file(&at, &further, deep);
            } else if let Some(file) = self.through_globs(&at, module, rest, deep) {
                return Some(file);
            } else {
                // What a macro of this module makes has no item of its own here.
                return (module.calls_macros && &at != from).then_some(module.file);
            }
        }
    }

    fn through_globs(&self, at: &Segments, module: &Module, rest: &[String], deep: usize) -> Option<usize> {
        module.globs.iter().find_map(|glob| {
            let further: Segments = glob.iter().chain(rest).cloned().collect();
            self.defining_file(at, &further, deep)
        })
    }

    /// Where a path begins, and what of it remains.
    fn start<'a>(&self, from: &Segments, named: &'a [String]) -> Option<(Segments, &'a [String])> {
        let (first, rest) = named.split_first()?;
        match first.as_str() {
            "crate" => Some((Vec::new(), rest)),
            "self" => Some((from.clone(), rest)),
            "super" => {
                let mut at = from.clone();
                at.pop()?;
                let supers = rest.iter().take_while(|segment| *segment == "super").count();
                for _ in 0..supers {
                    at.pop()?;
                }
                Some((at, &rest[supers..]))
            }
            _ => Some((from.clone(), named)),
        }
    }
}

/// Collects the paths of a module's code, those inside macros included.
#[derive(Default)]
struct Paths {
    named: Vec<Segments>,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, _: &'ast ItemUse) {}

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        self.named.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }
}

impl Paths {
    /// Names joined by `::` among the tokens of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Segments = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.named.push(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => self.tokens(group.stream()),
                _ => colons = 3,
            }
        }
        self.named.push(path);
        self.named.retain(|path| path.len() > 1 || path.first().is_some_and(|name| name != "self"));
    }
}
