//! The one table of what each kind of access allows.

/// What an account is to a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Owner,
    /// Of the household, with the owner's rights.
    Member,
    /// Of the household, to look only.
    Look,
    Monitor,
    Configure,
    Service,
}

/// What somebody wants to do with a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Live data, charts, energies, files, what is installed; own groups.
    Look,
    /// Say that one has seen an alarm and takes care.
    Acknowledge,
    /// What it costs and saves.
    SeeMoney,
    SetMoney,
    SeeSettings,
    Configure,
    /// Settings that concern the wiring of the house.
    Wire,
    /// The electricity provider's token: its end, and a new one.
    Token,
    Command,
    Restart,
    /// Start an update of its firmware.
    Update,
    /// Say who lives with it, where it stands, and which modules are on the roof.
    Describe,
    /// What everybody did; without it only what one did oneself.
    WholeJournal,
    /// Let electricians in, and shut them out.
    Give,
    /// Give the system away, and say who belongs to the household.
    Part,
    /// Bring it into service, which ends in a protocol.
    Commission,
    /// Put another unit in its place.
    Replace,
}

impl Level {
    pub const ALL: [Self; 6] = [
        Self::Owner,
        Self::Member,
        Self::Look,
        Self::Monitor,
        Self::Configure,
        Self::Service,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Member => "member",
            Self::Look => "look",
            Self::Monitor => "monitor",
            Self::Configure => "configure",
            Self::Service => "service",
        }
    }

    pub const fn may(self, right: Right) -> bool {
        use Right as R;
        match self {
            // Whoever restarts a unit should stand where it can be looked at, and whoever commissions one signs for it.
            Self::Owner => !matches!(right, R::Restart | R::Commission),
            // Which systems the household has is the owner's to say.
            Self::Member => !matches!(right, R::Restart | R::Commission | R::Part | R::Replace),
            Self::Look => matches!(
                right,
                R::Look | R::SeeMoney | R::SeeSettings | R::WholeJournal
            ),
            Self::Monitor => matches!(right, R::Look | R::Acknowledge),
            Self::Configure => matches!(
                right,
                R::Look | R::Acknowledge | R::SeeSettings | R::Configure | R::Describe
            ),
            Self::Service => matches!(
                right,
                R::Look
                    | R::Acknowledge
                    | R::SeeSettings
                    | R::Configure
                    | R::Describe
                    | R::Wire
                    | R::Command
                    | R::Restart
                    | R::Update
                    | R::Commission
                    | R::Replace
            ),
        }
    }

    /// Whether they live there.
    pub const fn is_household(self) -> bool {
        matches!(self, Self::Owner | Self::Member | Self::Look)
    }
}

impl Right {
    pub const ALL: [Self; 17] = [
        Self::Look,
        Self::Acknowledge,
        Self::SeeMoney,
        Self::SetMoney,
        Self::SeeSettings,
        Self::Configure,
        Self::Wire,
        Self::Token,
        Self::Command,
        Self::Restart,
        Self::Update,
        Self::Describe,
        Self::WholeJournal,
        Self::Give,
        Self::Part,
        Self::Commission,
        Self::Replace,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_rights() {
        // o owner, h household member, l look, m monitor, c configure, s service
        let letters = "ohlmcs";
        let table = [
            (Right::Look, "ohlmcs"),
            (Right::Acknowledge, "ohmcs"),
            (Right::SeeMoney, "ohl"),
            (Right::SetMoney, "oh"),
            (Right::SeeSettings, "ohlcs"),
            (Right::Configure, "ohcs"),
            (Right::Wire, "ohs"),
            (Right::Token, "oh"),
            (Right::Command, "ohs"),
            (Right::Restart, "s"),
            (Right::Update, "ohs"),
            (Right::Describe, "ohcs"),
            (Right::WholeJournal, "ohl"),
            (Right::Give, "oh"),
            (Right::Part, "o"),
            (Right::Commission, "s"),
            (Right::Replace, "os"),
        ];
        assert_eq!(table.map(|(right, _)| right), Right::ALL);
        for (right, who) in table {
            for (letter, level) in letters.chars().zip(Level::ALL) {
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
                (Level::Monitor, Level::Configure),
                (Level::Configure, Level::Service),
            ] {
                assert!(!less.may(right) || more.may(right), "{less:?} {right:?}");
            }
        }
    }
}
