//! Everything kept about one account, for the person to take away. A test holds it against the schema:
//! a new table that names an account must appear here or be listed there with a reason.
mod planning;
mod row;
mod source;

use crate::commissioning::is_shown;
use crate::telemetry::DayTotals;
use crate::{Result, Store};
use domain::AccountId;
use domain::clock::Millis;
use row::{
    AlarmNewsRow, AlarmRow, AlarmSignRow, BatchRow, ClaimRow, CommandRow, CommissioningRow,
    CommissioningStepRow, CommissioningUnitRow, EventRow, GrantRow, GroupRow, HandoverRow,
    HiddenRow, LinkRow, MemberRow, PresenceRow, RecoveryCodeRow, SessionRow, SettingsRow,
    SystemRow, TariffRow, TemplateRow, TotpRow, UpdatePartRow, UpdateRow,
};
use serde_json::{Value, json};

/// The commissionings of the systems of $1.
macro_rules! theirs {
    () => {
        concat!(
            "SELECT u.commissioning_id FROM commissioning_units u JOIN systems s ON s.sn = u.sn WHERE s.owner_id = $1 AND",
            is_shown!()
        )
    };
}

/// How far back days are looked for; no battery lives longer.
const DAYS: i32 = 25 * 366;

impl Store {
    /// One JSON object with a list per table; secrets (password hash, token hashes) are left out.
    pub async fn export_account(&self, account: AccountId, now: Millis) -> Result<Option<Value>> {
        let Some(person) = self.account(account).await? else {
            return Ok(None);
        };
        let systems: Vec<SystemRow> = on!(self, p => sqlx::query_as(
            "SELECT sn, phase, master_version, gateway_version, slave_version, first_name, last_name, linked_at,
                linked_by, time_zone, zone_said, place, latitude, longitude, planes,
                hardware, capacity, charge_max, discharge_max, history_from, unit, retired_at, update_needs_off
             FROM systems WHERE owner_id = $1 ORDER BY sn")
            .bind(account.0).fetch_all(p).await)?;
        let sessions: Vec<SessionRow> = on!(self, p => sqlx::query_as(
            "SELECT kind, created_at, used_at, ended_at FROM sessions WHERE account_id = $1 ORDER BY created_at")
            .bind(account.0).fetch_all(p).await)?;
        let totp: Vec<TotpRow> = on!(self, p => sqlx::query_as("SELECT created_at, since FROM totp WHERE account_id = $1")
            .bind(account.0).fetch_all(p).await)?;
        let recovery_codes: Vec<RecoveryCodeRow> = on!(self, p => sqlx::query_as(
            "SELECT created_at, used_at FROM recovery_codes WHERE account_id = $1 ORDER BY used_at")
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
             WHERE s.owner_id = $1 AND COALESCE(e.at, e.received_at) >= s.history_from ORDER BY e.sn, e.received_at, e.boot, e.seq")
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
        let updates: Vec<UpdateRow> = on!(self, p => sqlx::query_as(
            "SELECT j.sn, j.state, j.created_at, j.heard_at, j.ended_at FROM firmware_jobs j JOIN systems s ON s.sn = j.sn
             WHERE s.owner_id = $1 AND j.created_at > s.history_from ORDER BY j.sn, j.number")
            .bind(account.0).fetch_all(p).await)?;
        let update_parts: Vec<UpdatePartRow> = on!(self, p => sqlx::query_as(
            "SELECT j.sn, t.part, t.from_version, t.version, t.stage, t.progress, t.fault, t.ended_at
             FROM firmware_job_parts t JOIN firmware_jobs j ON j.id = t.job_id JOIN systems s ON s.sn = j.sn
             WHERE s.owner_id = $1 AND j.created_at > s.history_from ORDER BY j.sn, j.number, t.place")
            .bind(account.0).fetch_all(p).await)?;
        let alarms: Vec<AlarmRow> = on!(self, p => sqlx::query_as(
            "SELECT l.sn, l.kind, l.counter, l.since, l.opened_at, l.acknowledged_at, l.closed_at
             FROM alarms l JOIN systems s ON s.sn = l.sn WHERE s.owner_id = $1 ORDER BY l.id")
            .bind(account.0).fetch_all(p).await)?;
        let news: Vec<AlarmNewsRow> = on!(self, p => sqlx::query_as(
            "SELECT l.sn, l.kind, n.at FROM alarm_news n JOIN alarms l ON l.id = n.alarm_id WHERE n.account_id = $1 ORDER BY l.id")
            .bind(account.0).fetch_all(p).await)?;
        let signs: Vec<AlarmSignRow> = on!(self, p => sqlx::query_as(
            "SELECT g.sn, g.since FROM alarm_signs g JOIN systems s ON s.sn = g.sn WHERE s.owner_id = $1 ORDER BY g.sn")
            .bind(account.0).fetch_all(p).await)?;
        // What they hold, and what others hold of them: an electrician reads only the first, of which a refusal shows nothing.
        let grants: Vec<GrantRow> = on!(self, p => sqlx::query_as(
            "SELECT g.sn, g.email, g.scope, CASE WHEN g.state = 'refused' THEN 'asked' ELSE g.state END AS state, g.origin,
                g.created_at, g.since, g.until
             FROM grants g WHERE g.account_id = $1 OR g.email = $2
                 OR (g.state <> 'refused' AND g.sn IN (SELECT sn FROM systems WHERE owner_id = $1)) ORDER BY g.id")
            .bind(account.0).bind(&person.email).fetch_all(p).await)?;
        let handovers: Vec<HandoverRow> = on!(self, p => sqlx::query_as(
            "SELECT sn, email, created_at, until FROM handovers WHERE account_id = $1 OR email = $2 ORDER BY id")
            .bind(account.0).bind(&person.email).fetch_all(p).await)?;
        let batches: Vec<BatchRow> = on!(self, p => sqlx::query_as(
            "SELECT b.created_at, s.sn, s.version, s.changes, s.acknowledged, s.undone_at
             FROM setting_batches b JOIN setting_batch_systems s ON s.batch_id = b.id
             WHERE b.account_id = $1 ORDER BY b.created_at, b.id, s.sn")
            .bind(account.0).fetch_all(p).await)?;
        let templates: Vec<TemplateRow> = on!(self, p => sqlx::query_as(
            "SELECT name, fields, created_at FROM setting_templates WHERE account_id = $1 ORDER BY id")
            .bind(account.0).fetch_all(p).await)?;
        // Of their systems, and what they did themselves at others': there the customer is somebody else.
        let commissionings: Vec<CommissioningRow> = on!(self, p => sqlx::query_as(
            concat!("SELECT c.sn, c.started_at, c.finished_at, c.number, c.company,
                CASE WHEN c.id IN (", theirs!(), ") THEN c.customer END AS customer
             FROM commissionings c WHERE c.account_id = $1 OR c.id IN (", theirs!(), ") ORDER BY c.id"))
            .bind(account.0).fetch_all(p).await)?;
        let commissioning_units: Vec<CommissioningUnitRow> = on!(self, p => sqlx::query_as(
            concat!("SELECT u.sn, u.named, u.finished_at, u.names FROM commissioning_units u
             WHERE u.sn IN (SELECT sn FROM systems WHERE owner_id = $1) AND", is_shown!(), "ORDER BY u.commissioning_id, u.sn"))
            .bind(account.0).fetch_all(p).await)?;
        let commissioning_steps: Vec<CommissioningStepRow> = on!(self, p => sqlx::query_as(
            concat!("SELECT c.sn, t.step, t.at, t.company, t.stated, t.found, t.measured
             FROM commissioning_steps t JOIN commissionings c ON c.id = t.commissioning_id
             WHERE t.account_id = $1 OR c.id IN (", theirs!(), ") ORDER BY c.id, t.at, t.step"))
            .bind(account.0).fetch_all(p).await)?;
        let totals = self.export_totals(account, now).await?;
        let consents = self.consents_of(account).await?;
        let journal = self.journal_of(account).await?;
        let mut document = json!({
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
                "alarm_mail": person.alarm_mail,
                "alarm_told_at": person.alarm_told_at,
            }],
            "systems": list(&systems, |s| json!({
                "sn": s.sn, "phase": s.phase, "master_version": s.master_version, "gateway_version": s.gateway_version,
                "slave_version": s.slave_version, "first_name": s.first_name, "last_name": s.last_name, "linked_at": s.linked_at,
                "linked_by": s.linked_by,
                "time_zone": s.time_zone, "zone_said": s.zone_said, "place": s.place, "latitude": s.latitude,
                "longitude": s.longitude, "planes": s.planes, "hardware": s.hardware, "capacity": s.capacity, "charge_max": s.charge_max,
                "discharge_max": s.discharge_max, "history_from": s.history_from, "unit": s.unit, "retired_at": s.retired_at,
                "update_needs_off": s.update_needs_off,
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
            "alarms": list(&alarms, |l| json!({
                "sn": l.sn, "kind": l.kind, "counter": l.counter, "since": l.since, "opened_at": l.opened_at,
                "acknowledged_at": l.acknowledged_at, "closed_at": l.closed_at,
            })),
            "alarm_news": list(&news, |n| json!({ "sn": n.sn, "kind": n.kind, "at": n.at })),
            "alarm_signs": list(&signs, |g| json!({ "sn": g.sn, "since": g.since })),
            "daily_totals": totals,
            // Years of samples are a file of their own; this says where it is.
            "samples": list(&systems, |s| json!({ "sn": s.sn, "see": format!("/api/auth/export/?sn={}&from=&to=", s.sn) })),
            "sessions": list(&sessions, |s| json!({
                "kind": s.kind, "created_at": s.created_at, "used_at": s.used_at, "ended_at": s.ended_at,
            })),
            "totp": list(&totp, |t| json!({ "created_at": t.created_at, "since": t.since })),
            "recovery_codes": list(&recovery_codes, |r| json!({ "created_at": r.created_at, "used_at": r.used_at })),
            "claims": list(&claims, |c| json!({
                "sn": c.sn, "state": c.state, "created_at": c.created_at, "expires_at": c.expires_at,
            })),
            "groups": list(&groups, |g| json!({ "name": g.name, "created_at": g.created_at })),
            "group_systems": list(&members, |m| json!({ "group": m.name, "sn": m.sn })),
            "tariffs": list(&tariffs, |t| json!({
                "sn": t.sn, "from_day": t.from_day, "import_price": t.import_price, "feed_in_price": t.feed_in_price,
            })),
            "firmware_jobs": list(&updates, |u| json!({
                "sn": u.sn, "state": u.state, "created_at": u.created_at, "heard_at": u.heard_at, "ended_at": u.ended_at,
            })),
            "firmware_job_parts": list(&update_parts, |t| json!({
                "sn": t.sn, "part": t.part, "from_version": t.from_version, "version": t.version, "stage": t.stage,
                "progress": t.progress, "fault": t.fault, "ended_at": t.ended_at,
            })),
            "grants": list(&grants, |g| json!({
                "sn": g.sn, "email": g.email, "scope": g.scope, "state": g.state, "origin": g.origin,
                "created_at": g.created_at, "since": g.since, "until": g.until,
            })),
            "handovers": list(&handovers, |h| json!({
                "sn": h.sn, "email": h.email, "created_at": h.created_at, "until": h.until,
            })),
            "setting_batches": list(&batches, |b| json!({ "created_at": b.created_at, "sn": b.sn })),
            "setting_batch_systems": list(&batches, |b| json!({
                "sn": b.sn, "version": b.version, "changes": b.changes, "acknowledged": b.acknowledged,
                "undone_at": b.undone_at,
            })),
            "setting_templates": list(&templates, |t| json!({
                "name": t.name, "fields": t.fields, "created_at": t.created_at,
            })),
            "commissionings": list(&commissionings, |c| json!({
                "sn": c.sn, "started_at": c.started_at, "finished_at": c.finished_at, "number": c.number,
                "company": c.company, "customer": c.customer,
            })),
            "commissioning_units": list(&commissioning_units, |u| json!({ "sn": u.sn, "named": u.named, "finished_at": u.finished_at, "names": u.names })),
            "commissioning_steps": list(&commissioning_steps, |t| json!({
                "sn": t.sn, "step": t.step, "at": t.at, "company": t.company, "stated": t.stated, "found": t.found,
                "measured": t.measured,
            })),
            "mail_links": list(&links, |l| json!({ "kind": l.kind, "email": l.email, "expires_at": l.expires_at })),
            "partner_consents": list(&consents, |c| json!({
                "partner_id": c.partner_id, "name": c.name, "scopes": c.scopes, "version": c.version,
                "created_at": c.created_at,
            })),
            "journal": list(&journal, |l| json!({
                "at": l.at, "actor": l.actor, "sn": l.sn, "event": l.event, "detail": l.detail,
            })),
        });
        if let Value::Object(document) = &mut document {
            document.extend(self.export_sources(account).await?);
        }
        for (table, rows) in self.export_planning(account).await? {
            document[table] = Value::Array(rows);
        }
        Ok(Some(document))
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
