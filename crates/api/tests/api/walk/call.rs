//! The requests of the walk: a valid one for every call.
use super::callers::{Caller, Callers, REDIRECT, consent, exchange};
use domain::alarm::AlarmKind;
use domain::totp::TIME_STEP;
use testkit::http::Call;
use testkit::{PASSWORD, Person, SoftwarePasskey, TestApp};

const TEMPLATE: [(&str, &str); 2] = [("name", "Winter"), ("reserve_soc", "30")];

impl Callers {
    /// The id of a new member of the person's company; 1 if the person may not invite.
    async fn member_of(&mut self, app: &TestApp, person: &Person, name: &str) -> i64 {
        let account = app.account_id(&person.email).await;
        let account = app.store.account(account).await.unwrap().unwrap();
        if account.company_role.as_deref() != Some("owner") {
            return 1;
        }
        let member = app.colleague(person, name, "office").await;
        app.account_id(&member.email).await.0
    }

    /// A request that is valid for a permitted caller; `caller` is the kind of the current one.
    pub(super) async fn call(
        &mut self,
        app: &TestApp,
        method: &str,
        path: &str,
        caller: char,
    ) -> Call {
        let Caller {
            name: own_name,
            sn: own_sn,
            person,
            ..
        } = self.current.clone();
        let call = |path: &str| match path.starts_with("/api/v1/") {
            true => Call::new(app.updates, method.parse().unwrap(), path),
            false => app.call(method, path),
        };
        let with = match (method, path) {
            ("POST", "/api/auth/token/") => {
                let (name, sn) = self.fresh();
                let owner = app.owner(&name, &sn).await;
                call(path).form(&[("email", &owner.email), ("password", PASSWORD)])
            }
            ("POST", "/api/auth/token/passkey/") => {
                let (name, sn) = self.fresh();
                let owner = app.owner(&name, &sn).await;
                let passkey = app.add_passkey(&owner, "Telefon").await;
                call(path).form(&[("passkey", &app.show_passkey(&passkey).await)])
            }
            ("POST", "/api/auth/token/refresh/") => {
                let (name, sn) = self.fresh();
                call(path).form(&[("refresh", &app.owner(&name, &sn).await.refresh)])
            }
            ("POST", "/api/auth/register/") => {
                let (name, sn) = self.fresh();
                let code = app.code(&[&app.device(&sn).await]).await;
                call(path).form(&app.owner_form(&format!("{name}@example.com"), &code))
            }
            ("POST", "/api/auth/register/confirm/") => {
                let (name, sn) = self.fresh();
                app.device(&sn).await;
                let email = format!("{name}@example.com");
                let form = app.owner_form(&email, &sn);
                app.post("/api/auth/register/", &form)
                    .from(&self.address())
                    .send()
                    .await
                    .expect(202);
                call(path).form(&[("token", &app.mailed_token(&email, "confirm").await)])
            }
            ("POST", "/api/auth/register/claims/") => {
                let (name, sn) = self.fresh();
                let code = app.code(&[&app.device(&sn).await]).await;
                let email = format!("{name}@example.com");
                let form = app.owner_form(&email, &code);
                let registered = app.post("/api/auth/register/", &form);
                let registered = registered.from(&self.address()).send().await.expect(201);
                let watch = registered.json()["watch"].as_str().unwrap().to_owned();
                call(path).form(&[("watch", &watch)])
            }
            ("POST", "/api/auth/password_reset/") => {
                call(path).form(&[("email", "somebody@example.com")])
            }
            ("POST", "/api/auth/password_reset/confirm/") => {
                let (name, sn) = self.fresh();
                let email = app.owner(&name, &sn).await.email;
                app.post("/api/auth/password_reset/", &[("email", &email)])
                    .from(&self.address())
                    .send()
                    .await;
                let token = app.mailed_token(&email, "token").await;
                call(path).form(&[
                    ("token", &token),
                    ("password", PASSWORD),
                    ("password2", PASSWORD),
                ])
            }
            ("PATCH", "/api/auth/account/") => call(path).form(&[("language", "fr")]),
            ("DELETE", "/api/auth/account/") => call(path).form(&[("password", PASSWORD)]),
            ("POST", "/api/auth/account/email/confirm/") => {
                let (name, sn) = self.fresh();
                let owner = app.owner(&name, &sn).await;
                let new = format!("{name}.new@example.com");
                let change = [("email", new.as_str()), ("password", PASSWORD)];
                app.call("PATCH", "/api/auth/account/")
                    .form(&change)
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(200);
                call(path).form(&[("token", &app.mailed_token(&new, "email").await)])
            }
            ("POST", "/api/auth/account/totp/") => call(path).form(&[("password", PASSWORD)]),
            (_, path) if path.starts_with("/api/auth/account/totp/") => {
                let now = app.clock.now();
                let code = match &person {
                    Some(person) if !matches!(caller, 'o' | 'e') => person.email.clone(),
                    Some(person) if path.ends_with("/confirm/") => {
                        app.begin_totp(person).await.code(now)
                    }
                    // The current code was used up for confirming the factor.
                    Some(person) => app.enable_totp(person).await.code(now + TIME_STEP),
                    None => String::new(),
                };
                call(path).form(&[("password", PASSWORD), ("totp", &code)])
            }
            ("POST", "/api/auth/account/passkey/") => {
                let made = match &person {
                    Some(person) if matches!(caller, 'o' | 'e') => {
                        let options = app.begin_passkey(person).await;
                        SoftwarePasskey::for_options(&options).made(&options)
                    }
                    _ => String::new(),
                };
                call(path).form(&[("name", "Telefon"), ("passkey", &made)])
            }
            (_, "/api/auth/account/passkey/{id}/") => {
                let id = match &person {
                    Some(person) if matches!(caller, 'o' | 'e') => {
                        app.add_passkey(person, "Telefon").await;
                        let account = app.account_id(&person.email).await;
                        app.store.passkeys(account).await.unwrap()[0].id
                    }
                    _ => 1,
                };
                call(&format!("/api/auth/account/passkey/{id}/"))
                    .form(&[("name", "Laptop"), ("password", PASSWORD)])
            }
            (_, path) if path.starts_with("/api/auth/account/passkey/") => {
                call(path).form(&[("password", PASSWORD)])
            }
            ("POST", "/api/auth/company/invitation/") => call(path).form(&[
                ("email", "neu@example.com"),
                ("role", "office"),
                ("password", PASSWORD),
            ]),
            (
                "POST",
                "/api/auth/company/invitation/open/" | "/api/auth/company/invitation/accept/",
            ) => {
                let (name, _) = self.fresh();
                let boss = app.electrician(&name).await;
                let email = format!("{name}.new@example.com");
                let token = app.invite_colleague(&boss, &email, "office").await;
                call(path).form(&TestApp::joining_form(&token, "Eva Muster"))
            }
            ("DELETE", "/api/auth/company/invitation/{id}/") => {
                let id = match &self.current.person {
                    Some(person) if caller == 'e' => company_invitation(app, person).await,
                    _ => 1,
                };
                call(&format!("/api/auth/company/invitation/{id}/"))
            }
            (_, "/api/auth/company/member/{id}/") => {
                let id = match self.current.person.clone() {
                    Some(person) if caller == 'e' => {
                        let (name, _) = self.fresh();
                        self.member_of(app, &person, &name).await
                    }
                    _ => 1,
                };
                call(&format!("/api/auth/company/member/{id}/"))
                    .form(&[("role", "technician"), ("password", PASSWORD)])
            }
            ("POST", "/api/auth/usr_sn/") => {
                let (_, sn) = self.fresh();
                app.device(&sn).await;
                call(path).form(&[("keys", &sn)])
            }
            ("DELETE", "/api/auth/usr_sn/{sn}/") => {
                call(&format!("/api/auth/usr_sn/{own_sn}/")).form(&[("password", PASSWORD)])
            }
            ("GET", "/api/auth/system/{sn}/") => call(&format!("/api/auth/system/{own_sn}/")),
            ("PATCH", "/api/auth/system/{sn}/") => call(&format!("/api/auth/system/{own_sn}/"))
                .form(&[("first_name", "Anna"), ("last_name", "Berg")]),
            (_, path) if path.starts_with("/api/auth/system/{sn}/customer/") => {
                let path = path.replace("{sn}", &own_sn).replace("{id}", "1");
                match path.ends_with("/photo/") {
                    true => call(&path).jpeg(&testkit::photo::photo()),
                    false => call(&path).form(&[("note", "Hund")]),
                }
            }
            ("POST", "/api/auth/system/{sn}/replace/") => {
                let (_, sn) = self.fresh();
                let code = app.code(&[&app.device(&sn).await]).await;
                call(&format!("/api/auth/system/{own_sn}/replace/")).form(&[("key", &code)])
            }
            ("POST", "/api/auth/group/") => {
                // An electrician without a grant has no system to name.
                let sn = if caller == 'e' { "" } else { own_sn.as_str() };
                call(path).form(&[("name", "Keller"), ("sn", sn)])
            }
            (_, "/api/auth/group/{id}/") if matches!(caller, 'o' | 'e') => {
                let person = app
                    .log_in(&format!("{own_name}@example.com"), caller == 'e')
                    .await;
                let made = app
                    .post("/api/auth/group/", &[("name", "Keller")])
                    .bearer(&person.access)
                    .send()
                    .await
                    .expect(201)
                    .json();
                call(&format!("/api/auth/group/{}/", made["id"])).form(&[("name", "Dach")])
            }
            (_, "/api/auth/group/{id}/") => call("/api/auth/group/1/"),
            ("POST", "/api/auth/tariff/") => call(path).form(&[
                ("sn", own_sn.as_str()),
                ("import_price", "31,90"),
                ("feed_in_price", "7.94"),
            ]),
            ("POST", "/api/auth/price/") => {
                call(path).form(&[("sn", own_sn.as_str()), ("steps", "workdays/00:00/31,90")])
            }
            ("POST", "/api/auth/plan/") => {
                call(path).form(&[("sn", own_sn.as_str()), ("soc", "70"), ("by", "18:00")])
            }
            ("GET", "/api/auth/forecast/" | "/api/auth/plan/") => {
                call(&format!("{path}?sn={own_sn}"))
            }
            ("GET", "/api/auth/tariff/" | "/api/auth/price/" | "/api/auth/savings/") => {
                call(&format!("{path}?sn={own_sn}"))
            }
            ("GET", "/api/auth/alarm/") => call(&format!("{path}?sn={own_sn}")),
            ("POST", "/api/auth/alarm/") => {
                let id = app
                    .open_alarm(&own_sn, AlarmKind::Offline)
                    .await
                    .to_string();
                call(path).form(&[("id", &id)])
            }
            ("POST", "/api/auth/alarm/comment/" | "/api/auth/alarm/dismiss/") => {
                let id = app
                    .open_alarm(&own_sn, AlarmKind::Offline)
                    .await
                    .to_string();
                call(path).form(&[("id", &id), ("text", "Router getauscht")])
            }
            ("POST", "/api/auth/alarm/mail/") => call(path).form(&[("mail", "digest")]),
            ("GET", "/api/v1/has_update" | "/api/v1/history/") => {
                call(&format!("{path}?sn={own_sn}"))
            }
            ("POST", "/api/v1/update/") => {
                call(path).multipart(&[("sn", &own_sn), ("update", "0")])
            }
            ("GET", "/api/v1/image/{sha256}") => call("/api/v1/image/0"),
            ("POST", "/api/auth/grant/") => call(path).form(&invitation(&own_sn)),
            (_, "/api/auth/grant/{id}/") if caller == 'o' => {
                let owner = app.log_in(&format!("{own_name}@example.com"), false).await;
                let made = app
                    .post("/api/auth/grant/", &invitation(&own_sn))
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(201)
                    .json();
                call(&format!("/api/auth/grant/{}/", made["grants"][0]["id"]))
                    .form(&[("scope", "configure"), ("password", PASSWORD)])
            }
            (_, "/api/auth/grant/{id}/") => call("/api/auth/grant/1/"),
            ("POST", "/api/auth/grant/{id}/accept/") if caller == 'e' => {
                let (name, sn) = self.fresh();
                let owner = app.owner(&name, &sn).await;
                let email = format!("{own_name}@example.com");
                let fields = [
                    ("sn", sn.as_str()),
                    ("email", &email),
                    ("scope", "monitor"),
                    ("password", PASSWORD),
                ];
                let made = app
                    .post("/api/auth/grant/", &fields)
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(201)
                    .json();
                call(&format!(
                    "/api/auth/grant/{}/accept/",
                    made["grants"][0]["id"]
                ))
            }
            ("POST", "/api/auth/grant/{id}/accept/") => call("/api/auth/grant/1/accept/"),
            ("POST", "/api/auth/grant/request/") => call(path).form(&[("sn", "SC123456")]),
            ("POST", "/api/auth/grant/code/") => {
                let (_, sn) = self.fresh();
                let code = app.installer_code(&[&app.device(&sn).await]).await;
                call(path).form(&[("code", &code)])
            }
            ("POST", "/api/auth/grant/handover/") => call(path).form(&handover(&own_sn)),
            ("DELETE", "/api/auth/grant/handover/{id}/") if caller == 'o' => {
                let owner = app.log_in(&format!("{own_name}@example.com"), false).await;
                let made = app
                    .post("/api/auth/grant/handover/", &handover(&own_sn))
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(201)
                    .json();
                call(&format!("/api/auth/grant/handover/{}/", made["id"]))
            }
            ("DELETE", "/api/auth/grant/handover/{id}/") => call("/api/auth/grant/handover/1/"),
            ("GET", "/api/auth/commissioning/protocol/{id}/")
            | ("GET", "/api/auth/commissioning/protocol/{id}/pdf/")
                if caller == 'o' =>
            {
                let owner = app.log_in(&format!("{own_name}@example.com"), false).await;
                let (installer, _) = self.fresh();
                let installer = app.electrician(&installer).await;
                app.grant(&owner, &installer, &own_sn, "service").await;
                let id = app.commission(&installer, &app.battery(&own_sn)).await;
                call(&path.replace("{id}", &id.to_string()))
            }
            ("POST", "/api/auth/commissioning/") => call(path).form(&[("sn", own_sn.as_str())]),
            ("GET", "/api/auth/commissioning/" | "/api/auth/commissioning/protocol/") => {
                call(&format!("{path}?sn={own_sn}"))
            }
            (_, path) if path.starts_with("/api/auth/commissioning/") => {
                call(&path.replace("{id}", "1"))
            }
            ("POST", "/api/auth/partner/") => call(path).form(&consent()),
            ("DELETE", "/api/auth/partner/{id}/") if caller == 'o' => {
                let owner = app.log_in(&format!("{own_name}@example.com"), false).await;
                app.post("/api/auth/partner/", &consent())
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(200);
                let consents = app
                    .get("/api/auth/partner/")
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(200)
                    .json();
                call(&format!("/api/auth/partner/{}/", consents[0]["id"]))
            }
            ("DELETE", "/api/auth/partner/{id}/") => call("/api/auth/partner/1/"),
            ("GET", "/api/partner/client/") => {
                call(&format!("{path}?client_id=app&redirect_uri={REDIRECT}"))
            }
            ("POST", "/api/partner/token/") => {
                let code = self.code(app).await;
                call(path).form(&exchange(&code))
            }
            (
                "GET",
                "/api/auth/graph/"
                | "/api/auth/energy_chart/"
                | "/api/auth/export/"
                | "/api/auth/settings/"
                | "/api/auth/journal/",
            ) => call(&format!("{path}?sn={own_sn}")),
            ("POST", "/api/auth/settings/") => {
                let fields = [("version", "0"), ("reserve_soc", "20")];
                call(&format!("{path}?sn={own_sn}")).form(&fields)
            }
            ("POST", "/api/auth/settings/reset/") => {
                call(&format!("{path}?sn={own_sn}")).form(&[("version", "0")])
            }
            ("POST", "/api/auth/settings/batch/") => {
                let fields = [("version", "0"), ("reserve_soc", "20")];
                call(&format!("{path}?sn={own_sn}")).form(&fields)
            }
            ("POST", "/api/auth/settings/batch/{id}/undo/") => {
                call("/api/auth/settings/batch/0123456789abcdef01234567/undo/").form(&[])
            }
            ("POST", "/api/auth/settings/template/") => call(path).form(&TEMPLATE),
            (_, "/api/auth/settings/template/{id}/") if caller == 'e' => {
                let eva = app.log_in(&format!("{own_name}@example.com"), true).await;
                let made = app
                    .post("/api/auth/settings/template/", &TEMPLATE)
                    .bearer(&eva.access)
                    .send()
                    .await
                    .expect(201)
                    .json();
                call(&format!("/api/auth/settings/template/{}/", made["id"]))
                    .form(&[("name", "Frost")])
            }
            (_, "/api/auth/settings/template/{id}/") => call("/api/auth/settings/template/1/"),
            ("POST", "/api/auth/command/") => call(path).form(&command(&own_sn)),
            ("GET", "/api/auth/command/{id}/") if caller == 'o' => {
                let owner = app.log_in(&format!("{own_name}@example.com"), false).await;
                let given = app
                    .post("/api/auth/command/", &command(&own_sn))
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(201)
                    .json();
                call(&format!(
                    "/api/auth/command/{}/",
                    given["id"].as_str().unwrap()
                ))
            }
            ("GET", "/api/auth/command/{id}/") => call("/api/auth/command/none/"),
            // Metrics are only for the machine itself.
            ("GET", "/metrics") => return call(path),
            _ => call(path),
        };
        with.from(&self.address())
    }
}

/// The id of a new invitation to the person's company; 1 if the person may not invite.
async fn company_invitation(app: &TestApp, person: &Person) -> i64 {
    let fields = [
        ("email", "neu@example.com"),
        ("role", "office"),
        ("password", PASSWORD),
    ];
    let invited = app.post("/api/auth/company/invitation/", &fields);
    let invited = invited.bearer(&person.access).send().await;
    match invited.status.as_u16() {
        201 => invited.json()["invitations"][0]["id"].as_i64().unwrap(),
        _ => 1,
    }
}

fn invitation(sn: &str) -> [(&'static str, &str); 4] {
    [
        ("sn", sn),
        ("email", "elektro@example.com"),
        ("scope", "monitor"),
        ("password", PASSWORD),
    ]
}

fn handover(sn: &str) -> [(&'static str, &str); 3] {
    [
        ("sn", sn),
        ("email", "next@example.com"),
        ("password", PASSWORD),
    ]
}

fn command(sn: &str) -> [(&'static str, &str); 3] {
    [
        ("sn", sn),
        ("command", "auto"),
        ("key", "a-key-of-the-walk"),
    ]
}
