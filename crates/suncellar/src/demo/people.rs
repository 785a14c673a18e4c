//! The demo's people: accounts that register the way a person does, with a code for all systems of their site.
use super::street::{ELECTRICIANS, Position, Site, serial};
use api::Passwords;
use domain::code::{Code, CodeKind};
use domain::{Clock, Country, Key, Lang, Password, Phone, Random, Role};
use store::Store;
use store::account::Profile;
use store::mail::Mail;
use store::registration::Registration;

pub(super) const PASSWORD: &str = "Sonnenschein-1!";

/// What it takes to furnish the demo before anything is served.
pub(super) struct Furnisher {
    pub(super) store: Store,
    pub(super) clock: Clock,
    pub(super) random: Random,
    pub(super) passwords: Passwords,
    pub(super) public_url: String,
}

impl Furnisher {
    /// Registers everybody who lives in the street and is not known yet.
    pub(super) async fn register_people(&self, sites: &[Site]) -> anyhow::Result<()> {
        let owners = sites
            .iter()
            .filter_map(|site| Some((site.owner?, Role::User, site.units)));
        let electricians = ELECTRICIANS
            .iter()
            .map(|email| (*email, Role::Electrician, &[][..]));
        for (email, role, units) in owners.chain(electricians) {
            if !self.is_registered(email).await? {
                self.register(email, role, units).await?;
            }
        }
        Ok(())
    }

    async fn is_registered(&self, email: &str) -> anyhow::Result<bool> {
        let email = email
            .parse()
            .map_err(|_| anyhow::anyhow!("a demo address"))?;
        Ok(self.store.account_by_email(&email).await?.is_some())
    }

    async fn register(&self, email: &str, role: Role, units: &[Position]) -> anyhow::Result<()> {
        let invalid = |_| anyhow::anyhow!("a demo account");
        let keys = if units.is_empty() {
            Vec::new()
        } else {
            vec![Key::Code(self.issue_code(units).await?)]
        };
        let password = Password::parse(PASSWORD).map_err(invalid)?;
        let hash = self.passwords.hash(&password).await;
        let profile = Profile {
            email: email.parse().map_err(invalid)?,
            role,
            phone: Phone::parse("+49 30 901820", Country::Germany).map_err(invalid)?,
            country: Country::Germany,
            company: (role == Role::Electrician).then(|| "Elektro Sonnenberg".to_owned()),
            language: Lang::De,
        };
        let registration = Registration {
            profile: &profile,
            password_hash: &hash,
            keys: &keys,
        };
        let welcome = Mail::new("welcome", Lang::De, format!("{}/login", self.public_url));
        let now = self.clock.now();
        self.store
            .register(&registration, &welcome, self.random.bytes(), now)
            .await?;
        Ok(())
    }

    /// A registration code for all systems of a site.
    pub(super) async fn issue_code(&self, units: &[Position]) -> anyhow::Result<Code> {
        let serials: anyhow::Result<Vec<_>> = units.iter().map(|(sn, _)| serial(sn)).collect();
        let code = Code::random(&self.random);
        let now = self.clock.now();
        self.store
            .issue_code(&code, CodeKind::Registration, &serials?, now)
            .await?;
        Ok(code)
    }
}
