//! People who have done everything that leaves data behind.
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::alarm::AlarmKind;
use domain::clock::MINUTE;
use domain::firmware::{Manifest, Part};
use domain::source::{BiddingZone, PriceSlot, QUARTER, SourceState, SpotPrice};
use domain::{EventCode, Serial, Source};
use store::planning::{IssuedForecast, PlanDay, StoredModels};
use store::source::{HouseholdToken, PriceDemand, ProviderToken, WeatherForecast};
use testkit::firmware::{IMAGE, manifest};
use testkit::{PASSWORD, Person, TestApp, TestDb, eventually};

pub(crate) const TOKEN: &str = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";
const CALLBACK: &str = "https://partner.test/back";

/// What exists before any person: systems with codes, a partner, and firmware.
pub(crate) struct Stage {
    pub(crate) code: String,
}

/// Stores a forecast and a planned day.
async fn plan(app: &TestApp, sn: &Serial) {
    let now = app.clock.now();
    let issue = IssuedForecast {
        issued_at: now,
        start: now,
        load: vec![[100, 200, 300]],
        pv: vec![[0, 0, 0]],
    };
    let kept = app
        .store
        .save_forecast(app.job_lease(), sn, &issue, None)
        .await;
    assert!(kept.unwrap());
    let access = app.household_access(sn.as_str()).await;
    let models = StoredModels {
        trained_at: now,
        usual_pv: 12_000,
        measured: 960,
        knows_site: true,
        body: vec![1; 8],
    };
    let kept = app.store.save_forecast_models(&access, &models).await;
    kept.unwrap();
    let day = PlanDay {
        day: access.zone().day_of(now),
        actual: 120,
        without_plan: 150,
        without_battery: 300,
        counted: true,
        stored: 3_000,
    };
    app.store.save_plan_day(&access, &day).await.unwrap();
}

pub(crate) async fn set_stage(app: &TestApp) -> Stage {
    let units = [app.device("SC000001").await, app.device("SC000002").await];
    let code = app.code(&units.each_ref()).await;
    app.device("SC000003").await;
    app.device("SC000004").await;
    app.service
        .register_partner("cleverpv", "clever-PV", &[CALLBACK.to_owned()])
        .await
        .unwrap();
    let release = Manifest {
        hardware: "SC-10".into(),
        ..manifest(Part::Master, "4.13", 3)
    };
    app.roll_out(&release, IMAGE).await;
    Stage { code }
}

/// A person who has done everything that leaves data behind; the mails are still in the outbox.
pub(crate) struct Life {
    pub(crate) person: Person,
    /// Values that could identify the person.
    pub(crate) personal: Vec<String>,
    pub(crate) partner_token: String,
    pub(crate) partner_refresh: String,
}

