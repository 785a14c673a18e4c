//! Registration and installer codes that the operator issues.
use crate::{Result, Service};
use domain::Serial;
use domain::code::{Code, CodeKind};
use domain::journal::JournalEvent;
use store::code;
use store::journal::{Actor, NewEntry};

impl Service {
    /// Issues a code for the systems of one site. It replaces unused codes of the same kind for these systems, so a lost code
    /// stops working.
    pub async fn issue_code(&self, code: &Code, kind: CodeKind, systems: &[Serial]) -> Result<()> {
        let mut t = self.begin().await?;
        let (hash, now) = (self.store.new_code_hash(code), t.now);
        code::insert(&mut t, &hash, kind, systems, now).await?;
        let event = JournalEvent::CodeIssued {
            kind: kind.as_str().to_owned(),
            systems: systems.to_vec(),
        };
        let entry = NewEntry::without_account(event, now);
        t.journal(entry.with_actor(Actor::Operator)).await?;
        t.commit().await
    }
}
