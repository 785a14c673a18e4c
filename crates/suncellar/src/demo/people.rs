//! The demo's people: accounts that register the way a person does, with a code for all systems of their site.
use super::street::{ELECTRICIANS, Electrician, Position, Site, serial};
use api::{Lane, Passwords};
use domain::code::{Code, CodeKind};
use domain::setting::{Field, Given};
use domain::site::SiteChange;
use domain::tariff::Since;
use domain::{AccountId, Clock, Country, Key, Lang, Password, Phone, Random, Role};
use store::account::Profile;
use store::end_user::EndUser;
use store::mail::{Desk, Mail};
use store::registration::Registration;
use store::setting::{Save, SaveKind, Saved};
use store::tariff::NewTariff;
use store::{Access, Store};

pub(super) const PASSWORD: &str = "Sonnenschein-1!";

/// Who has entered prices already, so that money shows at once: in cents a kWh, for import and feed-in.
const WITH_PRICES: [&str; 3] = ["owner@example.com", "family@example.com", PLANNING];
const PRICES: (&str, &str) = ("31.90", "7.94");

/// Who buys at the exchange's prices and lets the portal plan: with the supplier's part in cents a kWh, before VAT.
pub(super) const PLANNING: &str = "anna.berger@example.com";
const PLANNED: [(Field, &str); 3] = [
    (Field::Provider, "energy_charts"),
    (Field::ImportAdder, "15"),
    (Field::DynamicTariff, "plan"),
];

/// Who has put the systems into a group, and what it is called.
const GROUP: (&str, &str) = ("owner@example.com", "Lindenweg 7");

/// What it takes to furnish the demo before anything is served.
pub(super) struct Furnisher {
    pub(super) store: Store,
    pub(super) clock: Clock,
    pub(super) random: Random,
    pub(super) passwords: Passwords,
    pub(super) public_url: String,
}

const OWNERS_PHONE: &str = "+49 30 901820";

impl Furnisher {
    /// Registers everybody who lives in the street and is not known yet.
    pub(super) async fn register_people(&self, sites: &[Site]) -> anyhow::Result<()> {
        for (number, site) in sites.iter().enumerate() {
            if let Some(email) = site.owner
                && !self.is_registered(email).await?
            {
                let account = self.register(email, None, site.units).await?;
                let described = site.described(number)?;
                self.settle(account, email, site.name, &described).await?;
            }
        }
        for electrician in ELECTRICIANS {
            let email = electrician.email;
            if !self.is_registered(email).await? {
                let account = self.register(email, Some(electrician), &[]).await?;
                self.let_in(account, email, sites).await?;
            }
        }
        Ok(())
    }

    /// What an owner has done in the portal so far.
    async fn settle(
        &self,
        account: AccountId,
        email: &str,
        (first_name, last_name): (&str, &str),
        described: &SiteChange,
    ) -> anyhow::Result<()> {
        let invalid = |_| anyhow::anyhow!("a demo household");
        let (store, now) = (&self.store, self.clock.now());
        let accesses = store.accesses(account).await?;
        let systems: Vec<&Access> = accesses.iter().collect();
        for access in &systems {
            let names = EndUser {
                first_name: first_name.to_owned(),
                last_name: last_name.to_owned(),
            };
            store
                .name_end_user(access, &names, self.desk(), now)
                .await?;
            store
                .describe_site(access, described, self.desk(), now)
                .await?;
        }
        if WITH_PRICES.contains(&email) {
            let prices = NewTariff {
                since: Since::Beginning,
                import_price: PRICES.0.parse().map_err(invalid)?,
                feed_in_price: PRICES.1.parse().map_err(invalid)?,
            };
            store
                .set_tariff(&systems, prices, usize::MAX, now)
                .await??;
        }
        if PLANNING == email {
            for access in &systems {
                self.let_plan(access).await?;
            }
        }
        if GROUP.0 == email {
            let name = GROUP.1.parse().map_err(invalid)?;
            store.create_group(account, &name, &systems, now).await?;
        }
        Ok(())
    }

    /// As the form of the settings would.
    async fn let_plan(&self, access: &Access) -> anyhow::Result<()> {
        let (store, now) = (&self.store, self.clock.now());
        let before = store.settings(access, now).await?;
        let given = Given {
            fields: PLANNED
                .map(|(field, typed)| (field, typed.to_owned()))
                .into(),
            ..Given::default()
        };
        let change = given.judge(before.standing());
        let change = change.map_err(|wrong| anyhow::anyhow!("settings of the demo: {wrong:?}"))?;
        let save = Save {
            version: before.version,
            before: &before,
            change: &change,
            kind: SaveKind::Form,
            nonce: self.random.bytes(),
            devices_a_minute: usize::MAX,
        };
        let saved = store.save_settings(access, save, now).await?;
        anyhow::ensure!(matches!(saved, Saved::Version(_)), "{saved:?}");
        Ok(())
    }

    pub(super) fn desk(&self) -> Desk<'_> {
        Desk {
            public_url: &self.public_url,
            random: &self.random,
        }
    }

    async fn is_registered(&self, email: &str) -> anyhow::Result<bool> {
        let email = email
            .parse()
            .map_err(|_| anyhow::anyhow!("a demo address"))?;
        Ok(self.store.account_by_email(&email).await?.is_some())
    }

    async fn register(
        &self,
        email: &str,
        electrician: Option<&Electrician>,
        units: &[Position],
    ) -> anyhow::Result<AccountId> {
        let invalid = |_| anyhow::anyhow!("a demo account");
        let keys = if units.is_empty() {
            Vec::new()
        } else {
            vec![Key::Code(self.issue_code(units).await?)]
        };
        let password = Password::parse(PASSWORD).map_err(invalid)?;
        let hash = self.passwords.hash(&password, Lane::Known).await;
        let hash = hash.map_err(|_| anyhow::anyhow!("too much is hashed at once"))?;
        let phone = electrician.map_or(OWNERS_PHONE, |one| one.phone);
        let profile = Profile {
            email: email.parse().map_err(invalid)?,
            role: electrician.map_or(Role::User, |_| Role::Electrician),
            phone: Phone::parse(phone, Country::Germany).map_err(invalid)?,
            country: Country::Germany,
            company: electrician.map(|one| one.company.to_owned()),
            language: Lang::De,
        };
        let registration = Registration {
            profile: &profile,
            password_hash: &hash,
            keys: &keys,
        };
        let welcome = Mail::new("welcome", Lang::De, format!("{}/login", self.public_url));
        let now = self.clock.now();
        let (account, _) = self
            .store
            .register(&registration, &welcome, self.desk(), now)
            .await?;
        Ok(account)
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
