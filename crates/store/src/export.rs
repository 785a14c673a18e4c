//! Everything kept about one account, for the person to take away. A test holds it against the schema:
//! a new table that names an account must appear here or be listed there with a reason.
use crate::{Result, Store};
use domain::AccountId;
use domain::clock::Millis;
use serde_json::{Value, json};

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
}
row!(SystemRow {
    sn,
    phase,
    master_version,
    gateway_version,
    slave_version,
    first_name,
    last_name,
    linked_at
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

impl Store {
    /// One JSON object with a list per table; secrets (password hash, token hashes) are left out.
    pub async fn export_account(&self, account: AccountId) -> Result<Option<Value>> {
        let Some(person) = self.account(account).await? else {
            return Ok(None);
        };
        let systems: Vec<SystemRow> = on!(self, p => sqlx::query_as(
            "SELECT sn, phase, master_version, gateway_version, slave_version, first_name, last_name, linked_at
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
            })),
            "sessions": list(&sessions, |s| json!({
                "kind": s.kind, "created_at": s.created_at, "used_at": s.used_at, "ended_at": s.ended_at,
            })),
            "claims": list(&claims, |c| json!({
                "sn": c.sn, "state": c.state, "created_at": c.created_at, "expires_at": c.expires_at,
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

fn list<T>(rows: &[T], one: impl Fn(&T) -> Value) -> Vec<Value> {
    rows.iter().map(one).collect()
}
