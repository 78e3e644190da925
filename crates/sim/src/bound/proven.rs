//! What is proven of every workload: with spare flash enough, next to nothing is moved.
//!
//! # The argument
//! Let a drive have units of B pages each; the host uses V pages at a time at most. Take
//! two numbers c and k, k at least 2c + 1. Cut the programs into rounds of k B. The pages of a
//! round are laid down in the order in which their present versions end, which is known, into k
//! open units. A unit whose pages are all invalid is erased. When a round that has ended has c B
//! valid pages or fewer left, these are moved into the present round.
//!
//! **Moves.** Each round of k B programs is emptied once, by c B moves at most. So of P programs at
//! most c P / k are moves, and P is at most k / (k - c) times what the host writes.
//!
//! **Space.** Of an older round the units before the latest end are erased, those behind it are
//! wholly valid, and one is mixed. Wholly valid units hold B pages each: at most V / B. Rounds that
//! are not being emptied hold more than c B pages each, so V / (c B) rounds have a mixed unit. The
//! present round has k units. A round that is being emptied keeps c + 1 units until all of its
//! pages are copied. It may fill the present round, which may be the next to be emptied; the round
//! after that has room for both. Together: V / B + V / (c B) + k + 2 (c + 1).
//!
//! The same trade of space for moves is behind the near-optimal algorithm of Lange, Naor, Yadgar:
//! Offline and Online Algorithms for SSD Management, POMACS 5(3), 2021.

/// The least k / (k - c) over all c and k for which the units suffice, if there are any. `held` are
/// the pages that the host uses at a time, at most; `pages_per_unit` is at least 1.
pub fn proven_amplification(units: u32, pages_per_unit: u32, held: u32) -> Option<f64> {
    let (units, held, pages) = (u64::from(units), u64::from(held), u64::from(pages_per_unit));
    let of_c = |c: u64| {
        // V / B + V / (c B), rounded up as one: k is a whole number.
        let needed = (held * (c + 1)).div_ceil(c * pages) + 2 * (c + 1);
        let k = units.checked_sub(needed)?;
        (k > 2 * c).then(|| k as f64 / (k - c) as f64)
    };
    (1..=units).filter_map(of_c).min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_spare_flash_leaves_next_to_no_moves_and_little_proves_nothing() {
        assert_eq!(proven_amplification(1000, 64, 1000 * 64), None);
        assert_eq!(proven_amplification(1000, 64, 990 * 64), None);
        // c = 28: 906.25 + 58 units leave k = 35 < 57; c = 15: 933.3 + 32, k = 34.
        let tight = proven_amplification(1000, 64, 875 * 64).expect("an eighth is spare");
        assert!((tight - 34.0 / 19.0).abs() < 0.1, "{tight}");
        let large = proven_amplification(100_000, 64, 87_500 * 64).expect("an eighth is spare");
        assert!(large < 1.03, "{large}");
        // Units of one page are updated one by one.
        assert!(proven_amplification(10_000, 1, 5_000).expect("half is spare") < 1.05);
    }

    /// The manual's inequality in whole numbers: all of it times c B.
    fn holds(units: u64, pages: u64, held: u64, c: u64, k: u64) -> bool {
        k > 2 * c && held * c + held + c * pages * (k + 2 * (c + 1)) <= units * c * pages
    }

    #[test]
    fn what_is_proven_is_the_best_for_which_the_inequality_holds() {
        let mut proven = 0;
        for (units, pages) in [(6, 2), (20, 3), (30, 7), (61, 16)] {
            for held in 1..units * pages {
                let all = (1..units).flat_map(|c| (1..units).map(move |k| (c, k)));
                let fits = all.filter(|&(c, k)| holds(units, pages, held, c, k));
                let best = fits.map(|(c, k)| k as f64 / (k - c) as f64).min_by(f64::total_cmp);
                let found = proven_amplification(units as u32, pages as u32, held as u32);
                assert_eq!(found, best, "{units} units of {pages} pages, {held} held");
                proven += u32::from(best.is_some());
            }
        }
        assert!(proven > 200, "{proven}");
    }

    #[test]
    fn more_spare_flash_is_never_worse() {
        let found: Vec<_> = (600..1000)
            .map(|held| proven_amplification(1000, 8, held * 8).unwrap_or(f64::INFINITY))
            .collect();
        assert!(found.is_sorted());
    }
}
