//! The journal's events, each with its values. Names and values are stored and exported as written here. Apart from the names of
//! people in [`JournalEvent::EndUserNamed`], no value is personal, so an erasure only has to clear the account.

mod detail;
mod text;

pub use detail::{BlockOutcome, GrantDetail, NoticeRecord, PartUpdate, TariffPrices};

use crate::alarm::AlarmKind;
use crate::command::AnswerCode;
use crate::firmware::{Fault, Part, Version};
use crate::grant::GrantScope;
use crate::names::variants;
use crate::setting::{Field, SettingRefusal};
use crate::{CompanyRole, Currency, EventCode, Serial, SiteDay};
use detail::or_default;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use strum::{EnumDiscriminants, IntoStaticStr, VariantArray};

/// Kinds of entries, to filter by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum EntryKind {
    Settings,
    Command,
    /// Firmware updates.
    Update,
    /// What the battery did, and why.
    Battery,
    /// Who may see which system.
    Access,
    Account,
    Operator,
}

impl EntryKind {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// Defines the events by kind, with the stored name if it differs from the event's own. Old entries may lack a value, so every
/// field has a default.
macro_rules! events {
    ($($kind:ident {
        $(
            $(#[$about:meta])* $event:ident $(= $stored:tt)? $(($detail:ty))?
            $({ $($(#[$attribute:meta])* $field:ident: $type:ty),* $(,)? })?,
        )*
    })*) => {
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, EnumDiscriminants)]
        #[serde(tag = "event", content = "detail", rename_all = "snake_case")]
        #[strum_discriminants(name(JournalEventName), derive(IntoStaticStr, VariantArray))]
        #[strum_discriminants(strum(const_into_str, serialize_all = "snake_case"))]
        pub enum JournalEvent {
            $($(
                $(#[$about])*
                $(#[serde(rename = $stored)] #[strum_discriminants(strum(serialize = $stored))])?
                $event $(($detail))? $({
                    $($(#[$attribute])* #[serde(default, deserialize_with = "or_default")] $field: $type,)*
                })?,
            )*)*
        }

        impl JournalEventName {
            pub const fn kind(self) -> EntryKind {
                match self { $($(Self::$event)|* => EntryKind::$kind,)* }
            }
        }
    };
}

events! {
    Settings {
        CommissioningStarted,
        /// Abandoned before it was finished.
        CommissioningDropped,
        CommissioningFinished { protocol: i64 },
        /// A step was recorded: something was entered, or a check passed.
        CommissioningStepRecorded { step: String },
        /// Prices from a day on, and the prices that they replaced.
        TariffSet { from: Option<SiteDay>, to: Option<TariffPrices>, was: Option<TariffPrices> },
        /// Prices by the time of day.
        TimeOfUseSet { steps: usize },
        /// The values have the form of the settings document. Of a token, only whether there is one.
        SettingChanged { version: i64, field: Option<Field>, from: Value, to: Value },
        SettingsReset { version: i64 },
        /// Charging above 4.2 kW: the notice under §14a was acknowledged.
        NoticeAcknowledged { version: i64 },
        SettingsReported { version: i64 },
        SettingRefused { version: i64, field: Option<Field>, code: Option<SettingRefusal> },
        /// A charge target: a state of charge in % at a time of the site's clock.
        ChargeTargetSet = "plan_wished" { soc: i64, at: String },
        ChargeTargetDropped = "plan_wish_dropped",
        /// The plan lost money for 30 days, in cents.
        PlanTurnedOff { lost: Option<i64>, currency: Option<Currency> },
        /// A template of settings.
        TemplateCreated { template: i64 },
        TemplateChanged { template: i64, fields: Vec<String> },
        TemplateDeleted { template: i64 },
    }
    Command {
        CommandSent { command: String, args: Map<String, Value> },
        CommandDone { command: String, code: Option<AnswerCode> },
        CommandFailed { command: String, code: Option<AnswerCode> },
        CommandExpired { command: String },
    }
    Update {
        UpdateStarted { parts: Vec<PartUpdate> },
        UpdateCancelled,
        UpdateDone(PartUpdate),
        UpdateFailed { part: Option<Part>, version: Option<Version>, code: Option<Fault> },
        /// The battery sent no report for too long.
        UpdateInterrupted,
        /// The battery waited for too long to begin or to continue.
        UpdateExpired,
    }
    Battery {
        /// The battery reported an event, or why it acted.
        Battery { code: Option<EventCode>, on: bool, args: Value },
        PlanDone(BlockOutcome),
        /// The battery may stay empty for long.
        WeatherWarned(NoticeRecord),
        WeatherCame(NoticeRecord),
        WeatherWithdrawn(NoticeRecord),
        /// An alarm was acknowledged.
        AlarmAcknowledged { alarm: Option<AlarmKind> },
        AlarmCommented { alarm: Option<AlarmKind> },
        /// An alarm was dismissed.
        AlarmDismissed { alarm: Option<AlarmKind> },
    }
    Access {
        SystemLinked,
        SystemUnlinked,
        /// A person with the code from the box displaced an owner who had come by the main switch or a customer code: the entry
        /// for the former owner …
        SystemDisplaced,
        /// … and for the new owner.
        SystemTakenOver,
        ClaimStarted,
        ClaimContested,
        PartnerConsented { partner: String, scopes: String },
        PartnerEnded { partner: String },
        /// A partner's token or code was used a second time, so its token family was revoked.
        PartnerTokenReused { partner: String },
        /// An owner sent an invitation.
        GrantInvited(GrantDetail),
        GrantAsked { scope: Option<GrantScope> },
        /// The owner approved, confirmed, renewed or changed a grant.
        GrantGiven(GrantDetail),
        GrantAccepted(GrantDetail),
        /// By an installer code.
        GrantOpenedByCode = "grant_coded" (GrantDetail),
        /// The owner refused a request.
        GrantRefused(GrantDetail),
        /// An invitation was declined or withdrawn.
        GrantDeclined(GrantDetail),
        GrantEnded(GrantDetail),
        HandoverOffered,
        HandoverWithdrawn,
        HandedOver,
        /// The code by which the customer of a commissioning becomes the owner.
        CustomerCodeIssued,
        CustomerCodeWithdrawn,
        /// A change in an electrician's company. Without names, which would have to be erased with the account.
        CompanyMemberInvited { role: Option<CompanyRole> },
        CompanyInvitationWithdrawn,
        CompanyMemberJoined { role: Option<CompanyRole> },
        CompanyRoleChanged { role: Option<CompanyRole> },
        CompanyMemberRemoved,
        /// A unit was exchanged.
        UnitReplaced { old: Option<Serial>, new: Option<Serial> },
    }
    Account {
        Registered,
        /// Names are personal: they are erased when the household leaves.
        EndUserNamed { from: Option<String>, to: Option<String> },
        /// The site of a system, or the modules on its roof; which parts, but not their values.
        SiteChanged { changed: Vec<String> },
        PasswordChanged,
        EmailChanged,
        ProfileChanged { fields: Vec<String> },
        TotpEnabled,
        TotpDisabled,
        RecoveryCodeUsed { left: i64 },
        RecoveryCodesRenewed,
        PasskeyAdded,
        PasskeyRenamed,
        PasskeyRemoved,
        /// A passkey whose counter went back was refused: it may have been copied.
        PasskeyCounterWentBack,
        SessionReused,
        GroupCreated { group: i64 },
        GroupChanged { group: i64, fields: Vec<String> },
        GroupDeleted { group: i64 },
    }
    Operator {
        /// The operator removed the second factor of an account whose person had lost it.
        TotpReset,
        AccountLocked,
        AccountUnlocked,
        DeviceBlocked,
        DeviceUnblocked,
        /// A device got a new secret. `drop_old`: the old one was invalid at once.
        DeviceSecretRotated { drop_old: bool },
        /// A repaired unit reports again with a boot counter that started over.
        BootCounterRestarted,
        /// Not tied to a system, because owners must not see what happened before their time.
        DevicesImported { systems: Vec<Serial> },
        CodeIssued { kind: String, systems: Vec<Serial> },
        /// A partner app was registered, or its name or redirect addresses were changed.
        PartnerRegistered { partner: String, redirects: Vec<String> },
        SecretChanged,
        /// Tokens of older key versions are accepted for this many days.
        KeysRotated { version: i64, grace_days: i64 },
        /// A shared option was set or removed. Its value may contain a password.
        OptionSet { name: String, forgotten: bool },
        /// The key that releases have to be signed with from now on, and the one that it replaced.
        ReleaseKeyTrusted { key: String, was: Option<String> },
        /// Owners of units with certain firmware were mailed a security advisory.
        OwnersAdvised {
            part: Option<Part>,
            hardware: Option<String>,
            from: Option<Version>,
            fixed_in: Option<Version>,
            units: usize,
            owners: usize,
        },
        FleetBraked { reason: String },
        FleetReleased,
        FirmwarePublished { release: i64, part: Option<Part>, hardware: String, version: Option<Version> },
        /// A rollout was paused, resumed, withdrawn or stopped (`state`), or went to its next wave (`percent`).
        RolloutChanged = "firmware_moved" {
            release: i64,
            #[serde(skip_serializing_if = "Option::is_none")] state: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")] percent: Option<u64>,
            reason: Option<String>,
        },
    }
}

impl JournalEventName {
    pub const ALL: &[Self] = Self::VARIANTS;

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

impl JournalEvent {
    pub fn name(&self) -> &'static str {
        JournalEventName::from(self).as_str()
    }

    pub fn kind(&self) -> EntryKind {
        JournalEventName::from(self).kind()
    }

    /// The values as they are stored; null if there are none.
    pub fn detail(&self) -> Value {
        let mut stored = serde_json::to_value(self).expect("every key of its JSON is a text");
        stored["detail"].take()
    }

    /// A stored event. `None` if its name is unknown; values that are erased or unreadable are left empty.
    pub fn parse(name: &str, detail: &Value) -> Option<Self> {
        let read = |detail: &Value| Self::deserialize(json!({ "event": name, "detail": detail }));
        let stored = read(detail).or_else(|_| read(&json!({})));
        stored.or_else(|_| read(&Value::Null)).ok()
    }

    /// Whether it contains a price. Some readers see only that one was changed.
    pub fn is_about_money(&self) -> bool {
        match self {
            Self::TariffSet { .. } => true,
            Self::SettingChanged { field, .. } | Self::SettingRefused { field, .. } => {
                field.is_some_and(Field::is_money)
            }
            _ => false,
        }
    }

    /// The same event with its values left empty.
    pub fn without_detail(&self) -> Self {
        Self::parse(self.name(), &Value::Null).expect("its own name is known")
    }
}

#[cfg(test)]
mod tests;
