//! Mails about grants.
use crate::mail::{MailDraft, MailRecipient};
use crate::transaction::Transaction;
use crate::{Result, page};
use domain::message::text as text_of;
use domain::{AccountId, Lang, Role, without_links};
use store::grant::Grant;

impl Transaction<'_> {
    /// Mails the owner of these grants' systems, if there is one. They have the same owner, holder and terms.
    pub(crate) async fn mail_grant_owner(&mut self, grants: &[Grant], text: &str) -> Result<()> {
        let owner = grants.first().and_then(|first| first.owner);
        self.mail_about_grants(grants, owner, text, page::OWNERS_GRANTS)
            .await
    }

    /// Mails the holder of these grants, if there is one; in a company, the members who manage grants. The grants have the same
    /// owner, holder and terms.
    pub(super) async fn mail_grant_holder(&mut self, grants: &[Grant], text: &str) -> Result<()> {
        let Some(first) = grants.first() else {
            return Ok(());
        };
        let page = match first.scope.role() {
            Role::Electrician => page::ELECTRICIANS_GRANTS,
            Role::User => page::OWNERS_GRANTS,
        };
        for holder in self.holders_of(first).await? {
            self.mail_about_grants(grants, Some(holder), text, page)
                .await?;
        }
        Ok(())
    }

    async fn mail_about_grants(
        &mut self,
        grants: &[Grant],
        account: Option<AccountId>,
        text: &str,
        page: &str,
    ) -> Result<()> {
        let Some(account) = account else {
            return Ok(());
        };
        let Some(to) = MailRecipient::of(self, account).await? else {
            return Ok(());
        };
        match MailDraft::about_grants(text, page, grants, to.lang()) {
            Some(draft) => self.mail(&to, draft).await,
            None => Ok(()),
        }
    }
}

impl<'a> MailDraft<'a> {
    /// A mail about grants of the same owner, holder and terms: the systems with their owner, the scope, the end and the holder.
    /// Texts for people without access (invited or still waiting for an answer) do not name the owner. `None` if there are no
    /// grants.
    pub(super) fn about_grants(
        text: &'a str,
        page: &'a str,
        grants: &[Grant],
        lang: Lang,
    ) -> Option<Self> {
        let grant = grants.first()?;
        let serials: Vec<&str> = grants.iter().map(|grant| grant.sn.as_str()).collect();
        let serials = serials.join(", ");
        let who = grant.holder.company.as_deref().map(without_links);
        let owner = owner_name(grant);
        let system = match &owner {
            Some(name) => format!("{serials} ({name})"),
            None => serials.clone(),
        };
        let owner = owner.unwrap_or_else(|| text_of(lang, "word", "the_owner").to_owned());
        Some(Self {
            text,
            page,
            values: vec![
                ("sn", serials),
                ("system", system),
                ("owner", owner),
                ("scope", scope(grant, lang)),
                ("until", until(grant, lang)),
                ("who", who.unwrap_or_else(|| grant.holder.email.clone())),
                ("message", grant.message.clone().unwrap_or_default()),
            ],
        })
    }

    /// Adds the previous scope and end.
    pub(super) fn changed_from(mut self, before: &Grant, lang: Lang) -> Self {
        self.values.push(("scope_before", scope(before, lang)));
        self.values.push(("until_before", until(before, lang)));
        self
    }
}

/// The name of the people who live with the system, if known.
fn owner_name(grant: &Grant) -> Option<String> {
    let names = [&grant.first_name, &grant.last_name];
    let known: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
    let name = without_links(known.join(" ").trim());
    (!name.is_empty()).then_some(name)
}

fn scope(grant: &Grant, lang: Lang) -> String {
    text_of(lang, "scope", grant.scope.as_str()).to_owned()
}

fn until(grant: &Grant, lang: Lang) -> String {
    let last = grant.last_day().map(|day| lang.day(day));
    last.unwrap_or_else(|| text_of(lang, "word", "no_end").to_owned())
}
