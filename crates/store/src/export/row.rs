//! The rows of an export, one kind for each table; secrets and numbers of ours are left out.
use domain::clock::Millis;

#[derive(Debug)]
pub(super) struct SystemRow {
    pub(super) sn: String,
    pub(super) phase: i64,
    pub(super) master_version: Option<String>,
    pub(super) gateway_version: Option<String>,
    pub(super) slave_version: Option<String>,
    pub(super) first_name: Option<String>,
    pub(super) last_name: Option<String>,
    pub(super) linked_at: Option<Millis>,
    pub(super) linked_by: Option<String>,
    pub(super) time_zone: String,
    pub(super) zone_said: bool,
    pub(super) place: Option<String>,
    pub(super) latitude: Option<i64>,
    pub(super) longitude: Option<i64>,
    pub(super) planes: String,
    pub(super) hardware: Option<String>,
    pub(super) capacity: Option<i64>,
    pub(super) charge_max: Option<i64>,
    pub(super) discharge_max: Option<i64>,
    pub(super) history_from: Millis,
    pub(super) unit: i64,
    pub(super) retired_at: Option<Millis>,
    pub(super) update_needs_off: bool,
}
row!(SystemRow {
    sn,
    phase,
    master_version,
    gateway_version,
    slave_version,
    first_name,
    last_name,
    linked_at,
    linked_by,
    time_zone,
    zone_said,
    place,
    latitude,
    longitude,
    planes,
    hardware,
    capacity,
    charge_max,
    discharge_max,
    history_from,
    unit,
    retired_at,
    update_needs_off
});

#[derive(Debug)]
pub(super) struct TotpRow {
    pub(super) created_at: Millis,
    pub(super) since: Option<Millis>,
}
row!(TotpRow { created_at, since });

#[derive(Debug)]
pub(super) struct RecoveryCodeRow {
    pub(super) created_at: Millis,
    pub(super) used_at: Option<Millis>,
}
row!(RecoveryCodeRow {
    created_at,
    used_at
});

#[derive(Debug)]
pub(super) struct SessionRow {
    pub(super) kind: String,
    pub(super) created_at: Millis,
    pub(super) used_at: Millis,
    pub(super) ended_at: Option<Millis>,
}
row!(SessionRow {
    kind,
    created_at,
    used_at,
    ended_at
});

#[derive(Debug)]
pub(super) struct ClaimRow {
    pub(super) sn: String,
    pub(super) state: String,
    pub(super) created_at: Millis,
    pub(super) expires_at: Millis,
}
row!(ClaimRow {
    sn,
    state,
    created_at,
    expires_at
});

#[derive(Debug)]
pub(super) struct LinkRow {
    pub(super) kind: String,
    pub(super) email: Option<String>,
    pub(super) expires_at: Millis,
}
row!(LinkRow {
    kind,
    email,
    expires_at
});

#[derive(Debug)]
pub(super) struct GroupRow {
    pub(super) name: String,
    pub(super) created_at: Millis,
}
row!(GroupRow { name, created_at });

#[derive(Debug)]
pub(super) struct MemberRow {
    pub(super) name: String,
    pub(super) sn: String,
}
row!(MemberRow { name, sn });

#[derive(Debug)]
pub(super) struct TariffRow {
    pub(super) sn: String,
    pub(super) from_day: i64,
    pub(super) import_price: i64,
    pub(super) feed_in_price: i64,
}
row!(TariffRow {
    sn,
    from_day,
    import_price,
    feed_in_price
});

#[derive(Debug)]
pub(super) struct PresenceRow {
    pub(super) sn: String,
    pub(super) online: bool,
    pub(super) since: Millis,
}
row!(PresenceRow { sn, online, since });

#[derive(Debug)]
pub(super) struct EventRow {
    pub(super) sn: String,
    pub(super) at: Option<Millis>,
    pub(super) received_at: Millis,
    pub(super) code: String,
    pub(super) begins: bool,
    pub(super) args: Option<String>,
}
row!(EventRow {
    sn,
    at,
    received_at,
    code,
    begins,
    args
});

#[derive(Debug)]
pub(super) struct SettingsRow {
    pub(super) sn: String,
    pub(super) version: i64,
    pub(super) desired: Option<String>,
    pub(super) changed_at: Option<Millis>,
    pub(super) held_version: i64,
    pub(super) reported_version: i64,
    pub(super) reported: Option<String>,
    pub(super) refused: Option<String>,
    pub(super) reported_at: Option<Millis>,
    pub(super) acknowledged_at: Option<Millis>,
    pub(super) grid_limit: Option<i64>,
    pub(super) grid_limit_at: Option<Millis>,
}
row!(SettingsRow {
    sn,
    version,
    desired,
    changed_at,
    held_version,
    reported_version,
    reported,
    refused,
    reported_at,
    acknowledged_at,
    grid_limit,
    grid_limit_at
});

