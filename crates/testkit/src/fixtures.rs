//! People and systems for tests, created the way the product creates them.
use crate::TestApp;
use domain::alarm::{AlarmChange, AlarmKind};
use domain::code::{Code, CodeKind};
use domain::shard::{Shard, ShardSet};
use domain::{Email, Serial};
use store::access::InternalAccess;
use store::alarm::OpenAlarm;
use store::event::LoggedEvent;
use store::job_lease::JobLease;
use store::system::NewDevice;

pub const PASSWORD: &str = "Sonnenschein-1!";

/// A logged-in person.
#[derive(Clone, Debug)]
pub struct Person {
    pub email: String,
    pub access: String,
    pub refresh: String,
}

impl TestApp {
    /// Registers a device like the operator's command.
    pub async fn device(&self, sn: &str) -> Serial {
        let serial: Serial = sn.parse().unwrap();
        self.register_devices(std::slice::from_ref(&serial)).await;
        serial
    }

    pub async fn register_devices(&self, systems: &[Serial]) {
        let secret = |sn: &Serial| crate::battery::secret(sn.as_str());
        let secrets: Vec<String> = systems.iter().map(secret).collect();
        let device = |(sn, secret)| NewDevice {
            sn,
            phase: 1,
            secret: String::as_bytes(secret),
        };
        let devices: Vec<NewDevice<'_>> = systems.iter().zip(&secrets).map(device).collect();
        self.service.import_devices(&devices).await.unwrap();
    }

    /// Issues a registration code for existing systems.
    pub async fn code(&self, systems: &[&Serial]) -> String {
        self.issue_code(CodeKind::Registration, systems).await
    }

    /// Issues an installer code for existing systems.
    pub async fn installer_code(&self, systems: &[&Serial]) -> String {
        self.issue_code(CodeKind::Installer, systems).await
    }

    async fn issue_code(&self, kind: CodeKind, systems: &[&Serial]) -> String {
        let code = Code::random(&self.portal.random);
        let systems: Vec<Serial> = systems.iter().map(|sn| (*sn).clone()).collect();
        let issued = self.service.issue_code(&code, kind, &systems);
        issued.await.unwrap();
        code.as_str().to_owned()
    }

    /// The owner invites an electrician, who accepts; returns the grant's id.
    pub async fn grant(&self, owner: &Person, electrician: &Person, sn: &str, scope: &str) -> i64 {
        let fields = [
            ("sn", sn),
            ("email", &electrician.email),
            ("scope", scope),
            ("password", PASSWORD),
        ];
        let invited = self
            .post("/api/auth/grant/", &fields)
            .bearer(&owner.access)
            .send()
            .await
            .expect(201)
            .json();
        let id = invited["grants"][0]["id"].as_i64().unwrap();
        self.post(&format!("/api/auth/grant/{id}/accept/"), &[])
            .bearer(&electrician.access)
            .send()
            .await
            .expect(200);
        id
    }

    /// A member of the owner's household, registered with the code from the invitation, and logged in.
    pub async fn member(&self, owner: &Person, name: &str, sn: &str, scope: &str) -> Person {
        let email = format!("{name}@example.com");
        let fields = [
            ("sn", sn),
            ("email", &email),
            ("scope", scope),
            ("password", PASSWORD),
        ];
        self.post("/api/auth/grant/", &fields)
            .bearer(&owner.access)
            .send()
            .await
            .expect(201);
        let code = self.mailed_token(&email, "key").await;
        let form = self.owner_form(&email, &code);
        self.post("/api/auth/register/", &form)
            .from(&own_address(name))
            .send()
            .await
            .expect(201);
        self.log_in(&email, false).await
    }

    /// The job that runs every few seconds for grants.
    pub async fn send_grant_mails(&self) {
        self.service.process_grant_deadlines().await.unwrap();
    }

