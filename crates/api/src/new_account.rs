//! The fields of every form that makes an account: a registration, and joining a company.
use crate::error::FieldErrors;
use crate::form::ticked;
use crate::new_password::check_new_password;
use domain::{Country, Message, Password, Phone};

/// As they were entered.
pub(crate) struct NewAccountForm<'a> {
    pub(crate) password: &'a str,
    pub(crate) password2: &'a str,
    pub(crate) country: &'a str,
    pub(crate) phone: &'a str,
    pub(crate) terms: &'a str,
}

pub(crate) struct NewAccountValues {
    pub(crate) password: Password,
    pub(crate) country: Country,
    pub(crate) phone: Phone,
}

impl NewAccountForm<'_> {
    /// `None` if a field is invalid.
    pub(crate) fn check(&self, errors: &mut FieldErrors) -> Option<NewAccountValues> {
        let fields = ["password", "password2"];
        let password = check_new_password(fields, self.password, Some(self.password2), errors);
        let country = errors.check("country", self.country.parse::<Country>());
        let phone = match country {
            Some(country) => errors.check("phone", Phone::parse(self.phone, country)),
            // Without a country a phone number cannot be validated, but a missing one can be reported.
            None => {
                if self.phone.trim().is_empty() {
                    errors.add("phone", Message::Required);
                }
                None
            }
        };
        if !ticked(self.terms) {
            errors.add("terms", Message::TermsRequired);
        }
        Some(NewAccountValues {
            password: password?,
            country: country?,
            phone: phone?,
        })
    }
}
