//! The events that journal entries are about.
use domain::names::variants;
use strum::{EnumString, IntoStaticStr, VariantArray};

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

macro_rules! events {
    ($($kind:ident { $($(#[$attribute:meta])* $event:ident,)* })*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
        #[strum(const_into_str, serialize_all = "snake_case")]
        pub enum JournalEvent { $($($(#[$attribute])* $event,)*)* }

        impl JournalEvent {
            pub(super) const ALL: &[Self] = Self::VARIANTS;

            pub(super) const fn kind(self) -> EntryKind {
                match self { $($(Self::$event)|* => EntryKind::$kind,)* }
            }

            pub const fn as_str(self) -> &'static str {
                self.into_str()
            }
        }
    };
}

// The events of each kind.
events! {
    Settings {
        CommissioningStarted,
        /// Abandoned before it was finished.
        CommissioningDropped,
        CommissioningFinished,
        TariffSet,
        /// Prices by the time of day.
        TimeOfUseSet,
        SettingChanged,
        SettingsReset,
        /// Charging above 4.2 kW: the notice under §14a was acknowledged.
        NoticeAcknowledged,
        SettingsReported,
        SettingRefused,
        /// A state of charge that is wanted at a time.
        #[strum(serialize = "plan_wished")]
        ChargeTargetSet,
        #[strum(serialize = "plan_wish_dropped")]
        ChargeTargetDropped,
        /// The plan lost money for 30 days.
        PlanTurnedOff,
    }
    Command {
        CommandSent,
        CommandDone,
        CommandFailed,
        CommandExpired,
    }
    Update {
        UpdateStarted,
        UpdateCancelled,
        UpdateDone,
        UpdateFailed,
        /// The battery sent no report for too long.
        UpdateInterrupted,
        /// The battery waited for too long to begin or to continue.
        UpdateExpired,
    }
    Battery {
        /// The battery reported what happened, or why it acted.
        Battery,
        /// A block of the plan is over; with its result.
        PlanDone,
        /// The battery may stay empty for long.
        WeatherWarned,
        WeatherCame,
        WeatherWithdrawn,
        /// Somebody has seen an alarm and takes care of it.
        AlarmAcknowledged,
    }
    Access {
        SystemLinked,
        SystemUnlinked,
        /// A person with the code displaced an owner who had claimed the system by the main switch: the entry for the former owner …
        SystemDisplaced,
        /// … and for the new owner.
        SystemTakenOver,
        ClaimStarted,
        ClaimContested,
        PartnerConsented,
        PartnerEnded,
        /// A partner's token or code was used a second time, so its token family was revoked.
        PartnerTokenReused,
        /// An owner invited somebody.
        GrantInvited,
        GrantAsked,
        /// The owner approved, confirmed, renewed or changed a grant.
        GrantGiven,
        GrantAccepted,
        /// By an installer code.
        #[strum(serialize = "grant_coded")]
        GrantOpenedByCode,
        /// The owner refused a request.
        GrantRefused,
        /// An invitation was declined or withdrawn.
        GrantDeclined,
        GrantEnded,
        HandoverOffered,
        HandoverWithdrawn,
        HandedOver,
        /// A unit was exchanged.
        UnitReplaced,
    }
    Account {
        Registered,
        EndUserNamed,
        /// The site of a system, or the modules on its roof.
        SiteChanged,
        PasswordChanged,
        EmailChanged,
        ProfileChanged,
        TotpEnabled,
        TotpDisabled,
        RecoveryCodeUsed,
        RecoveryCodesRenewed,
        SessionReused,
        GroupCreated,
        GroupChanged,
        GroupDeleted,
    }
    Operator {
        /// The operator removed the second factor of an account whose person had lost it.
        TotpReset,
        AccountLocked,
        AccountUnlocked,
        FleetBraked,
        FleetReleased,
        FirmwarePublished,
        /// A rollout was paused, resumed, withdrawn or stopped automatically.
        #[strum(serialize = "firmware_moved")]
        RolloutChanged,
    }
}

/// The names of all events.
pub fn event_names() -> impl Iterator<Item = &'static str> {
    JournalEvent::ALL.iter().map(|event| event.as_str())
}
