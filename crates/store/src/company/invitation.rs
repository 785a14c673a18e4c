//! Invitations to join an electrician's company, each behind a mailed link.
use crate::{Error, Keyring, Purpose, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::company::COMPANY_INVITATION_TTL;
use domain::{AccountId, CompanyId, CompanyRole, Email};

/// An invitation whose link has not been used.
#[derive(Clone, Debug)]
pub struct CompanyInvitation {
    pub id: i64,
    pub company: CompanyId,
    pub company_name: String,
    pub email: String,
    pub role: CompanyRole,
    pub created_at: Millis,
    pub expires_at: Millis,
    token_hash: Vec<u8>,
}

#[derive(Debug, FromRow)]
struct InvitationRow {
    id: i64,
    company_id: i64,
    company_name: String,
    email: String,
    role: String,
    created_at: Millis,
    expires_at: Millis,
    token_hash: Vec<u8>,
}

pub struct NewCompanyInvitation<'a> {
    pub company: CompanyId,
    pub invited_by: AccountId,
    pub email: &'a Email,
    pub role: CompanyRole,
    pub token: &'a [u8],
}

/// Selects invitations; `$which` is the rest of the query.
macro_rules! select_invitations {
    ($which:literal) => {
        concat!(
            "SELECT i.id, i.company_id, c.name AS company_name, i.email, i.role, i.created_at, i.expires_at, i.token_hash
             FROM company_invitations i JOIN companies c ON c.id = i.company_id ",
            $which
        )
    };
}

impl InvitationRow {
    fn invitation(self) -> Result<CompanyInvitation> {
        let role = self.role.parse();
        Ok(CompanyInvitation {
            id: self.id,
            company: CompanyId(self.company_id),
            company_name: self.company_name,
            email: self.email,
            role: role.map_err(|_| Error::Damaged("company_invitations.role"))?,
            created_at: self.created_at,
            expires_at: self.expires_at,
            token_hash: self.token_hash,
        })
    }
}

/// Inserts an invitation. Replaces an earlier one to the same address.
pub async fn insert_invitation(
    tx: &mut Tx,
    keyring: &Keyring,
    new: NewCompanyInvitation<'_>,
    now: Millis,
) -> Result<()> {
    execute!(tx, sqlx::query(
        "INSERT INTO company_invitations (company_id, invited_by, email, role, token_hash, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (company_id, email) DO UPDATE SET invited_by = excluded.invited_by, role = excluded.role,
             token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at")
        .bind(new.company.0)
        .bind(new.invited_by.0)
        .bind(new.email.as_str())
        .bind(new.role.as_str())
        .bind(keyring.hash(Purpose::MailedLink, new.token))
        .bind(now)
        .bind(now + COMPANY_INVITATION_TTL))?;
    Ok(())
}

/// Deletes an invitation of this company. `false` if it has none with this id.
pub async fn withdraw_invitation(tx: &mut Tx, company: CompanyId, id: i64) -> Result<bool> {
    let deleted = execute!(
        tx,
        sqlx::query("DELETE FROM company_invitations WHERE id = $1 AND company_id = $2")
            .bind(id)
            .bind(company.0)
    )?;
    Ok(deleted == 1)
}

/// Deletes an invitation to use it. `false` if another request was faster, or another link has replaced this one.
pub async fn use_invitation(tx: &mut Tx, invitation: &CompanyInvitation) -> Result<bool> {
    let deleted = execute!(
        tx,
        sqlx::query("DELETE FROM company_invitations WHERE id = $1 AND token_hash = $2")
            .bind(invitation.id)
            .bind(&invitation.token_hash)
    )?;
    Ok(deleted == 1)
}

/// How many invitations are pending.
pub async fn count_invitations(tx: &mut Tx, company: CompanyId, now: Millis) -> Result<usize> {
    let count: i64 = within!(tx, c => sqlx::query_scalar(
        "SELECT COUNT(*) FROM company_invitations WHERE company_id = $1 AND expires_at > $2")
        .bind(company.0).bind(now).fetch_one(c).await)?;
    Ok(usize::try_from(count).unwrap_or(0))
}

impl Store {
    /// The pending invitations, newest first.
    pub async fn company_invitations(
        &self,
        company: CompanyId,
        now: Millis,
    ) -> Result<Vec<CompanyInvitation>> {
        let rows: Vec<InvitationRow> = on!(self, p => sqlx::query_as(select_invitations!(
            "WHERE i.company_id = $1 AND i.expires_at > $2 ORDER BY i.id DESC"))
            .bind(company.0).bind(now).fetch_all(p).await)?;
        rows.into_iter().map(InvitationRow::invitation).collect()
    }

    /// The invitation of a mailed link. `None` if it was used, expired, withdrawn, or never sent.
    pub async fn company_invitation(
        &self,
        token: &[u8],
        now: Millis,
    ) -> Result<Option<CompanyInvitation>> {
        let hashes = self.keyring.hashes(Purpose::MailedLink, token);
        let row: Option<InvitationRow> = find_first!(hashes, hash => on!(self, p => sqlx::query_as(select_invitations!(
            "WHERE i.token_hash = $1 AND i.expires_at > $2")).bind(hash).bind(now).fetch_optional(p).await)?);
        row.map(InvitationRow::invitation).transpose()
    }

    pub async fn purge_company_invitations(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM company_invitations WHERE expires_at < $1").bind(now))?;
        Ok(())
    }
}
