//! The finite fields GF(2^m), m = 3..=16, in polynomial basis.
//!
//! An element is a `u16` whose bit i is the coefficient of x^i. The field polynomial is the Conway
//! polynomial C(2, m) (F. Luebeck, "Conway polynomials for finite fields"); it is primitive, so
//! alpha = x = 2 generates the multiplicative group. Any other software that names its field
//! polynomial can reproduce our codes from [`conway_polynomial`].

use crate::ecc_error::EccError;

/// The smallest field degree offered.
pub const MIN_DEGREE: u32 = 3;
/// The largest field degree offered; its codewords hold up to 65535 bits.
pub const MAX_DEGREE: u32 = 16;

const CONWAY: [u32; 14] =
    [0xb, 0x13, 0x25, 0x5b, 0x83, 0x11d, 0x211, 0x46f, 0x805, 0x10eb, 0x201b, 0x40a9, 0x8035, 0x1002d];

/// The Conway polynomial of degree `m` over GF(2), bit i being the coefficient of x^i; `None`
/// outside 3..=16.
pub fn conway_polynomial(m: u32) -> Option<u32> {
    (MIN_DEGREE..=MAX_DEGREE).contains(&m).then(|| CONWAY[(m - MIN_DEGREE) as usize])
}

/// GF(2^m) with logarithm and antilogarithm tables.
#[derive(Debug, Clone)]
pub struct Gf2m {
    degree: u32,
    order: u32,
    log: Vec<u16>,
    /// exp[i] = alpha^i for 0 <= i < 2 * order, so that a sum of two logarithms needs no reduction.
    exp: Vec<u16>,
}

impl Gf2m {
    /// The field of 2^`degree` elements.
    ///
    /// # Errors
    /// [`EccError::Parameters`] unless 3 <= `degree` <= 16.
    pub fn new(degree: u32) -> Result<Gf2m, EccError> {
        let Some(polynomial) = conway_polynomial(degree) else {
            let reason = format!("the field GF(2^{degree}) is not offered, the degree must be 3 to 16");
            return Err(EccError::Parameters { code: "BCH", reason });
        };
        let order = (1u32 << degree) - 1;
        let mut log = vec![0u16; 1 << degree];
        let mut exp = vec![0u16; 2 * order as usize];
        let mut element = 1u32;
        for i in 0..order {
            log[element as usize] = i as u16;
            exp[i as usize] = element as u16;
            exp[(i + order) as usize] = element as u16;
            element <<= 1;
            if element > order {
                element ^= polynomial;
            }
        }
        Ok(Gf2m { degree, order, log, exp })
    }

    /// m, the degree of the extension.
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// 2^m - 1, the number of nonzero elements and the order of alpha.
    pub fn order(&self) -> u32 {
        self.order
    }

    /// alpha^`exponent`.
    #[inline]
    pub fn alpha_pow(&self, exponent: u64) -> u16 {
        self.exp[(exponent % u64::from(self.order)) as usize]
    }

    /// alpha^`exponent` for `exponent` < 2 * order.
    #[inline]
    pub(crate) fn alpha_pow_reduced(&self, exponent: u32) -> u16 {
        self.exp[exponent as usize]
    }

    /// The exponent e in 0..order with alpha^e = `a`; `None` for 0.
    #[inline]
    pub fn log(&self, a: u16) -> Option<u32> {
        (a != 0).then(|| u32::from(self.log[a as usize]))
    }

    /// The product a b.
    #[inline]
    pub fn mul(&self, a: u16, b: u16) -> u16 {
        if a == 0 || b == 0 {
            return 0;
        }
        self.exp[self.log[a as usize] as usize + self.log[b as usize] as usize]
    }

    /// a alpha^`exponent` for `exponent` < order.
    #[inline]
    pub(crate) fn mul_alpha_pow(&self, a: u16, exponent: u32) -> u16 {
        if a == 0 {
            return 0;
        }
        self.exp[self.log[a as usize] as usize + exponent as usize]
    }

    /// a squared.
    #[inline]
    pub fn square(&self, a: u16) -> u16 {
        self.mul(a, a)
    }

    /// a / b; `None` when b is 0.
    #[inline]
    pub fn div(&self, a: u16, b: u16) -> Option<u16> {
        let log_b = self.log(b)?;
        let Some(log_a) = self.log(a) else { return Some(0) };
        Some(self.exp[(log_a + self.order - log_b) as usize])
    }
}
