//! What the registries of axes share whose answer without a scheme is known.

/// Passes questions on to the scheme that is configured, by the registry's `ask!`; behind `=`
/// stands the answer without one.
macro_rules! pass_on {
    ($($(#[$meta:meta])* fn $name:ident(&self $(, $arg:ident: $ty:ty)*) $(-> $ret:ty)? = $otherwise:expr;)*) => {
        $($(#[$meta])*
        pub(crate) fn $name(&self $(, $arg: $ty)*) $(-> $ret)? {
            ask!(self, scheme => scheme.$name($($arg),*), $otherwise)
        })*
    };
}

/// As [`pass_on`], of questions that change the scheme.
macro_rules! pass_on_mut {
    ($($(#[$meta:meta])* fn $name:ident(&mut self $(, $arg:ident: $ty:ty)*) $(-> $ret:ty)? = $otherwise:expr;)*) => {
        $($(#[$meta])*
        pub(crate) fn $name(&mut self $(, $arg: $ty)*) $(-> $ret)? {
            ask!(self, scheme => scheme.$name($($arg),*), $otherwise)
        })*
    };
}
