//! How little flash can be erased by codes that write cells several times, where every page of a
//! class is as likely to be written next.
//!
//! # The argument
//! A cell of q levels takes t writes only while they carry log2 C(t + q - 1, q - 1) bits together
//! (the sum capacity: Fiat, Shamir 1984; Fu, Han Vinck 1999). Of cells that are written t times at
//! one rate between two erases, a byte of data takes `flash` = t / R bytes, and a byte written has
//! `erased` = 1 / R of them erased. R is that number of bits over log2 q. Mixtures of cells reach
//! the convex hull of these points.
//!
//! Let `y` be the part of a class's pages that lie on cells of one kind, in the long run. Each write
//! hits a page of the class at random, so it takes pages from that kind in proportion to `y`. As
//! many have to be written there again, by the host or as moves. The class has `erased` of its hull
//! at the mean `flash` of its pages, at least, for each byte that the host writes to it. What all
//! classes take of the flash is at most the whole. The least sum is a linear program over the hulls,
//! and taking the steepest part of all hulls first solves it, since each hull is convex.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::SimError;

/// More writes between two erases than any class has with 1,000 bytes of flash for a byte of data.
const MOST_WRITES: u32 = 65_536;

/// Rounding that sums of shares are forgiven.
const ROUNDING: f64 = 1e-9;

/// Pages that are equally likely to be written next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Class {
    /// Part of the data that the drive holds.
    pub data: f64,
    /// Part of the bytes that the host writes.
    pub writes: f64,
}

/// What codes cannot go below.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Coded {
    /// Bytes of flash erased for a byte that the host writes.
    pub erased: f64,
    /// The part of each class, in the given order.
    pub classes: Vec<CodedClass>,
}

/// The part of a class in the placement of fewest erases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct CodedClass {
    /// Part of the data that the drive holds.
    pub data: f64,
    /// Part of the bytes that the host writes.
    pub writes: f64,
    /// Bytes of flash for a byte of data.
    pub flash: f64,
    /// Bytes of flash erased for a byte written to the class.
    pub erased: f64,
}

/// A corner of the hull: cells with a number of writes at one rate.
#[derive(Debug, Clone, Copy)]
struct Corner {
    /// Bytes of flash for a byte of data.
    flash: f64,
    /// Bytes erased for a byte written.
    erased: f64,
}

/// The corners of cells of `2^bits` levels, from one write on.
fn corners(bits: u8) -> Vec<Corner> {
    let levels = f64::from((1u32 << bits) - 1);
    let grows = |carried: &mut f64, writes: u32| {
        let writes = f64::from(writes);
        // The sum capacity, a write at a time.
        *carried += ((levels + writes) / writes).log2() / f64::from(bits);
        Some(Corner { flash: writes / *carried, erased: 1.0 / *carried })
    };
    (1..=MOST_WRITES).scan(0.0, grows).collect()
}

/// The least that codes erase on cells of `2^bits` levels, with `flash` bytes for a byte of data.
///
/// # Errors
/// Cells of other than 1 to 4 bits; less flash than data; shares that are negative, that do not add
/// up to 1, or a class that is written and holds nothing.
pub fn coded(bits: u8, flash: f64, classes: &[Class]) -> Result<Coded, SimError> {
    checked(bits, flash, classes)?;
    let corners = corners(bits);
    let dense = corners[0];
    let mut found: Vec<CodedClass> = classes
        .iter()
        .map(|&Class { data, writes }| CodedClass { data, writes, flash: dense.flash, erased: dense.erased })
        .collect();
    let mut left = flash - 1.0;
    let mut next = vec![1; classes.len()];
    while left > 0.0 {
        // What a byte of flash saves: the slope of the hull, by writes for a byte of data.
        let saves = |(index, class): (usize, &CodedClass)| {
            let to = *corners.get(next[index])?;
            let worth = class.data > 0.0 && class.writes > 0.0;
            let slope = (class.erased - to.erased) / (to.flash - class.flash);
            worth.then_some((slope * class.writes / class.data, index, to))
        };
        let best = found.iter().enumerate().filter_map(saves).max_by(|one, other| one.0.total_cmp(&other.0));
        let Some((_, index, to)) = best else { break };
        let class = &mut found[index];
        let needed = (to.flash - class.flash) * class.data;
        let part = (left / needed).min(1.0);
        class.flash += part * (to.flash - class.flash);
        class.erased += part * (to.erased - class.erased);
        left -= needed;
        next[index] += 1;
        if next[index] == corners.len() {
            let problem =
                format!("{flash} bytes of flash for a byte of data are more than the bound by codes goes to");
            return Err(SimError::Options(format!("{problem}; give less flash, or larger classes")));
        }
    }
    let erased = found.iter().map(|class| class.writes * class.erased).sum();
    Ok(Coded { erased, classes: found })
}

