//! Mails about grants.
use crate::mail::{MailDraft, MailRecipient};
use crate::transaction::Transaction;
use crate::{Result, page};
use domain::message::text as text_of;
use domain::{AccountId, Lang, Role, without_links};
use store::grant::Grant;

impl Transaction<'_> {
    /// Mails the owner of the grant's system, if there is one.
    pub(crate) async fn mail_grant_owner(&mut self, grant: &Grant, text: &str) -> Result<()> {
        self.mail_about_grant(grant, grant.owner, text, page::OWNERS_GRANTS)
            .await
    }

    /// Mails the grant's holder, if there is one: of a company those who look after grants.
    pub(super) async fn mail_grant_holder(&mut self, grant: &Grant, text: &str) -> Result<()> {
        let page = match grant.scope.role() {
            Role::Electrician => page::ELECTRICIANS_GRANTS,
            Role::User => page::OWNERS_GRANTS,
        };
        for holder in self.holders_of(grant).await? {
            self.mail_about_grant(grant, Some(holder), text, page)
                .await?;
        }
        Ok(())
    }

    async fn mail_about_grant(
        &mut self,
        grant: &Grant,
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
        let draft = MailDraft::about_grant(text, page, grant, to.lang());
        self.mail(&to, draft).await
    }
}

impl<'a> MailDraft<'a> {
    /// A mail about a grant: which system and whose, the scope, the end and the holder. Texts for people without access (invited
    /// or still waiting for an answer) do not name the owner.
    pub(super) fn about_grant(text: &'a str, page: &'a str, grant: &Grant, lang: Lang) -> Self {
        let who = grant.holder.company.as_deref().map(without_links);
        let owner = owner_name(grant);
        let system = match &owner {
            Some(name) => format!("{} ({name})", grant.sn),
            None => grant.sn.to_string(),
        };
        let owner = owner.unwrap_or_else(|| text_of(lang, "word", "the_owner").to_owned());
        Self {
            text,
            page,
            values: vec![
                ("sn", grant.sn.to_string()),
                ("system", system),
                ("owner", owner),
                ("scope", scope(grant, lang)),
                ("until", until(grant, lang)),
                ("who", who.unwrap_or_else(|| grant.holder.email.clone())),
            ],
        }
    }

    /// Adds the previous scope and end.
    pub(super) fn changed_from(mut self, before: &Grant, lang: Lang) -> Self {
        self.values.push(("scope_before", scope(before, lang)));
        self.values.push(("until_before", until(before, lang)));
        self
    }
}

/// The name of the people who live with the system, if it is known.
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
