//! The five flag sets of a report as objects of booleans, with the names from `domain::flags`.
use domain::flags::{MESSAGE1, MESSAGE2, MESSAGE3, MESSAGE5, MESSAGE6};
use serde::Deserialize;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// Which flags of a set are included: `all`, each with true or false, or only those that are `set`, which halves an answer for
/// thousands of systems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NamedFlags {
    #[default]
    All,
    Set,
}

macro_rules! flag_set {
    ($(#[$doc:meta])* $set:ident, $names:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $set {
            pub(crate) flags: u16,
            pub(crate) named: NamedFlags,
        }

        impl From<u16> for $set {
            fn from(flags: u16) -> Self {
                Self { flags, named: NamedFlags::All }
            }
        }

        impl Serialize for $set {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                for (place, name) in $names.iter().enumerate() {
                    let set = self.flags >> place & 1 == 1;
                    if set || self.named == NamedFlags::All {
                        map.serialize_entry(name, &set)?;
                    }
                }
                map.end()
            }
        }

        impl PartialSchema for $set {
            fn schema() -> RefOr<Schema> {
                let flag = || ObjectBuilder::new().schema_type(Type::Boolean);
                let set = ObjectBuilder::new();
                let set = $names.iter().fold(set, |set, name| set.property(*name, flag()));
                set.into()
            }
        }

        impl ToSchema for $set {
            fn name() -> Cow<'static, str> {
                stringify!($set).into()
            }
        }
    };
}

flag_set!(Message1, MESSAGE1);
flag_set!(Message2, MESSAGE2);
flag_set!(Message3, MESSAGE3);
flag_set!(Message5, MESSAGE5);
flag_set!(Message6, MESSAGE6);

#[cfg(test)]
mod tests {
    use super::*;
    use domain::flags::bit;
    use serde_json::json;

    #[test]
    fn each_flag_has_its_name_and_missing_sets_are_all_false() {
        let set = Message1::from(bit(MESSAGE1, "wait60"));
        let want = json!({ "sm2": false, "wait60": true, "sm_test": false });
        assert_eq!(serde_json::to_value(set).unwrap(), want);
        let none = serde_json::to_value(Message3::default()).unwrap();
        let none = none.as_object().unwrap();
        assert_eq!(none.len(), MESSAGE3.len());
        assert!(none.values().all(|flag| flag == false));
    }

    #[test]
    fn only_the_set_ones_are_named_where_that_is_asked_for() {
        let set = Message1 {
            flags: bit(MESSAGE1, "wait60"),
            named: NamedFlags::Set,
        };
        let want = json!({ "wait60": true });
        assert_eq!(serde_json::to_value(set).unwrap(), want);
    }
}
