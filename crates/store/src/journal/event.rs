//! What a line of the journal can be about.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Registered,
    SystemLinked,
    SystemUnlinked,
    /// Somebody with the code took the place of an owner who came by switch: the line of the one who left …
    SystemDisplaced,
    /// … and of the one who came.
    SystemTakenOver,
    EndUserNamed,
    /// Where a system stands, or the modules on its roof.
    SiteChanged,
    ClaimStarted,
    ClaimContested,
    PasswordChanged,
    EmailChanged,
    ProfileChanged,
    TotpEnabled,
    TotpDisabled,
    RecoveryCodeUsed,
    RecoveryCodesRenewed,
    SessionReused,
    /// The operator took the second factor from an account whose person lost it.
    TotpReset,
    AccountLocked,
    AccountUnlocked,
    PartnerConsented,
    PartnerEnded,
    /// A token or code of a partner came a second time: its family was ended.
    PartnerTokenReused,
    /// Somebody is offered access.
    GrantInvited,
    GrantAsked,
    /// The owner approves, confirms, renews or changes it.
    GrantGiven,
    GrantAccepted,
    /// By an installer code.
    GrantCoded,
    /// The owner does not want what was asked for.
    GrantRefused,
    /// An invitation was declined or withdrawn.
    GrantDeclined,
    GrantEnded,
    HandoverOffered,
    HandoverWithdrawn,
    HandedOver,
    /// Another unit took the place of one.
    UnitReplaced,
    CommissioningStarted,
    /// Given up before it was finished.
    CommissioningDropped,
    CommissioningFinished,
    GroupCreated,
    GroupChanged,
    GroupDeleted,
    TariffSet,
    /// Prices by the time of day.
    TimeOfUseSet,
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
    /// So much is wanted in the store at a time.
    PlanWished,
    PlanWishDropped,
    /// It lost money for 30 days.
    PlanTurnedOff,
    /// A block of the plan is over, with what came of it.
    PlanDone,
    /// The battery may stay empty for long.
    WeatherWarned,
    WeatherCame,
    WeatherWithdrawn,
    /// Somebody has seen an alarm and takes care.
    AlarmAcknowledged,
    UpdateStarted,
    UpdateCancelled,
    UpdateDone,
    UpdateFailed,
    /// The battery said nothing for too long.
    UpdateInterrupted,
    /// It waited for too long to begin or to go on.
    UpdateExpired,
    FleetBraked,
    FleetReleased,
    FirmwarePublished,
    /// A roll-out was paused, resumed or withdrawn, or it stopped by itself.
    FirmwareMoved,
}

/// What a line is about, for whoever looks for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Settings,
    Command,
    /// Of firmware.
    Update,
    /// What the battery did, and why.
    Battery,
    /// Who may see which system.
    Access,
    Account,
    Operator,
}

impl Kind {
    pub const ALL: [Self; 7] = [
        Self::Settings,
        Self::Command,
        Self::Update,
        Self::Battery,
        Self::Access,
        Self::Account,
        Self::Operator,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Command => "command",
            Self::Update => "update",
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
        Self::SystemDisplaced,
        Self::SystemTakenOver,
        Self::EndUserNamed,
        Self::SiteChanged,
        Self::ClaimStarted,
        Self::ClaimContested,
        Self::PasswordChanged,
        Self::EmailChanged,
        Self::ProfileChanged,
        Self::TotpEnabled,
        Self::TotpDisabled,
        Self::RecoveryCodeUsed,
        Self::RecoveryCodesRenewed,
        Self::SessionReused,
        Self::TotpReset,
        Self::AccountLocked,
        Self::AccountUnlocked,
        Self::PartnerConsented,
        Self::PartnerEnded,
        Self::PartnerTokenReused,
        Self::GrantInvited,
        Self::GrantAsked,
        Self::GrantGiven,
        Self::GrantAccepted,
        Self::GrantCoded,
        Self::GrantRefused,
        Self::GrantDeclined,
        Self::GrantEnded,
        Self::HandoverOffered,
        Self::HandoverWithdrawn,
        Self::HandedOver,
        Self::UnitReplaced,
        Self::CommissioningStarted,
        Self::CommissioningDropped,
        Self::CommissioningFinished,
        Self::GroupCreated,
        Self::GroupChanged,
        Self::GroupDeleted,
        Self::TariffSet,
        Self::TimeOfUseSet,
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
        Self::PlanWished,
        Self::PlanWishDropped,
        Self::PlanTurnedOff,
        Self::PlanDone,
        Self::WeatherWarned,
        Self::WeatherCame,
        Self::WeatherWithdrawn,
        Self::AlarmAcknowledged,
        Self::UpdateStarted,
        Self::UpdateCancelled,
        Self::UpdateDone,
        Self::UpdateFailed,
        Self::UpdateInterrupted,
        Self::UpdateExpired,
        Self::FleetBraked,
        Self::FleetReleased,
        Self::FirmwarePublished,
        Self::FirmwareMoved,
    ];

