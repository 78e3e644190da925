//! The modules of a crate, from its `lib.rs` on: which file each lies in, what it defines and what
//! it imports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::{Attribute, Item, ItemUse, Meta, UseTree};

/// A path in segments, without generics.
pub(crate) type Segments = Vec<String>;

/// A module of a crate, in a file of its own or inside another.
#[derive(Default)]
pub(crate) struct Module {
    /// File, counted in [`Crate::files`].
    pub(crate) file: usize,
    /// Names of items defined here.
    pub(crate) defined: BTreeSet<String>,
    /// Names brought in by `use`, with what they stand for.
    pub(crate) imported: BTreeMap<String, Segments>,
    /// Modules whose names are all brought in.
    pub(crate) globs: Vec<Segments>,
    /// Whether items are made by macros, whose names are not known here.
    pub(crate) calls_macros: bool,
    /// Its items, without tests.
    pub(crate) items: Vec<Item>,
}

/// All modules of a crate by their path; the root has the empty path.
pub(crate) struct Crate {
    /// Files below the folder of sources, `lib.rs` first.
    pub(crate) files: Vec<String>,
    /// Modules by path.
    pub(crate) modules: BTreeMap<Segments, Module>,
    folder: PathBuf,
}

impl Crate {
    /// Reads the crate whose `lib.rs` lies in `folder`.
    pub(crate) fn read(folder: &Path) -> Crate {
        let mut all = Crate { files: Vec::new(), modules: BTreeMap::new(), folder: folder.to_path_buf() };
        all.read_file("lib.rs".into(), Vec::new());
        all
    }

    fn read_file(&mut self, file: PathBuf, path: Segments) {
        let text = std::fs::read_to_string(self.folder.join(&file))
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.files.push(file.to_string_lossy().replace('\\', "/"));
        // Where the files of child modules lie: beside `lib.rs` and `mod.rs`, in a folder of its
        // name otherwise.
        let children = match file.file_name().and_then(|name| name.to_str()) {
            Some("lib.rs" | "mod.rs") => file.parent().unwrap_or(Path::new("")).to_path_buf(),
            _ => file.with_extension(""),
        };
        self.add(self.files.len() - 1, path, parsed.items, &children);
    }

    fn add(&mut self, file: usize, path: Segments, items: Vec<Item>, folder: &Path) {
        let mut module = Module { file, ..Module::default() };
        for item in items.into_iter().filter(|item| !is_test(attributes(item))) {
            if let Item::Mod(inner) = item {
                let name = inner.ident.to_string();
                let inner_path: Segments = path.iter().cloned().chain([name.clone()]).collect();
                match inner.content {
                    Some((_, items)) => self.add(file, inner_path, items, &folder.join(&name)),
                    None => {
                        let flat = folder.join(&name).with_extension("rs");
                        let own = self.folder.join(&flat).exists();
                        let file = if own { flat } else { folder.join(&name).join("mod.rs") };
                        self.read_file(file, inner_path);
                    }
                }
                continue;
            }
            match &item {
                Item::Use(import) => imports(import, &mut module),
                Item::Macro(call) if call.ident.is_none() => module.calls_macros = true,
                other => module.defined.extend(name_of(other)),
            }
            module.items.push(item);
        }
        self.modules.insert(path, module);
    }
}

/// What a `use` brings in.
fn imports(import: &ItemUse, module: &mut Module) {
    fn walk(tree: &UseTree, before: &Segments, module: &mut Module) {
        let with = |name: String| before.iter().cloned().chain([name]).collect::<Segments>();
        match tree {
            UseTree::Path(path) => walk(&path.tree, &with(path.ident.to_string()), module),
            UseTree::Name(name) if name.ident == "self" => {
                let last = before.last().cloned().unwrap_or_default();
                module.imported.insert(last, before.clone());
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                module.imported.insert(name.clone(), with(name));
            }
            UseTree::Rename(rename) => {
                module.imported.insert(rename.rename.to_string(), with(rename.ident.to_string()));
            }
            UseTree::Glob(_) => module.globs.push(before.clone()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| walk(tree, before, module)),
        }
    }
    walk(&import.tree, &Vec::new(), module);
}

/// Whether an item is compiled for tests only.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => list.tokens.to_string() == "test",
        meta => meta.path().is_ident("test"),
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