fn checked(bits: u8, flash: f64, classes: &[Class]) -> Result<(), SimError> {
    let sums = |of: fn(&Class) -> f64| (classes.iter().map(of).sum::<f64>() - 1.0).abs() <= ROUNDING;
    let sound =
        |class: &Class| class.data >= 0.0 && class.writes >= 0.0 && (class.data > 0.0 || class.writes == 0.0);
    let problem = if !(1..=4).contains(&bits) {
        format!("cells of {bits} bits have no bound by codes; give a drive with 1 to 4")
    } else if !(flash >= 1.0 && flash.is_finite()) {
        format!("{flash} bytes of flash hold no byte of data; give more flash")
    } else if !classes.iter().all(sound) {
        "a class has a negative part, or is written and holds nothing; give parts from 0 to 1".into()
    } else if !(sums(|class| class.data) && sums(|class| class.writes)) {
        "the parts of the classes do not add up to 1, by data and by writes; give all classes".into()
    } else {
        return Ok(());
    };
    Err(SimError::Options(problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIFORM: [Class; 1] = [Class { data: 1.0, writes: 1.0 }];
    const HOT_COLD: [Class; 2] = [Class { data: 0.1, writes: 0.9 }, Class { data: 0.9, writes: 0.1 }];

    fn erased(bits: u8, flash: f64, classes: &[Class]) -> f64 {
        coded(bits, flash, classes).expect("sound").erased
    }

    #[test]
    fn at_28_percent_of_spare_flash_the_bounds_are_those_worked_out_by_hand() {
        for (bits, uniform, hot_cold) in [(4, 0.383, 0.166), (3, 0.458, 0.214), (2, 0.545, 0.264)] {
            assert!((erased(bits, 1.28, &UNIFORM) - uniform).abs() < 5e-4, "{bits} bits, uniform");
            assert!((erased(bits, 1.28, &HOT_COLD) - hot_cold).abs() < 5e-4, "{bits} bits, hot and cold");
        }
        assert_eq!(erased(4, 1.0, &UNIFORM), 1.0);
    }

    /// All points of the hulls on a grid: no mixture of two classes within the flash erases less.
    #[test]
    fn no_mixture_of_two_classes_erases_less() {
        let on_hull = |all: &[Corner], flash: f64| {
            let to = all.iter().position(|corner| corner.flash >= flash).expect("grows").max(1);
            let (from, to) = (all[to - 1], all[to]);
            from.erased + (flash - from.flash) / (to.flash - from.flash) * (to.erased - from.erased)
        };
        for (bits, flash) in [(4, 1.28), (4, 2.14), (3, 1.5), (2, 1.07), (2, 1.75), (1, 1.4)] {
            let ([hot, cold], all) = (HOT_COLD, corners(bits));
            let most = (flash - cold.data) / hot.data;
            let least = (0..=2_000)
                .map(|step| 1.0 + (most - 1.0) * f64::from(step) / 2_000.0)
                .map(|of_hot| {
                    let of_cold = (flash - hot.data * of_hot) / cold.data;
                    hot.writes * on_hull(&all, of_hot) + cold.writes * on_hull(&all, of_cold.max(1.0))
                })
                .fold(f64::INFINITY, f64::min);
            let found = erased(bits, flash, &HOT_COLD);
            assert!(
                found <= least + 1e-9 && least - found < 1e-3,
                "{bits} bits at {flash}: {found}, {least}"
            );
        }
    }

    #[test]
    fn corners_are_those_of_the_sum_capacity() {
        for bits in 1..=4 {
            for (corner, writes) in corners(bits).iter().zip(1..40) {
                let carried =
                    rewear_codes::coset::capacity::bits_in_writes(bits, 0, writes) / f64::from(bits);
                assert!((corner.erased * carried - 1.0).abs() < 1e-9, "{bits} bits, {writes} writes");
                assert!((corner.flash * carried / f64::from(writes) - 1.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn classes_share_the_flash_and_the_rest_stays_dense() {
        let found = coded(4, 1.28, &[HOT_COLD[0], Class { data: 0.9, writes: 0.1 }]).expect("sound");
        let used: f64 = found.classes.iter().map(|class| class.data * class.flash).sum();
        assert!((used - 1.28).abs() < 1e-9);
        let idle = coded(4, 1.28, &[Class { data: 0.5, writes: 1.0 }, Class { data: 0.5, writes: 0.0 }]);
        let idle = idle.expect("sound");
        assert_eq!(idle.classes[1].flash, 1.0);
        // Splitting a class changes nothing.
        let halves = [Class { data: 0.5, writes: 0.5 }; 2];
        assert!((erased(3, 1.28, &halves) - erased(3, 1.28, &UNIFORM)).abs() < 1e-12);
    }

    /// Measured codes lie above: none erases less than the bound at the flash that it takes.
    #[test]
    fn no_measured_code_is_below() {
        for code in &rewear_codes::coset::measured::MEASURED {
            let found = erased(code.bits, 1.0 / code.rate, &UNIFORM);
            let of_code = 1.0 / (f64::from(code.writes) * code.rate);
            assert!(of_code >= found - 1e-9, "{code:?}: {of_code} below {found}");
        }
    }

    #[test]
    fn impossible_questions_are_refused() {
        let half = Class { data: 0.5, writes: 0.5 };
        for (bits, flash, classes) in [
            (5, 1.28, UNIFORM.to_vec()),
            (4, 0.9, UNIFORM.to_vec()),
            (4, f64::NAN, UNIFORM.to_vec()),
            (4, 1.28, vec![half]),
            (4, 1.28, vec![half, Class { data: 0.0, writes: 0.5 }, half]),
            (4, 1.28, vec![Class { data: 1.5, writes: 0.5 }, Class { data: -0.5, writes: 0.5 }]),
            (4, 1.28, vec![]),
        ] {
            assert!(matches!(coded(bits, flash, &classes), Err(SimError::Options(_))), "{bits} {flash}");
        }
        assert!(matches!(coded(4, 1e9, &UNIFORM), Err(SimError::Options(_))), "no end");
    }
}
