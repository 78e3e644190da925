//! The registry of an axis or of a group of policies: the list of its schemes. The table of
//! the configuration and the scheme of a drive are made from it.

/// Makes two enums of a list: the table of the configuration, and the scheme of a drive. Schemes are
/// `bare` or have parameters; `without` stands for none. A name in the configuration is that of the
/// variant unless another stands behind `=`.
///
/// Makes macros as well, by which the file of the list asks whatever is configured, with a
/// predictable branch instead of a virtual call. Behind the last comma stands the answer without a
/// scheme, where a list has `without`:
///
/// - `ask!(scheme, it => it.question(), otherwise)` asks the scheme of a drive.
/// - `of!(config, Kind, config => Kind::question(config), otherwise)` asks its type.
/// - `make!(config, Kind, config => Kind::new(config))` makes the scheme of a configuration.
macro_rules! registry {
    (
        $(#[$config_meta:meta])* $Config:ident, default $default:ident;
        $(#[$scheme_meta:meta])* $vis:vis enum $Scheme:ident;
        $(without { $(#[doc = $none_doc:literal])* $none:ident $(= $none_name:literal)?; })?
        $(bare { $($(#[doc = $bare_doc:literal])* $bare:ident $(= $bare_name:literal)? => $bare_scheme:ty;)* })?
        with_parameters {
            $($(#[doc = $doc:literal])* $(#[serde($serde:ident)])? $name:ident($config:ty) => $scheme:ty;)*
        }
    ) => {
        $(#[$config_meta])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
        pub enum $Config {
            $($(#[doc = $none_doc])* $(#[serde(rename = $none_name)])? $none {},)?
            $($($(#[doc = $bare_doc])* $(#[serde(rename = $bare_name)])? $bare {},)*)?
            $($(#[doc = $doc])* $(#[serde($serde)])? $name($config),)*
        }

        impl Default for $Config {
            fn default() -> Self {
                $Config::$default {}
            }
        }

        $(#[$scheme_meta])*
        #[derive(Debug, Clone)]
        $vis enum $Scheme {
            $($(#[doc = $none_doc])* $none,)?
            $($($(#[doc = $bare_doc])* $bare($bare_scheme),)*)?
            $($(#[doc = $doc])* $name(Box<$scheme>),)*
        }

        /// What [`pass_on`] asks.
        #[allow(dead_code)]
        impl $Scheme {
            #[inline(always)]
            fn scheme(&self) -> &$Scheme {
                self
            }

            #[inline(always)]
            fn scheme_mut(&mut self) -> &mut $Scheme {
                self
            }
        }

        #[allow(unused_macros)]
        macro_rules! ask {
            ($asked:expr, $called:ident => $call:expr) => {
                match $asked {
                    $($($Scheme::$bare($called) => $call,)*)?
                    $($Scheme::$name($called) => $call,)*
                }
            };
            ($asked:expr, $called:ident => $call:expr, $otherwise:expr) => {
                match $asked {
                    $($Scheme::$none => $otherwise,)?
                    $($($Scheme::$bare($called) => $call,)*)?
                    $($Scheme::$name($called) => $call,)*
                }
            };
        }

        #[allow(unused_macros)]
        macro_rules! of {
            ($asked:expr, $Kind:ident, $called:ident => $call:expr) => {
                match $asked {
                    $($($Config::$bare {} => {
                        type $Kind = $bare_scheme;
                        let $called = &();
                        $call
                    })*)?
                    $($Config::$name($called) => {
                        type $Kind = $scheme;
                        $call
                    })*
                }
            };
            ($asked:expr, $Kind:ident, $called:ident => $call:expr, $otherwise:expr) => {
                match $asked {
                    $($Config::$none {} => $otherwise,)?
                    $($($Config::$bare {} => {
                        type $Kind = $bare_scheme;
                        let $called = &();
                        $call
                    })*)?
                    $($Config::$name($called) => {
                        type $Kind = $scheme;
                        $call
                    })*
                }
            };
        }

        macro_rules! make {
            ($asked:expr, $Kind:ident, $called:ident => $made:expr) => {
                match $asked {
                    $($Config::$none {} => $Scheme::$none,)?
                    $($($Config::$bare {} => {
                        type $Kind = $bare_scheme;
                        let $called = &();
                        $Scheme::$bare($made)
                    })*)?
                    $($Config::$name($called) => {
                        type $Kind = $scheme;
                        $Scheme::$name(Box::new($made))
                    })*
                }
            };
        }
    };
}

/// Passes questions on to the scheme that is configured; behind `=` stands the answer without one.
macro_rules! pass_on {
    ($($(#[$meta:meta])* $vis:vis fn $name:ident(&self $(, $arg:ident: $ty:ty)*) $(-> $ret:ty)? $(= $otherwise:expr)?;)*) => {
        $($(#[$meta])*
        $vis fn $name(&self $(, $arg: $ty)*) $(-> $ret)? {
            ask!(self.scheme(), scheme => scheme.$name($($arg),*) $(, $otherwise)?)
        })*
    };
}

/// As [`pass_on`], of questions that change the scheme.
macro_rules! pass_on_mut {
    ($($(#[$meta:meta])* $vis:vis fn $name:ident(&mut self $(, $arg:ident: $ty:ty)*) $(-> $ret:ty)? $(= $otherwise:expr)?;)*) => {
        $($(#[$meta])*
        $vis fn $name(&mut self $(, $arg: $ty)*) $(-> $ret)? {
            ask!(self.scheme_mut(), scheme => scheme.$name($($arg),*) $(, $otherwise)?)
        })*
    };
}
