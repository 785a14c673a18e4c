//! The callers of the walk.
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use std::collections::HashMap;
use testkit::{Person, TestApp};

pub(super) const REDIRECT: &str = "https://app.test/back";
const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-long";

/// Creates callers and valid requests. A call that changes something has a caller of its own.
pub(super) struct Callers {
    count: usize,
    /// The caller of the next request.
    pub(super) current: Caller,
    /// Those who only read, or are refused.
    shared: HashMap<char, Caller>,
}

#[derive(Clone, Default)]
pub(super) struct Caller {
    pub(super) name: String,
    /// The serial number of the own system.
    pub(super) sn: String,
    pub(super) person: Option<Person>,
    token: Option<String>,
}

impl Callers {
    pub(super) async fn new(app: &TestApp) -> Self {
        let redirects = [REDIRECT.to_owned()];
        app.service
            .register_partner("app", "App", &redirects)
            .await
            .unwrap();
        Self {
            count: 0,
            current: Caller::default(),
            shared: HashMap::new(),
        }
    }

    pub(super) fn fresh(&mut self) -> (String, String) {
        self.count += 1;
        (
            format!("person{}", self.count),
            format!("WALK{:05}", self.count),
        )
    }

    /// A caller of this kind becomes the current one; a new one if the call changes something.
    pub(super) async fn token(
        &mut self,
        app: &TestApp,
        kind: char,
        changes: bool,
    ) -> Option<String> {
        // An address of its own for every call.
        let (name, sn) = self.fresh();
        self.current = match self.shared.get(&kind) {
            Some(shared) if !changes => shared.clone(),
            _ => self.create(app, kind, name, sn).await,
        };
        if !changes {
            self.shared.insert(kind, self.current.clone());
        }
        self.current.token.clone()
    }

    async fn create(&mut self, app: &TestApp, kind: char, name: String, sn: String) -> Caller {
        let person = match kind {
            'o' => Some(app.owner(&name, &sn).await),
            'u' => Some(app.unlinked(&name, &sn).await),
            'e' => Some(app.electrician(&name).await),
            _ => None,
        };
        let token = match kind {
            'p' => Some(self.partner_token(app).await),
            _ => person.as_ref().map(|person| person.access.clone()),
        };
        Caller {
            name,
            sn,
            person,
            token,
        }
    }

    /// A new member of an electrician's company.
    pub(super) async fn colleague(&mut self, app: &TestApp, owner: &Person, role: &str) -> Person {
        let (name, sn) = self.fresh();
        let person = app.colleague(owner, &name, role).await;
        self.current = Caller {
            name,
            sn,
            person: Some(person.clone()),
            token: Some(person.access.clone()),
        };
        person
    }

    /// Calls the consent screen's endpoint and returns the resulting code.
    pub(super) async fn code(&mut self, app: &TestApp) -> String {
        let (name, sn) = self.fresh();
        let owner = app.owner(&name, &sn).await;
        let answer = app
            .post("/api/auth/partner/", &consent())
            .bearer(&owner.access)
            .send()
            .await
            .expect(200)
            .json();
        let redirect = answer["redirect"].as_str().unwrap();
        redirect
            .split_once("code=")
            .unwrap()
            .1
            .split('&')
            .next()
            .unwrap()
            .to_owned()
    }

    async fn partner_token(&mut self, app: &TestApp) -> String {
        let code = self.code(app).await;
        let answer = app
            .post("/api/partner/token/", &exchange(&code))
            .from(&self.address())
            .send()
            .await
            .expect(200);
        answer.json()["access_token"].as_str().unwrap().to_owned()
    }

    pub(super) fn address(&self) -> String {
        testkit::fixtures::own_address(&format!("walk{}", self.count))
    }
}

pub(super) fn consent() -> [(&'static str, &'static str); 6] {
    [
        ("client_id", "app"),
        ("redirect_uri", REDIRECT),
        ("code_challenge", challenge()),
        ("code_challenge_method", "S256"),
        ("scope", "systems live"),
        ("state", "xyz"),
    ]
}

fn challenge() -> &'static str {
    static CHALLENGE: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    CHALLENGE.get_or_init(|| {
        BASE64.encode(ring::digest::digest(
            &ring::digest::SHA256,
            VERIFIER.as_bytes(),
        ))
    })
}

pub(super) fn exchange(code: &str) -> [(&'static str, &str); 5] {
    [
        ("grant_type", "authorization_code"),
        ("client_id", "app"),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
        ("code", code),
    ]
}
