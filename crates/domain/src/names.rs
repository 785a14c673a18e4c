//! Shared code of enums with derived names. The names are stored and sent, so a renamed variant keeps its old name by
//! `#[strum(serialize = "…")]`.
use strum::VariantArray;

/// All variants, in the order of the enum.
pub const fn variants<T: VariantArray + Copy, const N: usize>() -> [T; N] {
    *T::VARIANTS
        .as_array()
        .expect("N is the number of variants, or it does not compile")
}

/// None of the known names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("unknown name")]
pub struct UnknownName;

/// The error of an enum that does not say which name is unknown.
pub(crate) fn unknown<E: Default>(_: &str) -> E {
    E::default()
}
