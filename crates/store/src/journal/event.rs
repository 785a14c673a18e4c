//! What a line of the journal can be about.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Registered,
    SystemLinked,
    SystemUnlinked,
    EndUserNamed,
    ClaimStarted,
    ClaimContested,
    PasswordChanged,
    EmailChanged,
    ProfileChanged,
    SessionReused,
    AccountLocked,
    AccountUnlocked,
    PartnerConsented,
    PartnerEnded,
    GroupCreated,
    GroupChanged,
    GroupDeleted,
    TariffSet,
    SettingChanged,
    SettingsReset,
    /// Charging above 4.2 kW: the notice under §14a was acknowledged.
    NoticeAcknowledged,
    SettingsReported,
    SettingRefused,
    CommandSent,
    CommandDone,
    CommandFailed,
    CommandExpired,
    /// The battery says what happened, or why it acted.
    Battery,
    FleetBraked,
    FleetReleased,
}

/// What a line is about, for whoever looks for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Settings,
    Command,
    /// What the battery did, and why.
    Battery,
    /// Who may see which system.
    Access,
    Account,
    Operator,
}

impl Kind {
    pub const ALL: [Self; 6] = [
        Self::Settings,
        Self::Command,
        Self::Battery,
        Self::Access,
        Self::Account,
        Self::Operator,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Command => "command",
            Self::Battery => "battery",
            Self::Access => "access",
            Self::Account => "account",
            Self::Operator => "operator",
        }
    }
}

impl Event {
    pub(super) const ALL: &[Self] = &[
        Self::Registered,
        Self::SystemLinked,
        Self::SystemUnlinked,
        Self::EndUserNamed,
        Self::ClaimStarted,
        Self::ClaimContested,
        Self::PasswordChanged,
        Self::EmailChanged,
        Self::ProfileChanged,
        Self::SessionReused,
        Self::AccountLocked,
        Self::AccountUnlocked,
        Self::PartnerConsented,
        Self::PartnerEnded,
        Self::GroupCreated,
        Self::GroupChanged,
        Self::GroupDeleted,
        Self::TariffSet,
        Self::SettingChanged,
        Self::SettingsReset,
        Self::NoticeAcknowledged,
        Self::SettingsReported,
        Self::SettingRefused,
        Self::CommandSent,
        Self::CommandDone,
        Self::CommandFailed,
        Self::CommandExpired,
        Self::Battery,
        Self::FleetBraked,
        Self::FleetReleased,
    ];

    pub(super) const fn kind(self) -> Kind {
        match self {
            Self::TariffSet
            | Self::SettingChanged
            | Self::SettingsReset
            | Self::NoticeAcknowledged
            | Self::SettingsReported
            | Self::SettingRefused => Kind::Settings,
            Self::CommandSent | Self::CommandDone | Self::CommandFailed | Self::CommandExpired => {
                Kind::Command
            }
            Self::Battery => Kind::Battery,
            Self::SystemLinked
            | Self::SystemUnlinked
            | Self::ClaimStarted
            | Self::ClaimContested
            | Self::PartnerConsented
            | Self::PartnerEnded => Kind::Access,
            Self::Registered
            | Self::EndUserNamed
            | Self::GroupCreated
            | Self::GroupChanged
            | Self::GroupDeleted
            | Self::PasswordChanged
            | Self::EmailChanged
            | Self::ProfileChanged
            | Self::SessionReused => Kind::Account,
            Self::AccountLocked
            | Self::AccountUnlocked
            | Self::FleetBraked
            | Self::FleetReleased => Kind::Operator,
        }
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::SystemLinked => "system_linked",
            Self::SystemUnlinked => "system_unlinked",
            Self::EndUserNamed => "end_user_named",
            Self::ClaimStarted => "claim_started",
            Self::ClaimContested => "claim_contested",
            Self::PasswordChanged => "password_changed",
            Self::EmailChanged => "email_changed",
            Self::ProfileChanged => "profile_changed",
            Self::SessionReused => "session_reused",
            Self::AccountLocked => "account_locked",
            Self::AccountUnlocked => "account_unlocked",
            Self::PartnerConsented => "partner_consented",
            Self::PartnerEnded => "partner_ended",
            Self::GroupCreated => "group_created",
            Self::GroupChanged => "group_changed",
            Self::GroupDeleted => "group_deleted",
            Self::TariffSet => "tariff_set",
            Self::SettingChanged => "setting_changed",
            Self::SettingsReset => "settings_reset",
            Self::NoticeAcknowledged => "notice_acknowledged",
            Self::SettingsReported => "settings_reported",
            Self::SettingRefused => "setting_refused",
            Self::CommandSent => "command_sent",
            Self::CommandDone => "command_done",
            Self::CommandFailed => "command_failed",
            Self::CommandExpired => "command_expired",
            Self::Battery => "battery",
            Self::FleetBraked => "fleet_braked",
            Self::FleetReleased => "fleet_released",
        }
    }
}

/// The names of everything that a line can be about.
pub fn events() -> impl Iterator<Item = &'static str> {
    Event::ALL.iter().map(|event| event.as_str())
}
