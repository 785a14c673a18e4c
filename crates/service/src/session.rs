//! Sessions: exchanging refresh tokens, and logging out.
use crate::{Result, Service, partner};
use domain::AccountId;
use domain::journal::JournalEvent;
use domain::session::{RefreshCheck, SessionKind, check_generation};
use store::journal::{Actor, NewEntry};
use store::session::{self, ActiveSession, SessionId};

/// The response to a refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// Issue a token of this generation.
    Generation {
        generation: i64,
        live: ActiveSession,
    },
    Refused,
}

impl Service {
    /// Handles a refresh token of `generation`: issues the next one or the same successor again, or ends the session.
    pub async fn rotate_session(&self, id: &SessionId, generation: i64) -> Result<Rotation> {
        let mut t = self.begin().await?;
        let now = t.now;
        // Of ten simultaneous refreshes one rotates, and nine see the result.
        let Some(session) = session::lock(&mut t, id).await? else {
            return Ok(Rotation::Refused);
        };
        let live = session.active(now)?;
        let Some(live) = live.filter(|live| live.kind != SessionKind::Claim) else {
            return Ok(Rotation::Refused);
        };
        let next = match check_generation(generation, session.generation) {
            RefreshCheck::Current => session.generation + 1,
            RefreshCheck::Previous => session.generation,
            RefreshCheck::Reused => {
                session::end(&mut t, id, now).await?;
                let entry = NewEntry::by(live.account, JournalEvent::SessionReused, now);
                t.journal(entry.with_actor(Actor::Portal)).await?;
                t.commit().await?;
                return Ok(Rotation::Refused);
            }
            RefreshCheck::Unknown => return Ok(Rotation::Refused),
        };
        session::set_generation(&mut t, id, next, now).await?;
        t.commit().await?;
        Ok(Rotation::Generation {
            generation: next,
            live,
        })
    }

    pub async fn end_session(&self, id: &SessionId) -> Result<()> {
        let mut t = self.begin().await?;
        let now = t.now;
        session::end(&mut t, id, now).await?;
        t.commit().await
    }

    /// Ends all sessions and all partner access of the account.
    pub async fn end_all_sessions(&self, account: AccountId) -> Result<()> {
        let mut t = self.begin().await?;
        let now = t.now;
        session::end_all(&mut t, account, None, now).await?;
        partner::end_all(&mut t, account).await?;
        t.commit().await
    }
}
