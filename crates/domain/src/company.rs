//! Companies of electricians: who works there, and the only table of what each role may do.
use crate::Message;
use crate::clock::{DAY, Millis};
use crate::grant::AccessLevel;
use crate::names::variants;
use std::fmt;
use strum::{EnumString, IntoStaticStr, VariantArray};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CompanyId(pub i64);

impl fmt::Display for CompanyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How long the link of an invitation works.
pub const COMPANY_INVITATION_TTL: Millis = 7 * DAY;

/// How many people a company may have, invited ones included.
pub const MAX_COMPANY_MEMBERS: usize = 200;

/// What somebody does in a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = Message, parse_err_fn = Message::invalid_choice)]
pub enum CompanyRole {
    /// Decides about the company and its people. Each company has at least one.
    Owner,
    /// Grants, customers, settings and alarms, from the desk.
    Office,
    /// The systems, on site.
    Technician,
}

/// What somebody may do for a company, beside working at systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanyRight {
    /// See, invite and remove members, change their roles, change the company's name, and take its data away.
    ManageCompany,
    /// Ask owners for access, accept their invitations, and end grants.
    ManageAccess,
}

impl CompanyRole {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    pub const fn may(self, right: CompanyRight) -> bool {
        match right {
            CompanyRight::ManageCompany => matches!(self, Self::Owner),
            CompanyRight::ManageAccess => matches!(self, Self::Owner | Self::Office),
        }
    }

    /// What its person is to a system that the company was given this access to. Service needs somebody who knows the unit.
    pub const fn level(self, granted: AccessLevel) -> AccessLevel {
        match (self, granted) {
            (Self::Office, AccessLevel::Service) => AccessLevel::Configure,
            _ => granted,
        }
    }
}

/// Somebody's place in a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    pub company: CompanyId,
    pub role: CompanyRole,
}

#[cfg(test)]
mod tests {
    use super::*;
    use CompanyRole::{Office, Owner, Technician};

    #[test]
    fn the_table_of_roles() {
        for (right, roles) in [
            (CompanyRight::ManageCompany, &[Owner][..]),
            (CompanyRight::ManageAccess, &[Owner, Office]),
        ] {
            for role in CompanyRole::ALL {
                assert_eq!(role.may(right), roles.contains(&role), "{role:?} {right:?}");
            }
        }
    }

    #[test]
    fn nobody_gets_more_than_the_company_was_given() {
        use AccessLevel::{Configure, Monitor, Service};
        for granted in [Monitor, Configure, Service] {
            assert_eq!(Owner.level(granted), granted);
            assert_eq!(Technician.level(granted), granted);
        }
        assert_eq!(
            [Monitor, Configure, Service].map(|granted| Office.level(granted)),
            [Monitor, Configure, Configure]
        );
    }
}
