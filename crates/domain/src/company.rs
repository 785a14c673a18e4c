//! Companies of electricians: their members, and the only table of what each role may do.
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

/// How long the link of an invitation is valid.
pub const COMPANY_INVITATION_TTL: Millis = 7 * DAY;

/// How many people a company may have, invited ones included.
pub const MAX_COMPANY_MEMBERS: usize = 200;

/// The role of a member in a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = Message, parse_err_fn = Message::invalid_choice)]
pub enum CompanyRole {
    /// Manages the company and its members. Each company has at least one.
    Owner,
    /// Manages grants, customers, settings and alarms from the office.
    Office,
    /// Works on the systems on site.
    Technician,
}

/// What a member may do for the company, apart from working on systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanyRight {
    /// See, invite and remove members, change their roles and the company's name, and export its data.
    ManageCompany,
    /// Request access from owners, accept their invitations, and end grants.
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

    /// The member's access level to a system that the company has this level for. Service is only for members who know the unit.
    pub const fn level(self, granted: AccessLevel) -> AccessLevel {
        match (self, granted) {
            (Self::Office, AccessLevel::Service) => AccessLevel::Configure,
            _ => granted,
        }
    }
}

/// A person's membership in a company.
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