    /// The job that runs every two seconds for alarms, while a gateway is up.
    pub async fn check_alarms(&self) {
        let now = self.clock.now();
        self.store
            .record_heartbeat(self.bus.gateway(), now)
            .await
            .unwrap();
        let (store, service) = (&self.store, &self.service);
        let mut watches = self.watches.lock().await;
        let connected = watches.check_connected(store, service, &self.bus.live, now);
        connected.await.unwrap();
        jobs::alarms::open_offline_alarms(store, service, ShardSet::ALL, now)
            .await
            .unwrap();
        self.service.queue_alarm_mails().await.unwrap();
    }

    /// The job that runs every ten seconds for forecasts and plans.
    pub async fn run_planners(&self) {
        let mut planners = self.planners.lock().await;
        planners.tick(self.planning_context()).await.unwrap();
    }

    /// What the system reported, newest first.
    pub async fn newest_events(&self, sn: &Serial) -> Vec<LoggedEvent> {
        let events = self.store.newest_events_of(std::slice::from_ref(sn)).await;
        let events = events.unwrap().into_iter();
        events.flat_map(|(_, events)| events).collect()
    }

    /// The right to write the results of a job.
    pub fn job_lease(&self) -> JobLease {
        self.held.lease(Shard::FIRST).unwrap()
    }

