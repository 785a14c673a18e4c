//! Registration by mail: what is stored until the link is opened.
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::{Country, Lang, Phone, Role};
use service::registration::Registration;
use store::account::Profile;
use store::mail::MailBody;
use testkit::{NOON, PUBLIC_URL, on_both, service_at};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

on_both!(
    a_registration_link_can_be_read_neither_from_the_outbox_nor_from_the_registration,
    |db| {
        let profile = Profile {
            email: "anna@example.com".parse().unwrap(),
            role: Role::User,
            phone: Phone::parse("+49 30 901820", Country::Germany).unwrap(),
            country: Country::Germany,
            company: None,
            language: Lang::De,
        };
        let new = Registration {
            profile: &profile,
            password_hash: "no hash",
            keys: &[],
        };
        let service = service_at(db, NOON);
        service.register_by_mail(&new).await.unwrap();
        let stored = format!("{:?}", db.dump().await);
        let due = db.lease_mail(NOON).await.unwrap().unwrap();
        let MailBody::Mail(mail) = due.body else {
            panic!("{:?}", due.body)
        };
        let (_, text) = mail.link.split_once("#confirm=").unwrap();
        let token = BASE64.decode(text).unwrap();
        for secret in [text.as_bytes(), &token, PUBLIC_URL.as_bytes()] {
            assert!(!stored.contains(&hex(secret)), "{secret:?}");
        }
        assert!(!stored.contains(text) && !stored.contains(PUBLIC_URL));
        let confirmed = service.confirm_registration(&token).await.unwrap();
        assert!(confirmed.is_some());
    }
);
