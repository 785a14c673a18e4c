//! The only table of what each access level allows.
use crate::names::variants;
use strum::{IntoStaticStr, VariantArray};

/// An account's relation to a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum AccessLevel {
    Owner,
    /// Household member with the owner's rights.
    Member,
    /// Household member who can only view.
    Look,
    Monitor,
    Configure,
    Service,
}

/// What an account may do with a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum Right {
    /// Live data, charts, energies, files, installed units and versions; own groups.
    View,
    /// Acknowledge an alarm.
    Acknowledge,
    /// Costs and savings.
    SeeMoney,
    SetMoney,
    SeeSettings,
    Configure,
    /// Change settings that concern the wiring of the house.
    SetWiring,
    /// See the last characters of the electricity provider's token, and set a new one.
    SetToken,
    Command,
    Restart,
    /// Start an update of its firmware.
    Update,
    /// Edit the customer, the site and the modules on the roof.
    Describe,
    /// See all journal entries; without it only one's own.
    WholeJournal,
    /// Give and end electricians' grants.
    ManageGrants,
    /// Hand over the system, and manage the members of the household.
    ManageHousehold,
    /// Commission the system, which ends in a protocol.
    Commission,
    /// Exchange the unit.
    Replace,
}

impl AccessLevel {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    pub const fn may(self, right: Right) -> bool {
        use Right as R;
        match self {
            // A restart needs a person who can inspect the unit on site, and commissioning a person who signs for it.
            Self::Owner => !matches!(right, R::Restart | R::Commission),
            // Only the owner decides which systems the household has.
            Self::Member => !matches!(
                right,
                R::Restart | R::Commission | R::ManageHousehold | R::Replace
            ),
            Self::Look => matches!(
                right,
                R::View | R::SeeMoney | R::SeeSettings | R::WholeJournal
            ),
            Self::Monitor => matches!(right, R::View | R::Acknowledge),
            Self::Configure => matches!(
                right,
                R::View | R::Acknowledge | R::SeeSettings | R::Configure | R::Describe
            ),
            Self::Service => matches!(
                right,
                R::View
                    | R::Acknowledge
                    | R::SeeSettings
                    | R::Configure
                    | R::Describe
                    | R::SetWiring
                    | R::Command
                    | R::Restart
                    | R::Update
                    | R::Commission
                    | R::Replace
            ),
        }
    }

    /// Whether the account belongs to the household.
    pub const fn is_household(self) -> bool {
        matches!(self, Self::Owner | Self::Member | Self::Look)
    }
}

impl Right {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_rights() {
        // o owner, h household member, l look, m monitor, c configure, s service
        let letters = "ohlmcs";
        let table = [
            (Right::View, "ohlmcs"),
            (Right::Acknowledge, "ohmcs"),
            (Right::SeeMoney, "ohl"),
            (Right::SetMoney, "oh"),
            (Right::SeeSettings, "ohlcs"),
            (Right::Configure, "ohcs"),
            (Right::SetWiring, "ohs"),
            (Right::SetToken, "oh"),
            (Right::Command, "ohs"),
            (Right::Restart, "s"),
            (Right::Update, "ohs"),
            (Right::Describe, "ohcs"),
            (Right::WholeJournal, "ohl"),
            (Right::ManageGrants, "oh"),
            (Right::ManageHousehold, "o"),
            (Right::Commission, "s"),
            (Right::Replace, "os"),
        ];
        assert_eq!(table.map(|(right, _)| right), Right::ALL);
        for (right, who) in table {
            for (letter, level) in letters.chars().zip(AccessLevel::ALL) {
                assert_eq!(
                    level.may(right),
                    who.contains(letter),
                    "{level:?} {right:?}"
                );
            }
        }
    }

    #[test]
    fn an_electricians_levels_build_on_each_other() {
        for right in Right::ALL {
            for (less, more) in [
                (AccessLevel::Monitor, AccessLevel::Configure),
                (AccessLevel::Configure, AccessLevel::Service),
            ] {
                assert!(!less.may(right) || more.may(right), "{less:?} {right:?}");
            }
        }
    }
}
