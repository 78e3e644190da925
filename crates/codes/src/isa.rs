//! Instruction sets, chosen once at run time.
//!
//! Hot loops are compiled several times: once for the baseline of the target and once for each wider
//! instruction set of x86-64. An [`Isa`] can only be obtained by asking the processor, so holding
//! one is proof that its instructions exist.

/// An instruction set this processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isa(pub(crate) Level);

/// The levels kernels are compiled for, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Isa {
    /// Whether this processor has AVX2 and carry-less multiplication, and `self` allows them.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn has_avx2(self) -> bool {
        self.0 != Level::Portable
    }

    /// Portable 64-bit code, present everywhere.
    pub const PORTABLE: Isa = Isa(Level::Portable);

    /// The widest instruction set of this processor.
    pub fn best() -> Isa {
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx512() {
                return Isa(Level::Avx512);
            }
            if has_avx2() {
                return Isa(Level::Avx2);
            }
        }
        Isa::PORTABLE
    }

    /// Every instruction set of this processor, weakest first.
    pub fn available() -> Vec<Isa> {
        #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
        let mut found = vec![Isa::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx2() {
                found.push(Isa(Level::Avx2));
            }
            if has_avx512() {
                found.push(Isa(Level::Avx512));
            }
        }
        found
    }

    /// The name for reports: `portable`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("pclmulqdq")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}
