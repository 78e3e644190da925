//! Paths of inodes, by the directory entries that are committed.

use std::collections::BTreeMap;

use super::directory::Entry;

/// Number of the root directory.
const ROOT: u32 = 2;
/// Longest chain of folders that is followed.
const DEEPEST: usize = 128;

/// Names of an inode: folder and name of each link, the newest last.
#[derive(Debug, Default)]
struct Links {
    now: Vec<(u32, Vec<u8>)>,
    /// Once there is none.
    last: Option<(u32, Vec<u8>)>,
}

#[derive(Debug, Default)]
pub(super) struct Names {
    links: BTreeMap<u32, Links>,
}

impl Names {
    /// Takes the entries of a folder's block as they were and as they are now. All that were added
    /// in a commit come before all that were removed, so that a file that moves keeps a name.
    pub(super) fn add(&mut self, folder: u32, old: &[Entry], new: &[Entry]) {
        for (inode, name) in new.iter().filter(|entry| old.binary_search(entry).is_err()) {
            self.links.entry(*inode).or_default().now.push((folder, name.clone()));
        }
    }

    pub(super) fn remove(&mut self, folder: u32, old: &[Entry], new: &[Entry]) {
        for (inode, name) in old.iter().filter(|entry| new.binary_search(entry).is_err()) {
            let Some(links) = self.links.get_mut(inode) else { continue };
            let same = |link: &(u32, Vec<u8>)| link.0 == folder && link.1 == *name;
            if let Some(index) = links.now.iter().position(same) {
                links.last = Some(links.now.remove(index));
            }
        }
    }

    /// Whether an inode ever had a name.
    pub(super) fn knows(&self, inode: u32) -> bool {
        self.links.contains_key(&inode)
    }

    /// The path of an inode. One that was removed has its last; one that never had any its number.
    pub(super) fn path(&self, inode: u32) -> String {
        let (mut parts, mut at) = (Vec::new(), inode);
        while at != ROOT && parts.len() < DEEPEST {
            let link = self.links.get(&at).and_then(|links| links.now.last().or(links.last.as_ref()));
            let Some((folder, name)) = link else {
                parts.push(format!("#{at}"));
                break;
            };
            parts.push(String::from_utf8_lossy(name).into_owned());
            at = *folder;
        }
        parts.iter().rev().fold(String::new(), |path, part| path + "/" + part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(names: &[(u32, &str)]) -> Vec<Entry> {
        let mut found: Vec<Entry> =
            names.iter().map(|(inode, name)| (*inode, name.as_bytes().to_vec())).collect();
        found.sort_unstable();
        found
    }

    fn change(names: &mut Names, folder: u32, old: &[(u32, &str)], new: &[(u32, &str)]) {
        let (old, new) = (entries(old), entries(new));
        names.add(folder, &old, &new);
        names.remove(folder, &old, &new);
    }

    #[test]
    fn a_name_follows_moves_links_and_removal() {
        let mut names = Names::default();
        change(&mut names, 2, &[], &[(11, "folder"), (12, "a")]);
        change(&mut names, 11, &[], &[(13, "b")]);
        assert_eq!((names.path(12), names.path(13)), ("/a".into(), "/folder/b".into()));
        change(&mut names, 2, &[(11, "folder"), (12, "a")], &[(11, "moved"), (12, "a"), (12, "link")]);
        assert_eq!((names.path(12), names.path(13)), ("/link".into(), "/moved/b".into()));
        change(&mut names, 2, &[(12, "a"), (12, "link")], &[(12, "a")]);
        assert_eq!(names.path(12), "/a");
        change(&mut names, 2, &[(12, "a")], &[]);
        assert_eq!((names.path(12), names.path(99)), ("/a".into(), "/#99".into()));
        change(&mut names, 11, &[], &[(12, "again")]);
        assert_eq!(names.path(12), "/moved/again");
    }

    #[test]
    fn a_file_renamed_over_another_takes_its_name() {
        let mut names = Names::default();
        change(&mut names, 2, &[], &[(12, "c"), (13, "c.tmp")]);
        change(&mut names, 2, &[(12, "c"), (13, "c.tmp")], &[(13, "c")]);
        assert_eq!((names.path(12), names.path(13)), ("/c".into(), "/c".into()));
    }

    #[test]
    fn a_circle_ends() {
        let mut names = Names::default();
        change(&mut names, 12, &[], &[(12, "itself")]);
        assert!(names.path(12).len() >= DEEPEST);
    }
}
