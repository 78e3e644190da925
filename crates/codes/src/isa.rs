//! Instruction sets, chosen once at run time.
//!
//! Hot loops are written as portable 64-bit code and compiled several times: once for the baseline
//! of the target and once for each wider instruction set of x86-64. There the compiler turns the
//! same loop into vector code. An [`Isa`] can only be obtained by asking the processor, so holding
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

/// A piece of work that is compiled once for every instruction set.
///
/// `run` must be `#[inline(always)]`, as must everything in it that should become vector code.
pub(crate) trait Kernel {
    /// What the work returns.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;
}

impl Isa {
    /// Runs `kernel` compiled for this instruction set.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn avx2<K: Kernel>(kernel: K) -> K::Output {
            kernel.run()
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn avx512<K: Kernel>(kernel: K) -> K::Output {
            kernel.run()
        }
        match self.0 {
            Level::Portable => kernel.run(),
            // SAFETY: an `Isa` of this level exists only where the processor has these features.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512(kernel) },
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

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}
