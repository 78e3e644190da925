//! The recyclable probability of an invalid page: equations 1 to 4 of the paper, and the finitely
//! many values they take.

/// Accesses and versions are told apart up to this value (4 bits each).
pub const MOST: u8 = 15;

/// Equation 1: the popularity of a page that was accessed `accesses` times before it became
/// invalid.
pub fn popularity(growth: f64, accesses: u8) -> f64 {
    (1.0 + growth).powi(i32::from(accesses.min(MOST)))
}

/// Equation 2: the probability of a page that has just become invalid.
pub fn initial_probability(growth: f64, accesses: u8) -> f64 {
    (popularity(growth, accesses) - 1.0) / (popularity(growth, MOST) - 1.0)
}

/// Equation 3: the version of the page at a position (from 0) of the list of invalid pages of its
/// logical page.
pub fn version(position: u32) -> u8 {
    MOST - position.min(u32::from(MOST)) as u8
}

/// Equation 4: the probability of an invalid page.
pub fn probability(growth: f64, decay: f64, accesses: u8, version: u8) -> f64 {
    initial_probability(growth, accesses) * (1.0 - decay).powi(i32::from(MOST - version))
}

/// The rank of a probability among all that can be, from 0 for impossible. At most 241 differ: 15
/// counts of accesses above 0 by 16 versions, and 0.
pub type Class = u8;

/// All values of equation 4, in order.
#[derive(Debug, Clone)]
pub struct Classes {
    of: [[Class; 16]; 16],
    /// By class, in units of 1 / [`ONE_PAGE`](crate::state::content_score::ONE_PAGE).
    scaled: Vec<u64>,
}

impl Classes {
    /// Tabulates the equation.
    pub fn new(growth: f64, decay: f64) -> Classes {
        let value = |accesses: u8, version: u8| probability(growth, decay, accesses, version);
        let mut values: Vec<f64> =
            (0..=MOST).flat_map(|accesses| (0..=MOST).map(move |version| value(accesses, version))).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let mut of = [[0; 16]; 16];
        for (accesses, row) in (0u8..).zip(&mut of) {
            for (version, class) in (0u8..).zip(row) {
                *class = values.partition_point(|&other| other < value(accesses, version)) as Class;
            }
        }
        let one = crate::state::content_score::ONE_PAGE as f64;
        Classes { of, scaled: values.iter().map(|value| (value * one) as u64).collect() }
    }

    /// Number of classes.
    pub fn count(&self) -> usize {
        self.scaled.len()
    }

    /// The class of a page with these accesses and this version.
    #[inline]
    pub fn of(&self, accesses: u8, version: u8) -> Class {
        self.of[usize::from(accesses & 15)][usize::from(version & 15)]
    }

    /// The probability of a class, in units of 1 /
    /// [`ONE_PAGE`](crate::state::content_score::ONE_PAGE).
    #[inline]
    pub fn scaled(&self, class: Class) -> u64 {
        self.scaled[usize::from(class)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_equations_give_the_values_worked_out_by_hand() {
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        close(popularity(0.1, 0), 1.0);
        close(popularity(0.1, 3), 1.331);
        close(popularity(0.1, 200), popularity(0.1, 15));
        close(initial_probability(0.1, 0), 0.0);
        close(initial_probability(0.1, 15), 1.0);
        // 1.1^15 = 4.177248169415651.
        close(initial_probability(0.1, 3), 0.331 / 3.177_248_169_415_651);
        assert_eq!([version(0), version(3), version(14), version(15), version(99)], [15, 12, 1, 0, 0]);
        close(probability(0.15, 0.2, 15, 15), 1.0);
        close(probability(0.15, 0.2, 15, 12), 0.512);
        close(probability(0.1, 0.15, 3, 13), 0.331 / 3.177_248_169_415_651 * 0.7225);
    }

    #[test]
    fn classes_are_ordered_as_their_probabilities() {
        for (growth, decay) in [(0.1, 0.15), (0.15, 0.2), (0.12, 0.0), (10.0, 0.999)] {
            let classes = Classes::new(growth, decay);
            assert!(classes.count() <= 241);
            let all = || (0..16u8).flat_map(|accesses| (0..16u8).map(move |version| (accesses, version)));
            for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
                let value = |(accesses, version)| probability(growth, decay, accesses, version);
                let expected = value(a).total_cmp(&value(b));
                assert_eq!(classes.of(a.0, a.1).cmp(&classes.of(b.0, b.1)), expected);
            }
            let at = classes.scaled(classes.of(15, 15));
            assert_eq!(at, crate::state::content_score::ONE_PAGE);
            assert_eq!(classes.scaled(classes.of(0, 15)), 0);
        }
    }
}
