//! Fields of characteristic 2.

use rewear_codes::gf2m::{Gf2m, MAX_DEGREE, MIN_DEGREE, conway_polynomial};

fn mul_bitwise(a: u16, b: u16, polynomial: u32, degree: u32) -> u16 {
    let mut product = 0u32;
    for i in (0..degree).rev() {
        product <<= 1;
        if product >> degree & 1 == 1 {
            product ^= polynomial;
        }
        if b >> i & 1 == 1 {
            product ^= u32::from(a);
        }
    }
    product as u16
}

#[test]
fn every_polynomial_is_primitive() {
    for m in MIN_DEGREE..=MAX_DEGREE {
        let field = Gf2m::new(m).unwrap();
        let mut seen = vec![false; 1 << m];
        for i in 0..field.order() {
            let element = field.alpha_pow(u64::from(i)) as usize;
            assert!(!std::mem::replace(&mut seen[element], true), "m = {m}: alpha^{i} repeats");
        }
    }
}

#[test]
fn table_products_match_shift_and_add() {
    for m in MIN_DEGREE..=8 {
        let field = Gf2m::new(m).unwrap();
        let polynomial = conway_polynomial(m).unwrap();
        for a in 0..=field.order() as u16 {
            for b in 0..=field.order() as u16 {
                let product = field.mul(a, b);
                assert_eq!(product, mul_bitwise(a, b, polynomial, m));
                if b != 0 {
                    assert_eq!(field.div(product, b), Some(a));
                }
            }
        }
    }
}

#[test]
fn other_degrees_are_refused() {
    assert!(Gf2m::new(2).is_err() && Gf2m::new(17).is_err());
}
