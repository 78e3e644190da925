//! Instruction sets, chosen once at run time.
//!
//! The search of coset codes is compiled twice: for the baseline of the target and for AVX2. An
//! [`Isa`] can only be obtained by asking the processor, so holding one is proof that its
//! instructions exist.

/// An instruction set this processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isa(pub(crate) Level);

/// The levels kernels are compiled for, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Isa {
    /// Portable 64-bit code, present everywhere.
    pub const PORTABLE: Isa = Isa(Level::Portable);

    /// The widest instruction set of this processor.
    pub fn best() -> Isa {
        #[cfg(target_arch = "x86_64")]
        if has_avx2() {
            return Isa(Level::Avx2);
        }
        Isa::PORTABLE
    }

    /// Every instruction set of this processor, weakest first.
    pub fn available() -> Vec<Isa> {
        let mut found = vec![Isa::PORTABLE, Isa::best()];
        found.dedup();
        found
    }

    /// The name for reports: `portable` or `avx2`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}