    pub(super) const fn kind(self) -> Kind {
        match self {
            Self::TariffSet
            | Self::TimeOfUseSet
            | Self::SettingChanged
            | Self::SettingsReset
            | Self::NoticeAcknowledged
            | Self::SettingsReported
            | Self::SettingRefused
            | Self::CommissioningStarted
            | Self::CommissioningDropped
            | Self::CommissioningFinished
            | Self::PlanWished
            | Self::PlanWishDropped
            | Self::PlanTurnedOff => Kind::Settings,
            Self::CommandSent | Self::CommandDone | Self::CommandFailed | Self::CommandExpired => {
                Kind::Command
            }
            Self::UpdateStarted
            | Self::UpdateCancelled
            | Self::UpdateDone
            | Self::UpdateFailed
            | Self::UpdateInterrupted
            | Self::UpdateExpired => Kind::Update,
            Self::Battery
            | Self::PlanDone
            | Self::WeatherWarned
            | Self::WeatherCame
            | Self::WeatherWithdrawn
            | Self::AlarmAcknowledged => Kind::Battery,
            Self::SystemLinked
            | Self::SystemUnlinked
            | Self::SystemDisplaced
            | Self::SystemTakenOver
            | Self::ClaimStarted
            | Self::ClaimContested
            | Self::PartnerConsented
            | Self::PartnerEnded
            | Self::PartnerTokenReused
            | Self::GrantInvited
            | Self::GrantAsked
            | Self::GrantGiven
            | Self::GrantAccepted
            | Self::GrantCoded
            | Self::GrantRefused
            | Self::GrantDeclined
            | Self::GrantEnded
            | Self::HandoverOffered
            | Self::HandoverWithdrawn
            | Self::HandedOver
            | Self::UnitReplaced => Kind::Access,
            Self::Registered
            | Self::EndUserNamed
            | Self::SiteChanged
            | Self::GroupCreated
            | Self::GroupChanged
            | Self::GroupDeleted
            | Self::PasswordChanged
            | Self::EmailChanged
            | Self::ProfileChanged
            | Self::TotpEnabled
            | Self::TotpDisabled
            | Self::RecoveryCodeUsed
            | Self::RecoveryCodesRenewed
            | Self::SessionReused => Kind::Account,
            Self::TotpReset
            | Self::AccountLocked
            | Self::AccountUnlocked
            | Self::FleetBraked
            | Self::FleetReleased
            | Self::FirmwarePublished
            | Self::FirmwareMoved => Kind::Operator,
        }
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::SystemLinked => "system_linked",
            Self::SystemUnlinked => "system_unlinked",
            Self::SystemDisplaced => "system_displaced",
            Self::SystemTakenOver => "system_taken_over",
            Self::EndUserNamed => "end_user_named",
            Self::SiteChanged => "site_changed",
            Self::ClaimStarted => "claim_started",
            Self::ClaimContested => "claim_contested",
            Self::PasswordChanged => "password_changed",
            Self::EmailChanged => "email_changed",
            Self::ProfileChanged => "profile_changed",
            Self::TotpEnabled => "totp_enabled",
            Self::TotpDisabled => "totp_disabled",
            Self::RecoveryCodeUsed => "recovery_code_used",
            Self::RecoveryCodesRenewed => "recovery_codes_renewed",
            Self::SessionReused => "session_reused",
            Self::TotpReset => "totp_reset",
            Self::AccountLocked => "account_locked",
            Self::AccountUnlocked => "account_unlocked",
            Self::PartnerConsented => "partner_consented",
            Self::PartnerEnded => "partner_ended",
            Self::PartnerTokenReused => "partner_token_reused",
            Self::GrantInvited => "grant_invited",
            Self::GrantAsked => "grant_asked",
            Self::GrantGiven => "grant_given",
            Self::GrantAccepted => "grant_accepted",
            Self::GrantCoded => "grant_coded",
            Self::GrantRefused => "grant_refused",
            Self::GrantDeclined => "grant_declined",
            Self::GrantEnded => "grant_ended",
            Self::HandoverOffered => "handover_offered",
            Self::HandoverWithdrawn => "handover_withdrawn",
            Self::HandedOver => "handed_over",
            Self::UnitReplaced => "unit_replaced",
            Self::CommissioningStarted => "commissioning_started",
            Self::CommissioningDropped => "commissioning_dropped",
            Self::CommissioningFinished => "commissioning_finished",
            Self::GroupCreated => "group_created",
            Self::GroupChanged => "group_changed",
            Self::GroupDeleted => "group_deleted",
            Self::TariffSet => "tariff_set",
            Self::TimeOfUseSet => "time_of_use_set",
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
            Self::PlanWished => "plan_wished",
            Self::PlanWishDropped => "plan_wish_dropped",
            Self::PlanTurnedOff => "plan_turned_off",
            Self::PlanDone => "plan_done",
            Self::WeatherWarned => "weather_warned",
            Self::WeatherCame => "weather_came",
            Self::WeatherWithdrawn => "weather_withdrawn",
            Self::AlarmAcknowledged => "alarm_acknowledged",
            Self::UpdateStarted => "update_started",
            Self::UpdateCancelled => "update_cancelled",
            Self::UpdateDone => "update_done",
            Self::UpdateFailed => "update_failed",
            Self::UpdateInterrupted => "update_interrupted",
            Self::UpdateExpired => "update_expired",
            Self::FleetBraked => "fleet_braked",
            Self::FleetReleased => "fleet_released",
            Self::FirmwarePublished => "firmware_published",
            Self::FirmwareMoved => "firmware_moved",
        }
    }
}

/// The names of everything that a line can be about.
pub fn events() -> impl Iterator<Item = &'static str> {
    Event::ALL.iter().map(|event| event.as_str())
}