#[derive(Debug)]
pub(super) struct CommandRow {
    pub(super) sn: String,
    pub(super) command: String,
    pub(super) args: String,
    pub(super) state: String,
    pub(super) created_at: Millis,
    pub(super) expires_at: Millis,
    pub(super) sent_at: Option<Millis>,
    pub(super) ended_at: Option<Millis>,
    pub(super) code: Option<String>,
    pub(super) data: Option<String>,
}
row!(CommandRow {
    sn,
    command,
    args,
    state,
    created_at,
    expires_at,
    sent_at,
    ended_at,
    code,
    data
});

#[derive(Debug)]
pub(super) struct UpdateRow {
    pub(super) sn: String,
    pub(super) state: String,
    pub(super) created_at: Millis,
    pub(super) heard_at: Option<Millis>,
    pub(super) ended_at: Option<Millis>,
}
row!(UpdateRow {
    sn,
    state,
    created_at,
    heard_at,
    ended_at
});

#[derive(Debug)]
pub(super) struct UpdatePartRow {
    pub(super) sn: String,
    pub(super) part: String,
    pub(super) from_version: String,
    pub(super) version: String,
    pub(super) stage: String,
    pub(super) progress: i64,
    pub(super) fault: Option<String>,
    pub(super) ended_at: Option<Millis>,
}
row!(UpdatePartRow {
    sn,
    part,
    from_version,
    version,
    stage,
    progress,
    fault,
    ended_at
});

#[derive(Debug)]
pub(super) struct GrantRow {
    pub(super) sn: String,
    pub(super) email: Option<String>,
    pub(super) scope: String,
    pub(super) state: String,
    pub(super) origin: String,
    pub(super) created_at: Millis,
    pub(super) since: Option<Millis>,
    pub(super) until: Option<Millis>,
}
row!(GrantRow {
    sn,
    email,
    scope,
    state,
    origin,
    created_at,
    since,
    until
});

#[derive(Debug)]
pub(super) struct HandoverRow {
    pub(super) sn: String,
    pub(super) email: String,
    pub(super) created_at: Millis,
    pub(super) until: Millis,
}
row!(HandoverRow {
    sn,
    email,
    created_at,
    until
});

#[derive(Debug)]
pub(super) struct HiddenRow {
    pub(super) sn: String,
    pub(super) received_at: Millis,
    pub(super) payload: String,
}
row!(HiddenRow {
    sn,
    received_at,
    payload
});

#[derive(Debug)]
pub(super) struct CommissioningRow {
    pub(super) sn: String,
    pub(super) started_at: Millis,
    pub(super) finished_at: Option<Millis>,
    pub(super) number: Option<i64>,
    pub(super) company: Option<String>,
    pub(super) customer: Option<String>,
}
row!(CommissioningRow {
    sn,
    started_at,
    finished_at,
    number,
    company,
    customer
});

#[derive(Debug)]
pub(super) struct CommissioningUnitRow {
    pub(super) sn: String,
    pub(super) named: Option<String>,
    pub(super) finished_at: Option<Millis>,
    pub(super) names: Option<String>,
}
row!(CommissioningUnitRow {
    sn,
    named,
    finished_at,
    names
});

#[derive(Debug)]
pub(super) struct CommissioningStepRow {
    pub(super) sn: String,
    pub(super) step: String,
    pub(super) at: Millis,
    pub(super) company: Option<String>,
    pub(super) stated: String,
    pub(super) found: String,
    pub(super) measured: String,
}
row!(CommissioningStepRow {
    sn,
    step,
    at,
    company,
    stated,
    found,
    measured
});

#[derive(Debug)]
pub(super) struct AlarmRow {
    pub(super) sn: String,
    pub(super) kind: String,
    pub(super) counter: Option<String>,
    pub(super) since: Millis,
    pub(super) opened_at: Millis,
    pub(super) acknowledged_at: Option<Millis>,
    pub(super) closed_at: Option<Millis>,
}
row!(AlarmRow {
    sn,
    kind,
    counter,
    since,
    opened_at,
    acknowledged_at,
    closed_at
});

#[derive(Debug)]
pub(super) struct AlarmNewsRow {
    pub(super) sn: String,
    pub(super) kind: String,
    pub(super) at: Millis,
}
row!(AlarmNewsRow { sn, kind, at });

#[derive(Debug)]
pub(super) struct AlarmSignRow {
    pub(super) sn: String,
    pub(super) since: Millis,
}
row!(AlarmSignRow { sn, since });

#[derive(Debug)]
pub(super) struct BatchRow {
    pub(super) created_at: Millis,
    pub(super) sn: String,
    pub(super) version: i64,
    pub(super) changes: String,
    pub(super) acknowledged: bool,
    pub(super) undone_at: Option<Millis>,
}
row!(BatchRow {
    created_at,
    sn,
    version,
    changes,
    acknowledged,
    undone_at
});

#[derive(Debug)]
pub(super) struct TemplateRow {
    pub(super) name: String,
    pub(super) fields: String,
    pub(super) created_at: Millis,
}
row!(TemplateRow {
    name,
    fields,
    created_at
});
