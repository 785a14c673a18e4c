//! Customer cards of an electrician's company: a note and photos. Only the company's members can read them, and only while the
//! owner grants access. They are deleted with the company's grant, the household, or the company.
use crate::company::author;
use crate::{Access, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::customer::{CustomerNote, MAX_COMPANY_PHOTOS, MAX_PHOTOS};
use domain::{CompanyId, Serial};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Note {
    pub text: String,
    pub changed_at: Millis,
    /// Person and company; the person only while the account exists.
    pub changed_by: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Photo {
    pub id: i64,
    pub added_at: Millis,
}

/// Saves the note of the account's company. `known` is when the writer's copy was changed; `false` if another member has changed
/// it since.
pub async fn save_note(
    tx: &mut Tx,
    access: &Access,
    note: &CustomerNote,
    known: Option<Millis>,
    now: Millis,
) -> Result<bool> {
    let written = execute!(
        tx,
        sqlx::query(
            "INSERT INTO customer_notes (company_id, sn, text, changed_at, changed_by)
             SELECT a.company_id, $2, $3, $4, a.id FROM accounts a WHERE a.id = $1 AND EXISTS (SELECT 1 FROM grants g
                 WHERE g.sn = $2 AND g.company_id = a.company_id AND g.state IN ('active', 'unconfirmed'))
             ON CONFLICT (company_id, sn) DO UPDATE SET text = excluded.text, changed_at = excluded.changed_at,
                 changed_by = excluded.changed_by WHERE customer_notes.changed_at = $5"
        )
        .bind(access.account().0)
        .bind(access.sn().as_str())
        .bind(note.as_str())
        .bind(now)
        .bind(known.unwrap_or(-1))
    )?;
    Ok(written == 1)
}

/// `false` if the company already has the maximum number of photos, of the system or of all systems.
pub async fn insert_photo(tx: &mut Tx, access: &Access, jpeg: &[u8], now: Millis) -> Result<bool> {
    let [most, most_in_all] =
        [MAX_PHOTOS, MAX_COMPANY_PHOTOS].map(|most| i64::try_from(most).unwrap_or(i64::MAX));
    let inserted = execute!(
        tx,
        sqlx::query(
            "INSERT INTO customer_photos (company_id, sn, added_at, jpeg)
             SELECT a.company_id, $2, $3, $4 FROM accounts a WHERE a.id = $1 AND EXISTS (SELECT 1 FROM grants g
                     WHERE g.sn = $2 AND g.company_id = a.company_id AND g.state IN ('active', 'unconfirmed'))
                 AND (SELECT COUNT(*) FROM customer_photos p WHERE p.company_id = a.company_id AND p.sn = $2) < $5
                 AND (SELECT COUNT(*) FROM customer_photos p WHERE p.company_id = a.company_id) < $6"
        )
        .bind(access.account().0)
        .bind(access.sn().as_str())
        .bind(now)
        .bind(jpeg)
        .bind(most)
        .bind(most_in_all)
    )?;
    Ok(inserted == 1)
}

/// `false` if the account's company has no such photo of the system.
pub async fn delete_photo(tx: &mut Tx, access: &Access, id: i64) -> Result<bool> {
    let deleted = execute!(
        tx,
        sqlx::query(
            "DELETE FROM customer_photos WHERE id = $3 AND sn = $2
                 AND company_id = (SELECT company_id FROM accounts WHERE id = $1)"
        )
        .bind(access.account().0)
        .bind(access.sn().as_str())
        .bind(id)
    )?;
    Ok(deleted == 1)
}

/// The company's access to the system has ended for good.
pub(crate) async fn erase_for_company(tx: &mut Tx, sn: &Serial, company: CompanyId) -> Result<()> {
    for delete in [
        "DELETE FROM customer_notes WHERE sn = $1 AND company_id = $2",
        "DELETE FROM customer_photos WHERE sn = $1 AND company_id = $2",
    ] {
        execute!(
            &mut *tx,
            sqlx::query(delete).bind(sn.as_str()).bind(company.0)
        )?;
    }
    Ok(())
}

/// Erases notes and photos without a grant. A grant that has ended and can be renewed still counts.
pub(crate) async fn erase_without_grant(tx: &mut Tx) -> Result<()> {
    for delete in [
        "DELETE FROM customer_notes WHERE NOT EXISTS (SELECT 1 FROM grants g WHERE g.sn = customer_notes.sn
             AND g.company_id = customer_notes.company_id AND g.state IN ('active', 'unconfirmed', 'ended'))",
        "DELETE FROM customer_photos WHERE NOT EXISTS (SELECT 1 FROM grants g WHERE g.sn = customer_photos.sn
             AND g.company_id = customer_photos.company_id AND g.state IN ('active', 'unconfirmed', 'ended'))",
    ] {
        execute!(&mut *tx, sqlx::query(delete))?;
    }
    Ok(())
}

/// The household has left.
pub(crate) async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    for delete in [
        "DELETE FROM customer_notes WHERE sn = $1",
        "DELETE FROM customer_photos WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(delete).bind(sn.as_str()))?;
    }
    Ok(())
}

impl Store {
    /// The note of the account's company about the system's household.
    pub async fn customer_note(&self, access: &Access) -> Result<Option<Note>> {
        Ok(on!(self, p => sqlx::query_as(concat!(
            "SELECT n.text, n.changed_at, ", author!("a", "c"), " AS changed_by FROM customer_notes n
             JOIN companies c ON c.id = n.company_id LEFT JOIN accounts a ON a.id = n.changed_by
             WHERE n.sn = $2 AND n.company_id = (SELECT company_id FROM accounts WHERE id = $1)"))
            .bind(access.account().0).bind(access.sn().as_str()).fetch_optional(p).await)?)
    }

    /// The photos that the account's company has of the system, oldest first.
    pub async fn customer_photos(&self, access: &Access) -> Result<Vec<Photo>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT id, added_at FROM customer_photos
             WHERE sn = $2 AND company_id = (SELECT company_id FROM accounts WHERE id = $1) ORDER BY id")
            .bind(access.account().0).bind(access.sn().as_str()).fetch_all(p).await)?)
    }

    /// How many photos the account's company has: of the system, and of all systems.
    pub async fn count_customer_photos(&self, access: &Access) -> Result<(usize, usize)> {
        let (here, all): (i64, i64) = on!(self, p => sqlx::query_as(
            "SELECT COUNT(CASE WHEN sn = $2 THEN 1 END), COUNT(*) FROM customer_photos
             WHERE company_id = (SELECT company_id FROM accounts WHERE id = $1)")
            .bind(access.account().0).bind(access.sn().as_str()).fetch_one(p).await)?;
        let count = |number: i64| usize::try_from(number).unwrap_or(0);
        Ok((count(here), count(all)))
    }

    /// A photo that the account's company has of the system.
    pub async fn customer_photo(&self, access: &Access, id: i64) -> Result<Option<Vec<u8>>> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT jpeg FROM customer_photos
             WHERE id = $3 AND sn = $2 AND company_id = (SELECT company_id FROM accounts WHERE id = $1)")
            .bind(access.account().0).bind(access.sn().as_str()).bind(id).fetch_optional(p).await)?)
    }
}
