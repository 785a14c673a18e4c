//! The five flag sets of a report as objects of booleans, under the names that `domain::flags` gives them.
use domain::flags::{MESSAGE1, MESSAGE2, MESSAGE3, MESSAGE5, MESSAGE6};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

macro_rules! flag_set {
    ($(#[$doc:meta])* $set:ident, $names:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $set(pub(crate) u16);

        impl Serialize for $set {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(Some($names.len()))?;
                for (place, name) in $names.iter().enumerate() {
                    map.serialize_entry(name, &(self.0 >> place & 1 == 1))?;
                }
                map.end()
            }
        }

        impl PartialSchema for $set {
            fn schema() -> RefOr<Schema> {
                let flag = || ObjectBuilder::new().schema_type(Type::Boolean);
                let set = $names.iter().fold(ObjectBuilder::new(), |set, name| {
                    set.property(*name, flag()).required(*name)
                });
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
        let set = Message1(bit(MESSAGE1, "wait60"));
        let want = json!({ "sm2": false, "wait60": true, "sm_test": false });
        assert_eq!(serde_json::to_value(set).unwrap(), want);
        let none = serde_json::to_value(Message3::default()).unwrap();
        let none = none.as_object().unwrap();
        assert_eq!(none.len(), MESSAGE3.len());
        assert!(none.values().all(|flag| flag == false));
    }
}
