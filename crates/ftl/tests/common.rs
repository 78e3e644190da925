//! What the drives of these tests have in common.

use rewear_flash::timing::TimingConfig;

/// Times of one kind of page; an erase takes 1 us. A channel of 0 MB/s takes no time.
pub(crate) fn timing(read_ns: u64, program_ns: u64, channel_mb_per_s: u32) -> TimingConfig {
    TimingConfig { read_ns: vec![read_ns], program_ns: vec![program_ns], erase_ns: 1000, channel_mb_per_s }
}
