//! GF(2^16) as pairs over GF(2^8): a = high Y + low with Y^2 + Y = nu.

use super::gf256::{inverse, multiply, product};
use crate::gf2m::Gf2m;

/// An element; byte 0 is the low half, byte 1 the high one.
pub(super) type Pair = [u8; 2];

/// The isomorphism with the field in its polynomial basis, and products of single elements.
#[derive(Debug, Clone)]
pub(super) struct Map {
    /// nu x for every x.
    pub(super) nu: [u8; 256],
    /// Elements in polynomial basis whose low (high) half is the index and whose other half is 0.
    to_polynomial: [[u16; 256]; 2],
    /// Pairs of the elements in polynomial basis whose low (high) byte is the index and whose other
    /// byte is 0.
    to_pair: [[Pair; 256]; 2],
}

impl Map {
    /// `field` must be GF(2^16).
    pub(super) fn new(field: &Gf2m) -> Map {
        debug_assert_eq!(field.degree(), 16);
        let subfield = subfield(field);
        // Without a root in GF(2^8), exactly what has trace 1 over GF(2), the polynomial has one in
        // GF(2^16) outside it.
        let has_root = |nu| (0..=255).any(|y| multiply(y, y) ^ y == nu);
        let nu = (1..=255).find(|&nu| !has_root(nu)).unwrap_or(1);
        let image = subfield[usize::from(nu)];
        let y = (0..=u16::MAX).find(|&y| field.square(y) ^ y == image).unwrap_or(0);
        let to_polynomial = [subfield, subfield.map(|x| field.mul(x, y))];
        let mut pairs = vec![[0u8; 2]; 1 << 16];
        for high in 0..=255u8 {
            for low in 0..=255u8 {
                let element = to_polynomial[0][usize::from(low)] ^ to_polynomial[1][usize::from(high)];
                pairs[usize::from(element)] = [low, high];
            }
        }
        let to_pair = [std::array::from_fn(|i| pairs[i]), std::array::from_fn(|i| pairs[i << 8])];
        Map { nu: std::array::from_fn(|x| multiply(x as u8, nu)), to_polynomial, to_pair }
    }

    #[inline(always)]
    pub(super) fn pair(&self, element: u16) -> Pair {
        let [low, high] = element.to_le_bytes();
        add(self.to_pair[0][usize::from(low)], self.to_pair[1][usize::from(high)])
    }

    #[inline(always)]
    pub(super) fn element(&self, [low, high]: Pair) -> u16 {
        self.to_polynomial[0][usize::from(low)] ^ self.to_polynomial[1][usize::from(high)]
    }

    #[inline(always)]
    pub(super) fn multiply(&self, a: Pair, b: Pair) -> Pair {
        let (low, high) = (product(a[0], b[0]), product(a[1], b[1]));
        [low ^ self.nu[usize::from(high)], low ^ product(a[0] ^ a[1], b[0] ^ b[1])]
    }

    #[inline(always)]
    pub(super) fn square(&self, [low, high]: Pair) -> Pair {
        let (low, high) = (product(low, low), product(high, high));
        [low ^ self.nu[usize::from(high)], high]
    }

    /// 1 / a for a other than 0: the conjugate over the norm.
    #[inline(always)]
    pub(super) fn inverse(&self, [low, high]: Pair) -> Pair {
        let norm = product(low, low ^ high) ^ self.nu[usize::from(product(high, high))];
        let factor = inverse(norm);
        [product(low ^ high, factor), product(high, factor)]
    }
}

#[inline(always)]
fn add(a: Pair, b: Pair) -> Pair {
    [a[0] ^ b[0], a[1] ^ b[1]]
}

/// The elements of GF(2^16) that behave as the 256 of the subfield do: alpha^257 generates its
/// group, and is sent to by an element with the same minimal polynomial.
fn subfield(field: &Gf2m) -> [u16; 256] {
    for generator in 2..=255u8 {
        let mut images = [0u16; 256];
        let mut element = 1u8;
        for i in 0..255 {
            images[usize::from(element)] = field.alpha_pow(257 * i);
            element = multiply(element, generator);
        }
        let is_additive = (0..256usize).all(|x| {
            let lowest = x & x.wrapping_neg();
            images[x] == images[lowest] ^ images[x ^ lowest]
        });
        // A generator of a smaller group leaves images 0.
        if is_additive && images[1..].iter().all(|&image| image != 0) {
            return images;
        }
    }
    [0; 256]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_the_same_field() {
        let field = Gf2m::new(16).unwrap();
        let map = Map::new(&field);
        let mut a = 1u16;
        for i in 0..=u16::MAX {
            assert_eq!(map.element(map.pair(i)), i);
            let b = i.wrapping_mul(40503) ^ 0x1d0f;
            assert_eq!(map.element(map.multiply(map.pair(a), map.pair(b))), field.mul(a, b));
            assert_eq!(map.element(map.square(map.pair(b))), field.square(b));
            assert_eq!(Some(map.element(map.inverse(map.pair(a)))), field.div(1, a));
            a = field.mul(a, 2);
        }
    }
}
