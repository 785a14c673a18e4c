//! A new password, which is typed twice.
use crate::error::FieldErrors;
use domain::{Message, Password};

/// `fields` are the form's names of the password and of its repetition.
pub(crate) fn check_new_password(
    fields: [&'static str; 2],
    password: &str,
    repeated: Option<&str>,
    errors: &mut FieldErrors,
) -> Option<Password> {
    let [first, second] = fields;
    if repeated != Some(password) {
        errors.add(second, Message::PasswordsDiffer);
    }
    errors.check(first, Password::parse(password))
}