pub(crate) async fn live(app: &TestApp, db: &TestDb, stage: &Stage) -> Life {
    let phone = ("phone", "+49 151 23456789");
    let mut form = app.owner_form("anna.first@example.com", &stage.code);
    form.retain(|(name, _)| *name != "phone");
    form.extend([phone, ("sn2", "SC000003")]);
    // A registration by mail that was never confirmed, before the successful one.
    let mut early = form.clone();
    early.retain(|(name, _)| *name != "sn1");
    early.push(("sn1", "SC000004"));
    let call = app.post("/api/auth/register/", &early);
    call.from("10.6.6.1").send().await.expect(202);
    let call = app.post("/api/auth/register/", &form);
    call.from("10.6.6.2").send().await.expect(201);

    // The address changes once, and a second change is pending.
    let first = app.log_in("anna.first@example.com", false).await;
    change_address(app, &first, "anna.second@example.com").await;
    let token = app.mailed_token("anna.second@example.com", "email").await;
    app.clock.advance(MINUTE);
    app.post("/api/auth/account/email/confirm/", &[("token", &token)])
        .send()
        .await
        .expect(200);
    let person = app.log_in("anna.second@example.com", false).await;
    change_address(app, &person, "anna.third@example.com").await;

    // A stranger registers with her address, which sends her a mail.
    let taken = app.owner_form("anna.second@example.com", "SC000004");
    let call = app.post("/api/auth/register/", &taken);
    call.from("10.6.6.3").send().await.expect(202);

    let home = [
        ("first_name", "Annegret"),
        ("last_name", "Sonnleitner"),
        ("place", "Annahof am See"),
        ("latitude", "47.8571"),
        ("longitude", "12.1181"),
        ("time_zone", "Europe/Vienna"),
        ("planes", "5.2/30/-90"),
    ];
    let call = app.call("PATCH", "/api/auth/system/SC000001/").form(&home);
    call.bearer(&person.access).send().await.expect(204);
    db.execute("UPDATE systems SET master_version = '4.1' WHERE sn = 'SC000001'")
        .await;
    // Her battery reports, including an undated sample.
    let battery = app.battery("SC000001");
    battery.hello(|_| {}).await;
    battery.sample(|_| {}).await;
    battery
        .event(Some(app.clock.now()), EventCode::MeterLost, true, None)
        .await;
    battery.undated_sample(r#"{"s":9,"soc":55}"#).await;
    // An electrician commissioned another system for her, and starts a second commissioning.
    let moritz = app.electrician("installer").await;
    app.grant(&person, &moritz, "SC000002", "service").await;
    let other = app.battery("SC000002");
    app.commission(&moritz, &other).await;
    let again = app.begin_commissioning(&moritz, "SC000002").await;
    let customer = [
        ("step", "customer"),
        ("first_name", "Annegret"),
        ("last_name", "Sonnleitner"),
        ("place", "Annastraße 3"),
    ];
    app.step(&moritz, again, &customer).await;
    // These tests are only about her.
    delete(app, &moritz).await;
    // She changes its settings and gives it commands.
    let set = [
        ("version", "0"),
        ("charge_start", "23:07"),
        ("provider", "tibber"),
        ("provider_token", TOKEN),
    ];
    app.post("/api/auth/settings/?sn=SC000001", &set)
        .bearer(&person.access)
        .send()
        .await
        .expect(200);
    let command = [
        ("sn", "SC000001"),
        ("command", "calibrate"),
        ("key", "a-key-of-hers"),
    ];
    let given = app
        .post("/api/auth/command/", &command)
        .bearer(&person.access)
        .send()
        .await
        .expect(201)
        .json();
    battery
        .answer_command(given["id"].as_str().unwrap(), true, "ok")
        .await;
    // The system has an alarm, which she has acknowledged.
    let alarm = app
        .open_alarm("SC000001", AlarmKind::MeterError)
        .await
        .to_string();
    app.post("/api/auth/alarm/", &[("id", &alarm)])
        .bearer(&person.access)
        .send()
        .await
        .expect(200);
    let remark = [
        ("id", alarm.as_str()),
        ("text", "Der Techniker kommt am Montag"),
    ];
    app.post("/api/auth/alarm/comment/", &remark)
        .bearer(&person.access)
        .send()
        .await
        .expect(200);
    let sign = [(battery.sn.clone(), Some(app.clock.now()))];
    app.store.save_batteries_at_floor(&sign).await.unwrap();
    // It has a forecast and a plan, with her charge target.
    let target = [("sn", "SC000001"), ("soc", "70"), ("by", "18:00")];
    app.post("/api/auth/plan/", &target)
        .bearer(&person.access)
        .send()
        .await
        .expect(200);
    plan(app, &battery.sn).await;
    // It gets a firmware update.
    eventually("the update is offered", async || {
        !app.portal.live.offered(&battery.sn).is_empty()
    })
    .await;
    app.order_update(&person, "SC000001", "1").await.expect(200);
    // A claim, an ended session, a refreshed one, and a partner.
    app.post("/api/auth/logout/", &[])
        .bearer(&first.access)
        .send()
        .await
        .expect(204);
    app.post("/api/auth/token/refresh/", &[("refresh", &person.refresh)])
        .send()
        .await
        .expect(200);
    // The names of her groups identify her, too.
    let group = [("name", "Annegrets Keller"), ("sn", "SC000001")];
    app.post("/api/auth/group/", &group)
        .bearer(&person.access)
        .send()
        .await
        .expect(201);
    let prices = [
        ("sn", "SC000001"),
        ("import_price", "31.90"),
        ("feed_in_price", "7.94"),
    ];
    app.post("/api/auth/tariff/", &prices)
        .bearer(&person.access)
        .send()
        .await
        .expect(200);
    // Prices by time of day, her provider's prices, and the weather at her roof.
    let steps = [("sn", "SC000001"), ("steps", "workdays/00:00/23,07")];
    app.post("/api/auth/price/", &steps)
        .bearer(&person.access)
        .send()
        .await
        .expect(200);
    hear_from_outside(app, &battery.sn).await;
    // An electrician and a flatmate are invited, and the house is being sold.
    for (email, scope) in [
        ("moritz@example.com", "service"),
        ("lea@example.com", "look"),
    ] {
        let invite = [
            ("sn", "SC000001"),
            ("email", email),
            ("scope", scope),
            ("password", PASSWORD),
        ];
        app.post("/api/auth/grant/", &invite)
            .bearer(&person.access)
            .send()
            .await
            .expect(201);
    }
    let sale = [
        ("sn", "SC000001"),
        ("email", "next@example.com"),
        ("password", PASSWORD),
    ];
    app.post("/api/auth/grant/handover/", &sale)
        .bearer(&person.access)
        .send()
        .await
        .expect(201);
    let (partner_token, partner_refresh) = let_partner_in(app, &person).await;
    consent(app, &person).await;
    // She has a passkey, and uses it.
    let passkey = app.add_passkey(&person, "Annegrets Telefon").await;
    let shown = app.show_passkey(&passkey).await;
    let entered = app.post("/api/auth/token/passkey/", &[("passkey", &shown)]);
    entered.send().await.expect(200);
    // She sets up a second factor; this ends her other sessions, not the current one.
    app.enable_totp(&person).await;
    Life {
        personal: [
            "anna",
            "+4915123456789",
            "15123456789",
            "Annegret",
            "Sonnleitner",
            "23:07",
            "Čačić",
            "Annastraße",
            "Annahof",
        ]
        .map(str::to_owned)
        .to_vec(),
        person,
        partner_token,
        partner_refresh,
    }
}

/// Stores answers of her provider and the weather service.
async fn hear_from_outside(app: &TestApp, sn: &Serial) {
    let now = app.clock.now();
    let wanted = PriceDemand {
        source: Source::Tibber,
        zone: BiddingZone::DeLu,
        household: Some(HouseholdToken {
            token: ProviderToken::new(TOKEN.to_owned()),
            systems: vec![sn.clone()],
        }),
    };
    let slot = PriceSlot {
        start: now,
        end: now + QUARTER,
        price: SpotPrice::from_thousandths(25_120).unwrap(),
    };
    let well = SourceState::default();
    let kept = app.store.save_prices(&wanted, &[slot], well, now).await;
    kept.unwrap();
    let weather = WeatherForecast {
        source: Source::ForecastSolar,
        issued_at: now,
        start: now,
        watts: vec![Some(4_321), None],
    };
    let kept = app
        .store
        .save_weather(std::slice::from_ref(sn), &weather, well)
        .await;
    kept.unwrap();
}

async fn change_address(app: &TestApp, person: &Person, email: &str) {
    app.call("PATCH", "/api/auth/account/")
        .form(&[("email", email), ("password", PASSWORD)])
        .bearer(&person.access)
        .send()
        .await
        .expect(200);
}

const VERIFIER: &str = "a-verifier-of-at-least-43-characters-as-rfc-7636-asks";

/// Consents and returns the code.
async fn consent(app: &TestApp, person: &Person) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, VERIFIER.as_bytes());
    let fields = [
        ("client_id", "cleverpv"),
        ("redirect_uri", CALLBACK),
        ("code_challenge", &BASE64.encode(digest)),
        ("code_challenge_method", "S256"),
        ("scope", "systems live"),
        ("state", "s"),
    ];
    let answer = app
        .post("/api/auth/partner/", &fields)
        .bearer(&person.access)
        .send()
        .await
        .expect(200)
        .json();
    let redirect = answer["redirect"].as_str().unwrap();
    let code = redirect.split_once("code=").unwrap().1;
    code.split('&').next().unwrap().to_owned()
}

async fn let_partner_in(app: &TestApp, person: &Person) -> (String, String) {
    let fields = [
        ("grant_type", "authorization_code"),
        ("code", &consent(app, person).await),
        ("redirect_uri", CALLBACK),
        ("client_id", "cleverpv"),
        ("code_verifier", VERIFIER),
    ];
    let call = app.post("/api/partner/token/", &fields);
    let tokens = call.send().await.expect(200).json();
    let token = |name: &str| tokens[name].as_str().unwrap().to_owned();
    (token("access_token"), token("refresh_token"))
}

pub(crate) async fn delete(app: &TestApp, person: &Person) {
    app.call("DELETE", "/api/auth/account/")
        .form(&[("password", PASSWORD)])
        .bearer(&person.access)
        .send()
        .await
        .expect(204);
}
