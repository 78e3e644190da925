//! GF(2^8) modulo x^8 + x^4 + x^3 + x + 1, the field whose products GFNI has an instruction for.

/// The coefficients of the field polynomial below x^8.
pub(super) const POLYNOMIAL: u8 = 0x1b;
/// 3 generates the multiplicative group.
const GENERATOR: u8 = 3;

/// a b.
pub(super) const fn multiply(a: u8, b: u8) -> u8 {
    let (mut product, mut shifted, mut i) = (0, a, 0);
    while i < 8 {
        if b >> i & 1 == 1 {
            product ^= shifted;
        }
        shifted = (shifted << 1) ^ ((shifted >> 7) * POLYNOMIAL);
        i += 1;
    }
    product
}

/// LOG[a] for a > 0, base [`GENERATOR`].
static LOG: [u8; 256] = tables().0;
/// EXP[i] = GENERATOR^i for i up to the sum of two logarithms.
static EXP: [u8; 510] = tables().1;

const fn tables() -> ([u8; 256], [u8; 510]) {
    let (mut log, mut exp) = ([0; 256], [0; 510]);
    let (mut element, mut i) = (1, 0);
    while i < 255 {
        log[element as usize] = i as u8;
        (exp[i], exp[i + 255]) = (element, element);
        element = multiply(element, GENERATOR);
        i += 1;
    }
    (log, exp)
}

/// a b by logarithms.
#[inline(always)]
pub(super) fn product(a: u8, b: u8) -> u8 {
    let product = EXP[usize::from(LOG[a as usize]) + usize::from(LOG[b as usize])];
    if a == 0 || b == 0 { 0 } else { product }
}

/// 1 / a for a > 0.
#[inline(always)]
pub(super) fn inverse(a: u8) -> u8 {
    EXP[255 - usize::from(LOG[a as usize])]
}

/// Element number i of the field in a Cantor basis: the sum of the v_k over the bits k of i, with
/// v_0 = 1 and v_k^2 + v_k = v_(k-1) (D. Cantor, "On arithmetical algorithms over finite fields",
/// J. Comb. Theory A 50(2), 1989).
pub(super) fn cantor_elements() -> [u8; 256] {
    let mut elements = [0u8; 256];
    let mut basis = 1;
    for k in 0..8 {
        for i in 0..1 << k {
            elements[i + (1 << k)] = elements[i] ^ basis;
        }
        // Both roots do. The last v_7 has trace 1, so there is none after it, and none is needed.
        basis = (0..=255).find(|&a| multiply(a, a) ^ a == basis).unwrap_or(0);
    }
    elements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_multiply_as_the_polynomials_do() {
        for a in 0..=255u8 {
            for b in 0..=255 {
                assert_eq!(product(a, b), multiply(a, b));
            }
            assert!(a == 0 || product(a, inverse(a)) == 1);
        }
    }

    #[test]
    fn the_cantor_basis_spans_the_field() {
        let mut seen = cantor_elements();
        for i in 0..128 {
            let double = seen[2 * i];
            assert_eq!(multiply(double, double) ^ double, seen[i], "{i}");
        }
        seen.sort_unstable();
        assert!((0..=255).eq(seen));
    }
}
