//! Everything kept about one account, for the person to take away. A test holds it against the schema:
//! a new table that names an account must appear here or be listed there with a reason.
use crate::telemetry::DayTotals;
use crate::{Result, Store};
use domain::AccountId;
use domain::clock::Millis;
use serde_json::{Value, json};

/// How far back days are looked for; no battery lives longer.
const DAYS: i32 = 25 * 366;

#[derive(Debug)]
struct SystemRow {
    sn: String,
    phase: i64,
    master_version: Option<String>,
    gateway_version: Option<String>,
    slave_version: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
    linked_at: Option<Millis>,
    time_zone: String,
    hardware: Option<String>,
    capacity: Option<i64>,
    charge_max: Option<i64>,
    discharge_max: Option<i64>,
    history_from: Millis,
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
    time_zone,
    hardware,
    capacity,
    charge_max,
    discharge_max,
    history_from
});

#[derive(Debug)]
struct SessionRow {
    kind: String,
    created_at: Millis,
    used_at: Millis,
    ended_at: Option<Millis>,
}
row!(SessionRow {
    kind,
    created_at,
    used_at,
    ended_at
});

#[derive(Debug)]
struct ClaimRow {
    sn: String,
    state: String,
    created_at: Millis,
    expires_at: Millis,
}
row!(ClaimRow {
    sn,
    state,
    created_at,
    expires_at
});

#[derive(Debug)]
struct LinkRow {
    kind: String,
    email: Option<String>,
    expires_at: Millis,
}
row!(LinkRow {
    kind,
    email,
    expires_at
});

#[derive(Debug)]
struct GroupRow {
    name: String,
    created_at: Millis,
}
row!(GroupRow { name, created_at });

#[derive(Debug)]
struct MemberRow {
    name: String,
    sn: String,
}
row!(MemberRow { name, sn });

#[derive(Debug)]
struct TariffRow {
    sn: String,
    from_day: i64,
    import_price: i64,
    feed_in_price: i64,
}
row!(TariffRow {
    sn,
    from_day,
    import_price,
    feed_in_price
});

#[derive(Debug)]
struct PresenceRow {
    sn: String,
    online: bool,
    since: Millis,
}
row!(PresenceRow { sn, online, since });

