//! Which rows of which table belong to an account. Secrets (password hash, token hashes) and internal ids are left out.
use crate::commissioning::is_shown;

/// The commissionings of systems that account $1 owns.
macro_rules! own_commissionings {
    () => {
        concat!(
            "SELECT u.commissioning_id FROM commissioning_units u JOIN systems s ON s.sn = u.sn WHERE s.owner_id = $1 AND",
            is_shown!()
        )
    };
}

/// The name of each table and the query for its rows of account $1. The columns are exported under their names.
pub(super) const TABLES: &[(&str, &str)] = &[
    (
        "accounts",
        "SELECT email, role, phone, address, country, name, company_role, language, terms_version, terms_at, created_at, email_confirmed_at,
         locked_at, alarm_mail, alarm_told_at
         FROM accounts WHERE id = $1",
    ),
    (
        "companies",
        "SELECT name, created_at FROM companies WHERE id = (SELECT company_id FROM accounts WHERE id = $1)",
    ),
    // Invited addresses are only for the company's owners, and for the account that has confirmed the address.
    (
        "company_invitations",
        "SELECT email, role, created_at, expires_at FROM company_invitations
         WHERE company_id = (SELECT company_id FROM accounts WHERE id = $1 AND company_role = 'owner')
         OR email = (SELECT email FROM accounts WHERE id = $1 AND email_confirmed_at IS NOT NULL) ORDER BY id",
    ),
    (
        "customer_codes",
        "SELECT c.sn, c.number, k.created_at, k.until FROM customer_codes k JOIN commissionings c ON c.id = k.commissioning_id
         WHERE k.company_id = (SELECT company_id FROM accounts WHERE id = $1 AND company_role = 'owner') ORDER BY k.created_at",
    ),
    // The company's customer cards are exported for its owners. A photo is a file of its own.
    (
        "customer_notes",
        "SELECT sn, text, changed_at FROM customer_notes
         WHERE company_id = (SELECT company_id FROM accounts WHERE id = $1 AND company_role = 'owner') ORDER BY sn",
    ),
    (
        "customer_photos",
        "SELECT id, sn, added_at FROM customer_photos
         WHERE company_id = (SELECT company_id FROM accounts WHERE id = $1 AND company_role = 'owner') ORDER BY sn, id",
    ),
    (
        "sessions",
        "SELECT kind, created_at, used_at, ended_at FROM sessions WHERE account_id = $1 ORDER BY created_at",
    ),
    (
        "totp",
        "SELECT created_at, since FROM totp WHERE account_id = $1",
    ),
    (
        "recovery_codes",
        "SELECT created_at, used_at FROM recovery_codes WHERE account_id = $1 ORDER BY used_at",
    ),
    (
        "passkeys",
        "SELECT name, created_at, used_at FROM passkeys WHERE account_id = $1 ORDER BY id",
    ),
    (
        "claims",
        "SELECT sn, state, created_at, expires_at FROM claims WHERE account_id = $1 ORDER BY sn",
    ),
    (
        "mail_links",
        "SELECT kind, email, expires_at FROM mail_links WHERE account_id = $1 ORDER BY expires_at",
    ),
    (
        "partner_consents",
        "SELECT c.partner_id, p.name, c.scopes, c.version, c.created_at
         FROM partner_consents c JOIN partners p ON p.id = c.partner_id WHERE c.account_id = $1 ORDER BY p.name",
    ),
    (
        "systems",
        "SELECT sn, phase, master_version, gateway_version, slave_version, first_name, last_name, linked_at,
         linked_by, time_zone, zone_said, place, latitude, longitude, planes,
         hardware, capacity, charge_max, discharge_max, history_from, unit, retired_at, update_needs_off
         FROM systems WHERE owner_id = $1 ORDER BY sn",
    ),
    (
        "groups",
        "SELECT name, created_at FROM groups WHERE account_id = $1 ORDER BY id",
    ),
    (
        "group_systems",
        "SELECT g.name AS \"group\", m.sn FROM group_systems m JOIN groups g ON g.id = m.group_id
         WHERE m.account_id = $1 ORDER BY g.id, m.sn",
    ),
    (
        "tariffs",
        "SELECT sn, from_day, import_price, feed_in_price FROM tariffs WHERE account_id = $1 ORDER BY sn, from_day",
    ),
    // Reports from before this account owned the battery belong to the previous household.
    (
        "presence",
        "SELECT p.sn, p.online, p.since FROM presence p JOIN systems s ON s.sn = p.sn
         WHERE s.owner_id = $1 ORDER BY p.sn",
    ),
    (
        "events",
        "SELECT e.sn, e.at, e.received_at, e.code, e.begins, e.args FROM events e JOIN systems s ON s.sn = e.sn
         WHERE s.owner_id = $1 AND COALESCE(e.at, e.received_at) >= s.history_from ORDER BY e.sn, e.received_at, e.boot, e.seq",
    ),
    (
        "hidden_samples",
        "SELECT h.sn, h.received_at, h.payload FROM hidden_samples h JOIN systems s ON s.sn = h.sn
         WHERE s.owner_id = $1 AND h.received_at >= s.history_from ORDER BY h.sn, h.received_at, h.boot, h.seq",
    ),
    (
        "settings",
        "SELECT t.sn, t.version, t.desired, t.changed_at, t.held_version, t.reported_version, t.reported, t.refused,
         t.reported_at, t.acknowledged_at, t.grid_limit, t.grid_limit_at
         FROM settings t JOIN systems s ON s.sn = t.sn WHERE s.owner_id = $1 ORDER BY t.sn",
    ),
    (
        "setting_batches",
        "SELECT b.created_at, s.sn FROM setting_batches b JOIN setting_batch_systems s ON s.batch_id = b.id
         WHERE b.account_id = $1 ORDER BY b.created_at, b.id, s.sn",
    ),
    (
        "setting_batch_systems",
        "SELECT s.sn, s.version, s.changes, s.acknowledged, s.undone_at
         FROM setting_batches b JOIN setting_batch_systems s ON s.batch_id = b.id
         WHERE b.account_id = $1 ORDER BY b.created_at, b.id, s.sn",
    ),
    (
        "setting_templates",
        "SELECT name, fields, created_at FROM setting_templates WHERE account_id = $1 ORDER BY id",
    ),
    (
        "commands",
        "SELECT c.sn, c.command, c.args, c.state, c.created_at, c.expires_at, c.sent_at, c.ended_at, c.code, c.data
         FROM commands c JOIN systems s ON s.sn = c.sn WHERE s.owner_id = $1 ORDER BY c.created_at, c.id",
    ),
    (
        "firmware_jobs",
        "SELECT j.sn, j.state, j.created_at, j.heard_at, j.ended_at FROM firmware_jobs j JOIN systems s ON s.sn = j.sn
         WHERE s.owner_id = $1 AND j.created_at > s.history_from ORDER BY j.sn, j.number",
    ),
    (
        "firmware_job_parts",
        "SELECT j.sn, t.part, t.from_version, t.version, t.stage, t.progress, t.fault, t.ended_at
         FROM firmware_job_parts t JOIN firmware_jobs j ON j.id = t.job_id JOIN systems s ON s.sn = j.sn
         WHERE s.owner_id = $1 AND j.created_at > s.history_from ORDER BY j.sn, j.number, t.place",
    ),
    (
        "alarms",
        "SELECT l.sn, l.kind, l.counter, l.since, l.opened_at, l.acknowledged_at, l.dismissed_at, l.closed_at
         FROM alarms l JOIN systems s ON s.sn = l.sn WHERE s.owner_id = $1 ORDER BY l.id",
    ),
    // Comments written by the account, and comments on alarms of its systems.
    (
        "alarm_comments",
        "SELECT l.sn, l.kind, c.at, c.text FROM alarm_comments c JOIN alarms l ON l.id = c.alarm_id
         JOIN systems s ON s.sn = l.sn WHERE s.owner_id = $1 OR c.account_id = $1 ORDER BY c.id",
    ),
    (
        "alarm_news",
        "SELECT l.sn, l.kind, n.at FROM alarm_news n JOIN alarms l ON l.id = n.alarm_id WHERE n.account_id = $1 ORDER BY l.id",
    ),
    (
        "alarm_signs",
        "SELECT g.sn, g.since FROM alarm_signs g JOIN systems s ON s.sn = g.sn WHERE s.owner_id = $1 ORDER BY g.sn",
    ),
    // Grants that the account (or the company that it owns) holds, requested or is invited to, and grants on the account's
    // systems (electricians have only the former). Invitations only to a confirmed address, because others do not concern an
    // account that only typed it. A refused request is exported to its author as still open.
    (
        "grants",
        "SELECT g.sn, g.email, g.scope, CASE WHEN g.state = 'refused' THEN 'asked' ELSE g.state END AS state, g.origin,
         g.created_at, g.since, g.until, g.message, g.shares_contact, g.withdrawn_at
         FROM grants g WHERE g.account_id = $1
         OR g.company_id = (SELECT company_id FROM accounts WHERE id = $1 AND company_role = 'owner')
         OR g.email = (SELECT email FROM accounts WHERE id = $1 AND email_confirmed_at IS NOT NULL)
         OR (g.state <> 'refused' AND g.withdrawn_at IS NULL AND g.sn IN (SELECT sn FROM systems WHERE owner_id = $1)) ORDER BY g.id",
    ),
    (
        "handovers",
        "SELECT sn, email, created_at, until FROM handovers WHERE account_id = $1
         OR email = (SELECT email FROM accounts WHERE id = $1 AND email_confirmed_at IS NOT NULL) ORDER BY id",
    ),
    // Commissionings of the account's systems, and those that the account did for others. The latter are exported without the
    // customer.
    (
        "commissionings",
        concat!("SELECT c.sn, c.started_at, c.finished_at, c.number, c.company,
         CASE WHEN c.id IN (", own_commissionings!(), ") THEN c.customer END AS customer
         FROM commissionings c WHERE c.account_id = $1 OR c.id IN (", own_commissionings!(), ") ORDER BY c.id"),
    ),
    (
        "commissioning_units",
        concat!("SELECT u.sn, u.named, u.finished_at, u.names FROM commissioning_units u
         WHERE u.sn IN (SELECT sn FROM systems WHERE owner_id = $1) AND", is_shown!(), "ORDER BY u.commissioning_id, u.sn"),
    ),
    (
        "commissioning_steps",
        concat!("SELECT c.sn, t.step, t.at, t.company, t.stated, t.found, t.measured
         FROM commissioning_steps t JOIN commissionings c ON c.id = t.commissioning_id
         WHERE t.account_id = $1 OR c.id IN (", own_commissionings!(), ") ORDER BY c.id, t.at, t.step"),
    ),
    (
        "time_of_use",
        "SELECT sn, days, minute, price FROM time_of_use WHERE account_id = $1 ORDER BY sn, days, minute",
    ),
    // Prices of a bidding zone are not personal, so they are left out.
    (
        "prices",
        "SELECT source, area, starts_at, ends_at, price, fetched_at FROM prices
         WHERE area IN (SELECT sn FROM systems WHERE owner_id = $1) ORDER BY area, starts_at",
    ),
    (
        "source_states",
        "SELECT source, area, success_at, error, failing_since, tries, next_at FROM source_states
         WHERE area IN (SELECT sn FROM systems WHERE owner_id = $1) ORDER BY area, source",
    ),
    (
        "weather_forecasts",
        "SELECT f.sn, f.issued_at, f.source, f.starts_at, f.watts FROM weather_forecasts f JOIN systems s ON s.sn = f.sn
         WHERE s.owner_id = $1 ORDER BY f.sn, f.issued_at",
    ),
    (
        "planning",
        "SELECT p.sn, p.forecast_at, p.since, p.planned_at, p.adopted_at, p.plan, p.running, p.wish_soc, p.wish_by,
         p.weather_since, p.weather_disagreed, p.weather_hits, p.weather_false_alarms
         FROM planning p JOIN systems s ON s.sn = p.sn WHERE s.owner_id = $1 ORDER BY p.sn",
    ),
    // The values are in the charts, as ef and lf.
    (
        "forecasts",
        "SELECT f.sn, f.issued_at FROM forecasts f JOIN systems s ON s.sn = f.sn
         WHERE s.owner_id = $1 ORDER BY f.sn, f.issued_at",
    ),
    (
        "plan_days",
        "SELECT d.sn, d.day, d.actual, d.without_plan, d.without_battery, d.counted, d.stored
         FROM plan_days d JOIN systems s ON s.sn = d.sn WHERE s.owner_id = $1 ORDER BY d.sn, d.day",
    ),
    // Years of samples are a separate file each.
    (
        "samples",
        "SELECT sn FROM systems WHERE owner_id = $1 ORDER BY sn",
    ),
];
