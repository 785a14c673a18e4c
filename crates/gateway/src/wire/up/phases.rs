//! Values of up to three phases.
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A missing value was not measured.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Phases(pub(super) [Option<f64>; 3]);

impl<'de> Deserialize<'de> for Phases {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PhasesVisitor;
        impl<'de> Visitor<'de> for PhasesVisitor {
            type Value = Phases;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("at most three numbers")
            }

            fn visit_unit<E>(self) -> Result<Phases, E> {
                Ok(Phases::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Phases, A::Error> {
                let mut phases = Phases::default();
                for phase in &mut phases.0 {
                    match numbers.next_element()? {
                        Some(number) => *phase = number,
                        None => return Ok(phases),
                    }
                }
                // serde_json reports a fourth number as an error.
                Ok(phases)
            }
        }
        deserializer.deserialize_any(PhasesVisitor)
    }
}
