//! The demo's people. Their accounts register like real ones, with a code for all systems of their site.
use super::sites::{DemoElectrician, DemoSite, ELECTRICIANS, UnitPosition, serial};
use api::{Lane, Passwords};
use domain::code::{Code, CodeKind};
use domain::setting::{Field, SettingsInput};
use domain::site::SiteChange;
use domain::tariff::TariffStart;
use domain::{AccountId, Clock, CompanyRole, Country, Key, Lang, Password, Phone, Random, Role};
use service::Service;
use service::company::NewMember;
use service::registration::Registration;
use service::settings::SettingsRequest;
use service::tariff::NewTariff;
use store::account::Profile;
use store::end_user::EndUser;
use store::{Access, Store};

pub(super) const PASSWORD: &str = "Sonnenschein-1!";

/// Owners with prices, who see money at once: in cents per kWh, for import and feed-in.
const WITH_PRICES: [&str; 3] = ["owner@example.com", "family@example.com", PLANNING_OWNER];
const PRICES: (&str, &str) = ("31.90", "7.94");

/// The owner who buys at exchange prices and has a plan; the supplier's surcharge is in cents per kWh, before VAT.
pub(super) const PLANNING_OWNER: &str = "anna.berger@example.com";
const PLANNING_SETTINGS: [(Field, &str); 3] = [
    (Field::Provider, "energy_charts"),
    (Field::ImportAdder, "15"),
    (Field::DynamicTariff, "plan"),
];

/// The owner with a group, and its name.
const GROUP: (&str, &str) = ("owner@example.com", "Lindenweg 7");

/// Fills the demo's database before anything is served.
pub(super) struct DemoSeeder {
    pub(super) store: Store,
    pub(super) service: Service,
    pub(super) clock: Clock,
    pub(super) random: Random,
    pub(super) passwords: Passwords,
    pub(super) public_url: String,
}

const OWNERS_PHONE: &str = "+49 30 901820";

impl DemoSeeder {
    /// Registers all people of the street who have no account yet.
    pub(super) async fn register_people(&self, sites: &[DemoSite]) -> anyhow::Result<()> {
        for (number, site) in sites.iter().enumerate() {
            if let Some(email) = site.owner
                && !self.is_registered(email).await?
            {
                let account = self.register(email, None, site.units).await?;
                let described = site.described(number)?;
                self.seed_household(account, email, site.name, &described)
                    .await?;
            }
        }
        for electrician in ELECTRICIANS {
            let email = electrician.email;
            if !self.is_registered(email).await? {
                let account = self.register(email, Some(electrician), &[]).await?;
                self.seed_grants(account, email, sites).await?;
            }
            for colleague in electrician.colleagues {
                if !self.is_registered(colleague.0).await? {
                    self.add_colleague(electrician, *colleague).await?;
                }
            }
        }
        Ok(())
    }

    /// Does what an owner would have done in the portal so far.
    async fn seed_household(
        &self,
        account: AccountId,
        email: &str,
        (first_name, last_name): (&str, &str),
        described: &SiteChange,
    ) -> anyhow::Result<()> {
        let invalid = |_| anyhow::anyhow!("the demo has an invalid household");
        let store = &self.store;
        let accesses = store.accesses(account).await?;
        let systems: Vec<&Access> = accesses.iter().collect();
        for access in &systems {
            let names = EndUser {
                first_name: first_name.to_owned(),
                last_name: last_name.to_owned(),
            };
            self.service.name_end_user(access, &names).await?;
            self.service.change_site(access, described).await?;
        }
        if WITH_PRICES.contains(&email) {
            let prices = NewTariff {
                since: TariffStart::Beginning,
                import_price: PRICES.0.parse().map_err(invalid)?,
                feed_in_price: PRICES.1.parse().map_err(invalid)?,
            };
            self.service.set_tariff(&systems, prices).await??;
        }
        if PLANNING_OWNER == email {
            for access in &systems {
                self.enable_planning(access).await?;
            }
        }
        if GROUP.0 == email {
            let name = GROUP.1.parse().map_err(invalid)?;
            self.service.create_group(account, &name, &systems).await?;
        }
        Ok(())
    }

