//! Circles of a graph of files.

use std::collections::BTreeSet;

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

/// Above so many files the longest circle of a component is not searched for: the number of paths
/// explodes.
const MOST_FOR_SEARCH: usize = 16;

/// Files that reach each other over arrows, two or more, the largest component first.
pub(crate) fn components(arrows: &BTreeSet<(usize, usize)>) -> Vec<Vec<usize>> {
    let graph = DiGraphMap::<usize, ()>::from_edges(arrows.iter().copied());
    let mut found: Vec<_> = tarjan_scc(&graph).into_iter().filter(|files| files.len() > 1).collect();
    found.iter_mut().for_each(|files| files.sort_unstable());
    found.sort_by_key(|files| (usize::MAX - files.len(), files.clone()));
    found
}

/// The longest way through a component that returns to its beginning and meets no file twice;
/// nothing for a large component.
pub(crate) fn longest_circle(arrows: &BTreeSet<(usize, usize)>, component: &[usize]) -> Option<Vec<usize>> {
    if component.len() > MOST_FOR_SEARCH {
        return None;
    }
    let mut longest = Vec::new();
    for &start in component {
        extend(arrows, component, &mut vec![start], &mut longest);
    }
    Some(longest)
}

fn extend(
    arrows: &BTreeSet<(usize, usize)>,
    component: &[usize],
    way: &mut Vec<usize>,
    longest: &mut Vec<usize>,
) {
    let (first, last) = (way[0], way[way.len() - 1]);
    if arrows.contains(&(last, first)) && way.len() > longest.len() {
        longest.clone_from(way);
    }
    // Every circle is met from its smallest file.
    for &next in component.iter().filter(|&&file| file > first) {
        if arrows.contains(&(last, next)) && !way.contains(&next) {
            way.push(next);
            extend(arrows, component, way, longest);
            way.pop();
        }
    }
}

#[test]
fn circles_are_found_with_their_lengths() {
    let arrows = BTreeSet::from([(1, 2), (2, 3), (3, 1), (3, 4), (4, 3), (5, 1), (2, 6)]);
    assert_eq!(components(&arrows), [vec![1, 2, 3, 4]]);
    assert_eq!(longest_circle(&arrows, &[1, 2, 3, 4]), Some(vec![1, 2, 3]));
    assert_eq!(components(&BTreeSet::from([(1, 2), (2, 3), (1, 3)])), Vec::<Vec<usize>>::new());
}
