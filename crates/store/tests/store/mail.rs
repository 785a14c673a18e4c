//! The outbox: who gets a mail to send, when it is retried and given up, and that its link cannot be read.
#![allow(clippy::unwrap_used)]
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::clock::{DAY, MINUTE};
use domain::{AccountId, Country, Email, Lang, Phone, Role};
use service::registration::Registration;
use store::Store;
use store::account::Profile;
use store::mail::{GIVE_UP_AFTER, Mail, MailBody, OutgoingMail};
use testkit::{NOON, TestDb, on_both, service_at};

fn email(text: &str) -> Email {
    text.parse().unwrap()
}

fn mail(name: &str) -> Mail {
    Mail::new(name, Lang::De, format!("https://portal.test/{name}"))
}

async fn queue(db: &Store, to: &str, at: i64) {
    let outgoing = OutgoingMail {
        account: None,
        recipient: &email(to),
        body: MailBody::Mail(mail("welcome")),
        nonce: [7; 12],
    };
    testkit::queue_mail(db, &outgoing, at).await;
}

/// The recipient of the next due mail.
async fn lease(store: &Store, now: i64) -> Option<String> {
    let due = store.lease_mail(now).await.unwrap();
    due.map(|due| due.recipient)
}

async fn count(db: &TestDb) -> usize {
    let dump = db.dump().await;
    let mails = dump.iter().find(|(table, _)| table == "mails").unwrap();
    mails.1.len()
}

fn profile(address: &str) -> Profile {
    Profile {
        email: email(address),
        role: Role::User,
        phone: Phone::parse("+49 30 901820", Country::Germany).unwrap(),
        country: Country::Germany,
        company: None,
        language: Lang::De,
    }
}

async fn account(db: &TestDb, address: &str) -> AccountId {
    let new = Registration {
        profile: &profile(address),
        password_hash: "no hash",
        keys: &[],
    };
    let made = service_at(db, NOON).register(&new).await;
    made.unwrap().0
}

on_both!(mails_are_leased_oldest_first, |db| {
    queue(db, "b@example.com", NOON + 1).await;
    queue(db, "a@example.com", NOON).await;
    let now = NOON + MINUTE;
    assert_eq!(lease(db, now).await.as_deref(), Some("a@example.com"));
    assert_eq!(lease(db, now).await.as_deref(), Some("b@example.com"));
    assert_eq!(lease(db, now).await, None);
});

on_both!(a_mail_says_what_was_queued, |db| {
    queue(db, "a@example.com", NOON).await;
    let due = db.lease_mail(NOON).await.unwrap().unwrap();
    assert_eq!(due.body, MailBody::Mail(mail("welcome")));
    assert_eq!(due.tries, 1);
});

on_both!(a_mail_that_is_not_due_yet_stays, |db| {
    queue(db, "a@example.com", NOON).await;
    assert_eq!(lease(db, NOON - 1).await, None);
});

on_both!(of_ten_who_ask_at_once_one_gets_the_mail, |db| {
    queue(db, "a@example.com", NOON).await;
    let asked: Vec<_> = (0..10)
        .map(|_| {
            let store = db.store();
            tokio::spawn(async move { lease(&store, NOON).await })
        })
        .collect();
    let mut got = 0;
    for one in asked {
        got += usize::from(one.await.unwrap().is_some());
    }
    assert_eq!(got, 1);
});

on_both!(
    a_mail_that_was_not_sent_is_due_again_later_each_time,
    |db| {
        queue(db, "a@example.com", NOON).await;
        let mut now = NOON;
        for (tries, wait) in [(1, 1), (2, 2), (3, 5), (4, 10)] {
            let due = db.lease_mail(now).await.unwrap().unwrap();
            assert_eq!(due.tries, tries);
            assert_eq!(
                lease(db, now + wait * MINUTE - 1).await,
                None,
                "try {tries}"
            );
            now += wait * MINUTE;
        }
        assert!(lease(db, now).await.is_some());
    }
);

on_both!(a_mail_that_was_sent_is_gone, |db| {
    queue(db, "a@example.com", NOON).await;
    let due = db.lease_mail(NOON).await.unwrap().unwrap();
    db.finish_mail(due.id).await.unwrap();
    assert_eq!(count(db).await, 0);
});

on_both!(a_mail_is_given_up_after_two_days, |db| {
    queue(db, "a@example.com", NOON).await;
    db.purge_mails(NOON + GIVE_UP_AFTER).await.unwrap();
    assert_eq!(count(db).await, 1);
    db.purge_mails(NOON + GIVE_UP_AFTER + 1).await.unwrap();
    assert_eq!(count(db).await, 0);
    assert_eq!(GIVE_UP_AFTER, 2 * DAY);
});

on_both!(
    a_mail_that_no_key_opens_is_dropped_and_the_next_one_sent,
    |db| {
        queue(db, "a@example.com", NOON).await;
        db.execute("UPDATE mails SET body = (SELECT wrapped FROM secret_keys)")
            .await;
        queue(db, "b@example.com", NOON + 1).await;
        assert_eq!(lease(db, NOON + 1).await, None);
        assert_eq!(lease(db, NOON + 1).await.as_deref(), Some("b@example.com"));
        assert_eq!(count(db).await, 1);
    }
);

on_both!(the_mails_of_an_account_go_with_it_wherever_they_go, |db| {
    let anna = account(db, "anna@example.com").await;
    let new = email("new@example.com");
    service_at(db, NOON)
        .send_email_change(anna, &new)
        .await
        .unwrap();
    queue(db, "ben@example.com", NOON).await;
    assert_eq!(count(db).await, 3);
    service_at(db, NOON).erase_account(anna).await.unwrap();
    assert_eq!(lease(db, NOON).await.as_deref(), Some("ben@example.com"));
    assert_eq!(count(db).await, 1);
});

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Everything that would reveal a token or its link: as text, and as bytes of a dumped column.
fn traces(token: &[u8]) -> [String; 4] {
    let text = hex(token);
    [
        hex(text.as_bytes()),
        text,
        "portal.test".to_owned(),
        hex(b"portal.test"),
    ]
}

/// The token that a mail's link ends with.
fn token_in(mail: &Mail) -> Vec<u8> {
    let (_, token) = mail.link.rsplit_once('=').unwrap();
    BASE64.decode(token).unwrap()
}

on_both!(
    a_mailed_link_can_be_read_neither_from_the_outbox_nor_from_the_links,
    |db| {
        let anna = account(db, "anna@example.com").await;
        let service = service_at(db, NOON);
        let new = email("new@example.com");
        service.send_email_change(anna, &new).await.unwrap();
        let welcome = db.lease_mail(NOON).await.unwrap().unwrap();
        assert_eq!(welcome.recipient, "anna@example.com");
        let change = db.lease_mail(NOON).await.unwrap().unwrap();
        assert_eq!(change.recipient, "new@example.com");
        let MailBody::Mail(change) = change.body else {
            panic!("a mail with a link");
        };
        let (old, page) = (
            email("anna@example.com"),
            "https://portal.test/reset#token=",
        );
        let reset = service.create_reset_link(&old, page).await;
        let reset = reset.unwrap().unwrap();
        assert_eq!(reset.language, "de");
        let kept = format!("{:?}", db.dump().await);
        for mail in [change, reset] {
            let token = token_in(&mail);
            let text = BASE64.encode(&token);
            for trace in traces(&token)
                .into_iter()
                .chain([hex(text.as_bytes()), text])
            {
                assert!(!kept.contains(&trace), "{trace}");
            }
        }
    }
);