    /// Saves the same settings as the form would.
    async fn enable_planning(&self, access: &Access) -> anyhow::Result<()> {
        let input = SettingsInput {
            fields: PLANNING_SETTINGS
                .map(|(field, typed)| (field, typed.to_owned()))
                .into(),
            ..SettingsInput::default()
        };
        let request = SettingsRequest::Form(&input);
        let saved = match self.service.prepare_settings(access, None, request).await? {
            Ok(prepared) => self.service.save_settings(&prepared).await?,
            Err(failure) => Err(failure),
        };
        saved.map_err(|failure| anyhow::anyhow!("invalid demo settings: {failure:?}"))?;
        Ok(())
    }

    async fn is_registered(&self, email: &str) -> anyhow::Result<bool> {
        let email = email
            .parse()
            .map_err(|_| anyhow::anyhow!("the demo has an invalid address"))?;
        Ok(self.store.account_by_email(&email).await?.is_some())
    }

    async fn register(
        &self,
        email: &str,
        electrician: Option<&DemoElectrician>,
        units: &[UnitPosition],
    ) -> anyhow::Result<AccountId> {
        let invalid = |_| anyhow::anyhow!("the demo has an invalid account");
        let keys = if units.is_empty() {
            Vec::new()
        } else {
            vec![Key::Code(
                self.issue_code(CodeKind::Registration, units).await?,
            )]
        };
        let hash = self.hash_password().await?;
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
        let (account, _) = self.service.register(&registration).await?;
        Ok(account)
    }

    /// Somebody who was invited to the electrician's company and has accepted.
    async fn add_colleague(
        &self,
        electrician: &DemoElectrician,
        (email, name, role): (&str, &str, CompanyRole),
    ) -> anyhow::Result<()> {
        let invalid = |_| anyhow::anyhow!("the demo has an invalid account");
        let boss = electrician.email.parse().map_err(invalid)?;
        let Some(boss) = self.store.account_by_email(&boss).await? else {
            return Ok(());
        };
        let Some(membership) = boss.membership()? else {
            return Ok(());
        };
        let address = email.parse().map_err(invalid)?;
        self.service
            .invite_member(boss.id(), &address, role)
            .await?;
        let now = self.clock.now();
        let invitations = self
            .store
            .company_invitations(membership.company, now)
            .await?;
        let invitation = invitations.iter().find(|one| one.email == email);
        let Some(invitation) = invitation else {
            return Ok(());
        };
        let profile = Profile {
            email: address,
            role: Role::Electrician,
            phone: Phone::parse(electrician.phone, Country::Germany).map_err(invalid)?,
            country: Country::Germany,
            company: None,
            language: Lang::De,
        };
        let member = NewMember {
            profile: &profile,
            name,
            password_hash: &self.hash_password().await?,
        };
        let accepted = self.service.accept_company_invitation(invitation, &member);
        accepted.await?;
        Ok(())
    }

    async fn hash_password(&self) -> anyhow::Result<String> {
        let password = Password::parse(PASSWORD)
            .map_err(|_| anyhow::anyhow!("the demo has an invalid password"))?;
        let hash = self.passwords.hash(&password, Lane::Known).await;
        hash.map_err(|_| anyhow::anyhow!("too many passwords are hashed at once"))
    }

    /// A registration code for all systems of a site.
    pub(super) async fn issue_code(
        &self,
        kind: CodeKind,
        units: &[UnitPosition],
    ) -> anyhow::Result<Code> {
        let serials: anyhow::Result<Vec<_>> = units.iter().map(|(sn, _)| serial(sn)).collect();
        let code = Code::random(&self.random);
        self.service.issue_code(&code, kind, &serials?).await?;
        Ok(code)
    }
}
