//! Events that reports show as they are counted: a line each, and no other edit but the one that
//! raises it.
//!
//! A line becomes a counter, its sum over the parts of a drive, a number of the report with its place
//! in the schema, and an entry in the book of figures. Its doc comment says what it counts and is the
//! figure's sentence. Tables have a row where the line has a title; which way is good stands behind it.

use schemars::JsonSchema;
use serde::Serialize;

/// Which way is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Less.
    Lower,
    /// More.
    Higher,
    /// Neither.
    Neither,
}

macro_rules! events {
    ($($(#[doc = $doc:literal])* $name:ident $(: $title:literal, $better:ident)?;)*) => {
        /// Events since the last reset.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
        pub struct Events {
            $($(#[doc = $doc])* pub $name: u64,)*
        }

        impl Events {
            /// Key, title and direction of those that tables show, in the order of their rows.
            pub const TITLED: &[(&str, &str, Better)] =
                &[$($((stringify!($name), $title, Better::$better),)?)*];
        }
    };
}

events! {
    /// Host writes answered by an invalid page with the same content.
    writes_recycled: "writes without a program", Neither;
    /// Host writes answered by sharing a valid page with the same content.
    writes_deduplicated: "writes that share a page", Neither;
    /// Host writes that were never programmed, because their page was written again or trimmed in
    /// the write buffer.
    writes_absorbed: "writes absorbed by the buffer", Neither;
    /// Host writes by the overwrite command that came to the flash, on a drive that makes use of
    /// it.
    overwrites;
    /// Host reads answered from the write buffer.
    reads_from_buffer: "reads from the buffer", Neither;
}