#[derive(Debug)]
struct EventRow {
    sn: String,
    at: Option<Millis>,
    received_at: Millis,
    code: String,
    begins: bool,
    args: Option<String>,
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
struct SettingsRow {
    sn: String,
    version: i64,
    desired: Option<String>,
    changed_at: Option<Millis>,
    held_version: i64,
    reported_version: i64,
    reported: Option<String>,
    refused: Option<String>,
    reported_at: Option<Millis>,
    acknowledged_at: Option<Millis>,
    grid_limit: Option<i64>,
    grid_limit_at: Option<Millis>,
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
struct CommandRow {
    sn: String,
    command: String,
    args: String,
    state: String,
    created_at: Millis,
    expires_at: Millis,
    sent_at: Option<Millis>,
    ended_at: Option<Millis>,
    code: Option<String>,
    data: Option<String>,
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
struct HiddenRow {
    sn: String,
    received_at: Millis,
    payload: String,
}
row!(HiddenRow {
    sn,
    received_at,
    payload
});

impl Store {
    /// One JSON object with a list per table; secrets (password hash, token hashes) are left out.
    pub async fn export_account(&self, account: AccountId, now: Millis) -> Result<Option<Value>> {
        let Some(person) = self.account(account).await? else {
            return Ok(None);
        };
        let systems: Vec<SystemRow> = on!(self, p => sqlx::query_as(
            "SELECT sn, phase, master_version, gateway_version, slave_version, first_name, last_name, linked_at,
                time_zone, hardware, capacity, charge_max, discharge_max, history_from
             FROM systems WHERE owner_id = $1 ORDER BY sn")
            .bind(account.0).fetch_all(p).await)?;
        let sessions: Vec<SessionRow> = on!(self, p => sqlx::query_as(
            "SELECT kind, created_at, used_at, ended_at FROM sessions WHERE account_id = $1 ORDER BY created_at")
            .bind(account.0).fetch_all(p).await)?;
        let claims: Vec<ClaimRow> = on!(self, p => sqlx::query_as(
            "SELECT sn, state, created_at, expires_at FROM claims WHERE account_id = $1 ORDER BY sn")
            .bind(account.0).fetch_all(p).await)?;
        let links: Vec<LinkRow> = on!(self, p => sqlx::query_as(
            "SELECT kind, email, expires_at FROM mail_links WHERE account_id = $1 ORDER BY expires_at")
            .bind(account.0).fetch_all(p).await)?;
        let groups: Vec<GroupRow> = on!(self, p => sqlx::query_as(
            "SELECT name, created_at FROM groups WHERE account_id = $1 ORDER BY id")
            .bind(account.0).fetch_all(p).await)?;
        let members: Vec<MemberRow> = on!(self, p => sqlx::query_as(
            "SELECT g.name, m.sn FROM group_systems m JOIN groups g ON g.id = m.group_id
             WHERE m.account_id = $1 ORDER BY g.id, m.sn")
            .bind(account.0).fetch_all(p).await)?;
        let tariffs: Vec<TariffRow> = on!(self, p => sqlx::query_as(
            "SELECT sn, from_day, import_price, feed_in_price FROM tariffs WHERE account_id = $1 ORDER BY sn, from_day")
            .bind(account.0).fetch_all(p).await)?;
        // What a battery said before the person owned it belongs to the household before.
        let presence: Vec<PresenceRow> = on!(self, p => sqlx::query_as(
            "SELECT p.sn, p.online, p.since FROM presence p JOIN systems s ON s.sn = p.sn
             WHERE s.owner_id = $1 ORDER BY p.sn")
            .bind(account.0).fetch_all(p).await)?;
        let events: Vec<EventRow> = on!(self, p => sqlx::query_as(
            "SELECT e.sn, e.at, e.received_at, e.code, e.begins, e.args FROM events e JOIN systems s ON s.sn = e.sn
             WHERE s.owner_id = $1 AND e.received_at >= s.history_from ORDER BY e.sn, e.received_at, e.boot, e.seq")
            .bind(account.0).fetch_all(p).await)?;
        let hidden: Vec<HiddenRow> = on!(self, p => sqlx::query_as(
            "SELECT h.sn, h.received_at, h.payload FROM hidden_samples h JOIN systems s ON s.sn = h.sn
             WHERE s.owner_id = $1 AND h.received_at >= s.history_from ORDER BY h.sn, h.received_at, h.boot, h.seq")
            .bind(account.0).fetch_all(p).await)?;
        let settings: Vec<SettingsRow> = on!(self, p => sqlx::query_as(
            "SELECT t.sn, t.version, t.desired, t.changed_at, t.held_version, t.reported_version, t.reported, t.refused,
                t.reported_at, t.acknowledged_at, t.grid_limit, t.grid_limit_at
             FROM settings t JOIN systems s ON s.sn = t.sn WHERE s.owner_id = $1 ORDER BY t.sn")
            .bind(account.0).fetch_all(p).await)?;
        let commands: Vec<CommandRow> = on!(self, p => sqlx::query_as(
            "SELECT c.sn, c.command, c.args, c.state, c.created_at, c.expires_at, c.sent_at, c.ended_at, c.code, c.data
             FROM commands c JOIN systems s ON s.sn = c.sn WHERE s.owner_id = $1 ORDER BY c.created_at, c.id")
            .bind(account.0).fetch_all(p).await)?;
        let totals = self.export_totals(account, now).await?;
        let consents = self.consents_of(account).await?;
        let journal = self.journal_of(account).await?;
        Ok(Some(json!({
            "accounts": [{
                "email": person.email,
                "role": person.role,
                "phone": person.phone,
                "country": person.country,
                "company": person.company,
                "language": person.language,
                "terms_version": person.terms_version,
                "terms_at": person.terms_at,
                "created_at": person.created_at,
                "locked_at": person.locked_at,
            }],
            "systems": list(&systems, |s| json!({
                "sn": s.sn, "phase": s.phase, "master_version": s.master_version, "gateway_version": s.gateway_version,
                "slave_version": s.slave_version, "first_name": s.first_name, "last_name": s.last_name, "linked_at": s.linked_at,
                "time_zone": s.time_zone, "hardware": s.hardware, "capacity": s.capacity, "charge_max": s.charge_max,
                "discharge_max": s.discharge_max, "history_from": s.history_from,
            })),
            "presence": list(&presence, |p| json!({ "sn": p.sn, "online": p.online, "since": p.since })),
            "events": list(&events, |e| json!({
                "sn": e.sn, "at": e.at, "received_at": e.received_at, "code": e.code, "begins": e.begins, "args": e.args,
            })),
            "hidden_samples": list(&hidden, |h| json!({ "sn": h.sn, "received_at": h.received_at, "payload": h.payload })),
            "settings": list(&settings, |t| json!({
                "sn": t.sn, "version": t.version, "desired": t.desired, "changed_at": t.changed_at,
                "held_version": t.held_version, "reported_version": t.reported_version, "reported": t.reported,
                "refused": t.refused, "reported_at": t.reported_at, "acknowledged_at": t.acknowledged_at,
                "grid_limit": t.grid_limit, "grid_limit_at": t.grid_limit_at,
            })),
            "commands": list(&commands, |c| json!({
                "sn": c.sn, "command": c.command, "args": c.args, "state": c.state, "created_at": c.created_at,
                "expires_at": c.expires_at, "sent_at": c.sent_at, "ended_at": c.ended_at, "code": c.code, "data": c.data,
            })),
            "daily_totals": totals,
            // Years of samples are a file of their own; this says where it is.
            "samples": list(&systems, |s| json!({ "sn": s.sn, "see": format!("/api/auth/export/?sn={}&from=&to=", s.sn) })),
            "sessions": list(&sessions, |s| json!({
                "kind": s.kind, "created_at": s.created_at, "used_at": s.used_at, "ended_at": s.ended_at,
            })),
            "claims": list(&claims, |c| json!({
                "sn": c.sn, "state": c.state, "created_at": c.created_at, "expires_at": c.expires_at,
            })),
            "groups": list(&groups, |g| json!({ "name": g.name, "created_at": g.created_at })),
            "group_systems": list(&members, |m| json!({ "group": m.name, "sn": m.sn })),
            "tariffs": list(&tariffs, |t| json!({
                "sn": t.sn, "from_day": t.from_day, "import_price": t.import_price, "feed_in_price": t.feed_in_price,
            })),
            "mail_links": list(&links, |l| json!({ "kind": l.kind, "email": l.email, "expires_at": l.expires_at })),
            "partner_consents": list(&consents, |c| json!({
                "partner_id": c.partner_id, "name": c.name, "scopes": c.scopes, "created_at": c.created_at,
            })),
            "journal": list(&journal, |l| json!({
                "at": l.at, "actor": l.actor, "sn": l.sn, "event": l.event, "detail": l.detail,
            })),
        })))
    }
}

impl Store {
    /// The energy of every day that was measured, in Wh.
    async fn export_totals(&self, account: AccountId, now: Millis) -> Result<Vec<Value>> {
        let mut rows = Vec::new();
        for access in self.accesses(account).await? {
            let today = access.zone().day_of(now);
            let days = today.plus(-DAYS)..today.next();
            let totals = self.daily_totals(&access, days).await?;
            let measured = |day: &&DayTotals| day.energy.iter().any(Option::is_some);
            for day in totals.iter().filter(measured) {
                let [import, feed_in, pv, charge, discharge] = day.energy;
                rows.push(json!({
                    "sn": access.sn().as_str(), "day": day.day.to_string(), "import": import, "feed_in": feed_in, "pv": pv,
                    "charge": charge, "discharge": discharge, "unplaced": day.unplaced.iter().sum::<i64>(),
                }));
            }
        }
        Ok(rows)
    }
}

fn list<T>(rows: &[T], one: impl Fn(&T) -> Value) -> Vec<Value> {
    rows.iter().map(one).collect()
}