    /// For tests with planners of their own.
    pub fn planning_context(&self) -> jobs::planning::PlanningContext<'_> {
        jobs::planning::PlanningContext {
            store: &self.store,
            service: &self.service,
            bus: &self.bus,
            held: &self.held,
            now: self.clock.now(),
        }
    }

    /// Access to a system as its household has it.
    pub async fn household_access(&self, sn: &str) -> store::Access {
        let sn: Serial = sn.parse().unwrap();
        self.store
            .household_access(InternalAccess::new(), &sn)
            .await
            .unwrap()
            .unwrap()
    }

    /// Opens an alarm regardless of the battery's state; returns its id.
    pub async fn open_alarm(&self, sn: &str, kind: AlarmKind) -> i64 {
        let sn: Serial = sn.parse().unwrap();
        let now = self.clock.now();
        let open = AlarmChange::Open {
            kind,
            since: now,
            counter: None,
        };
        // Without the bus: the live view learns of it by its next poll.
        let service = crate::service_at(&self.store, now);
        service.write_alarms(&[(sn.clone(), open)]).await.unwrap();
        let open = self.store.open_alarms_of(&[sn]).await.unwrap();
        let matches = |(_, alarm): &&(Serial, OpenAlarm)| alarm.kind == kind;
        open.iter()
            .find(matches)
            .map_or(i64::MAX, |(_, alarm)| alarm.id)
    }

    /// The fields of a valid registration of an owner, for tests to change.
    pub fn owner_form<'a>(&self, email: &'a str, key: &'a str) -> Vec<(&'a str, &'a str)> {
        vec![
            ("email", email),
            ("password", PASSWORD),
            ("password2", PASSWORD),
            ("phone", "+49 30 901820"),
            ("country", "DE"),
            ("role", "user"),
            ("terms", "true"),
            ("sn1", key),
        ]
    }

    /// An owner with one system, registered by a code and logged in. Each person has an address of their own.
    pub async fn owner(&self, name: &str, sn: &str) -> Person {
        self.owner_of(name, &[sn.parse().unwrap()]).await
    }

    /// The same with several systems.
    pub async fn owner_of(&self, name: &str, systems: &[Serial]) -> Person {
        self.register_devices(systems).await;
        let code = self.code(&systems.iter().collect::<Vec<_>>()).await;
        let email = format!("{name}@example.com");
        let form = self.owner_form(&email, &code);
        self.post("/api/auth/register/", &form)
            .from(&own_address(name))
            .send()
            .await
            .expect(201);
        self.log_in(&email, false).await
    }

    /// An electrician, confirmed by the mailed link and logged in.
    pub async fn electrician(&self, name: &str) -> Person {
        let email = format!("{name}@example.com");
        let mut form = self.owner_form(&email, "");
        form.retain(|(field, _)| !matches!(*field, "role" | "sn1"));
        form.extend([("role", "electrician"), ("company", "Elektro Sonnenberg")]);
        self.register_by_mail(name, &email, &form).await;
        self.log_in(&email, true).await
    }

    /// Somebody who joined the electrician's company by the mailed link, logged in. `role` is owner, office or technician.
    pub async fn colleague(&self, owner: &Person, name: &str, role: &str) -> Person {
        let email = format!("{name}@example.com");
        let token = self.invite_colleague(owner, &email, role).await;
        let full_name = format!("{name} Muster");
        let form = Self::joining_form(&token, &full_name);
        self.post("/api/auth/company/invitation/accept/", &form)
            .from(&own_address(name))
            .send()
            .await
            .expect(201);
        self.log_in(&email, true).await
    }

    /// Invites somebody to the owner's company; returns the token of the mailed link.
    pub async fn invite_colleague(&self, owner: &Person, email: &str, role: &str) -> String {
        let fields = [("email", email), ("role", role), ("password", PASSWORD)];
        self.post("/api/auth/company/invitation/", &fields)
            .bearer(&owner.access)
            .send()
            .await
            .expect(201);
        self.mailed_token(email, "token").await
    }

    /// The fields of somebody who joins a company.
    pub fn joining_form<'a>(token: &'a str, name: &'a str) -> Vec<(&'a str, &'a str)> {
        vec![
            ("token", token),
            ("name", name),
            ("password", PASSWORD),
            ("password2", PASSWORD),
            ("phone", "+49 30 901820"),
            ("country", "DE"),
            ("terms", "true"),
        ]
    }

    /// An owner who has not yet proved the only serial number at its main switch; the token opens only the key page.
    pub async fn unlinked(&self, name: &str, sn: &str) -> Person {
        self.device(sn).await;
        let email = format!("{name}@example.com");
        let form = self.owner_form(&email, sn);
        self.register_by_mail(name, &email, &form).await;
        let answer = self.try_log_in(&email, PASSWORD, false).await.expect(403);
        let access = answer.json()["access"].as_str().unwrap().to_owned();
        Person {
            email,
            access,
            refresh: String::new(),
        }
    }

    async fn register_by_mail(&self, name: &str, email: &str, form: &[(&str, &str)]) {
        self.post("/api/auth/register/", form)
            .from(&own_address(name))
            .send()
            .await
            .expect(202);
        let token = self.mailed_token(email, "confirm").await;
        self.post("/api/auth/register/confirm/", &[("token", &token)])
            .from(&own_address(name))
            .send()
            .await
            .expect(200);
    }

    pub async fn log_in(&self, email: &str, electrician: bool) -> Person {
        let answer = self
            .try_log_in(email, PASSWORD, electrician)
            .await
            .expect(200)
            .json();
        let token = |name: &str| answer[name].as_str().unwrap().to_owned();
        Person {
            email: email.to_owned(),
            access: token("access"),
            refresh: token("refresh"),
        }
    }

    pub async fn try_log_in(
        &self,
        email: &str,
        password: &str,
        electrician: bool,
    ) -> crate::TestResponse {
        let electrician = if electrician { "true" } else { "false" };
        let fields = [
            ("email", email),
            ("password", password),
            ("electrician", electrician),
        ];
        self.post("/api/auth/token/", &fields)
            .from(&own_address(email))
            .send()
            .await
    }

    pub async fn account_id(&self, email: &str) -> domain::AccountId {
        let email: Email = email.parse().unwrap();
        self.store
            .account_by_email(&email)
            .await
            .unwrap()
            .unwrap()
            .id()
    }
}

/// A client address per name: rate limits of one person do not affect another.
pub fn own_address(name: &str) -> String {
    let sum = name.bytes().fold(7_u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    let [_, b, c, d] = sum.to_be_bytes();
    format!("10.{b}.{c}.{d}")
}
