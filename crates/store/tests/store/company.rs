//! Accounts of electricians from before there were companies: each becomes a company of one, and keeps what it had.
#![allow(clippy::unwrap_used)]
use domain::grant::GrantState;
use domain::{AccountId, CompanyRole, Role};
use testkit::TestDb;
use testkit::database::{execute, execute_sqlite, open};

/// Two electricians, one of them without a name, an owner, and a member of the owner's household.
const BEFORE: &[&str] = &[
    "INSERT INTO accounts (email, password_hash, role, phone, country, company, language, terms_version, terms_at, created_at) VALUES
     ('blitz@example.com', '', 'electrician', '', 'DE', 'Blitz GmbH', 'de', '1', 1, 1),
     ('solo@example.com', '', 'electrician', '', 'DE', NULL, 'de', '1', 1, 1),
     ('anna@example.com', '', 'user', '', 'DE', NULL, 'de', '1', 1, 1),
     ('paul@example.com', '', 'user', '', 'DE', NULL, 'de', '1', 1, 1)",
    "INSERT INTO grants (sn, account_id, scope, state, origin, created_at, since)
     SELECT 'SC000001', id, 'service', 'active', 'invitation', 1, 1 FROM accounts WHERE email = 'blitz@example.com'",
    "INSERT INTO grants (sn, account_id, scope, state, origin, created_at)
     SELECT 'SC000001', id, 'monitor', 'asked', 'request', 1 FROM accounts WHERE email = 'solo@example.com'",
    "INSERT INTO grants (sn, account_id, scope, state, origin, created_at, since)
     SELECT 'SC000001', id, 'look', 'active', 'invitation', 1, 1 FROM accounts WHERE email = 'paul@example.com'",
    "INSERT INTO grants (sn, email, scope, state, origin, created_at)
     VALUES ('SC000001', 'new@example.com', 'monitor', 'invited', 'invitation', 1)",
    "INSERT INTO journal (at, account_id, actor, event, detail)
     SELECT 1, id, 'person', 'registered', 'null' FROM accounts",
];

async fn becomes_a_company_of_one(url: &str) {
    let store = open(url).await.unwrap();
    let account = async |email: &str| {
        let found = store.account_by_email(&email.parse().unwrap()).await;
        found.unwrap().unwrap()
    };
    let (blitz, solo) = (
        account("blitz@example.com").await,
        account("solo@example.com").await,
    );
    for (electrician, name) in [(&blitz, "Blitz GmbH"), (&solo, "–")] {
        let membership = electrician.membership().unwrap().unwrap();
        assert_eq!(membership.role, CompanyRole::Owner);
        assert_eq!(electrician.company.as_deref(), Some(name));
        let members = store.company_members(membership.company).await.unwrap();
        let members: Vec<AccountId> = members.iter().map(|member| member.account).collect();
        assert_eq!(members, [electrician.id()]);
    }
    let held = async |account: AccountId, role: Role| {
        let grants = store.held_grants(account, role, 2).await.unwrap();
        let states = grants.into_iter().map(|grant| (grant.state, grant.account));
        states.collect::<Vec<_>>()
    };
    let active = GrantState::Active;
    assert_eq!(
        held(blitz.id(), Role::Electrician).await,
        [(active, Some(blitz.id()))]
    );
    assert_eq!(
        held(solo.id(), Role::Electrician).await,
        [(GrantState::Requested, Some(solo.id()))]
    );
    let paul = account("paul@example.com").await;
    assert_eq!(paul.membership().unwrap(), None);
    assert_eq!(
        held(paul.id(), Role::User).await,
        [(active, Some(paul.id()))]
    );
    let anna = account("anna@example.com").await;
    assert_eq!(held(anna.id(), Role::User).await, []);
}

#[tokio::test]
async fn an_electrician_from_before_becomes_a_company_of_one_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("before.db").display());
    let before = db::Db::open(&url).await.unwrap();
    before.migrate_to(47).await.unwrap();
    before.close().await;
    for statement in BEFORE {
        execute_sqlite(&url, statement).await;
    }
    becomes_a_company_of_one(&url).await;
}

#[tokio::test]
async fn an_electrician_from_before_becomes_a_company_of_one_on_postgresql() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    db.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        .await;
    let before = db::Db::open(db.url()).await.unwrap();
    before.migrate_to(47).await.unwrap();
    before.close().await;
    let statements: Vec<String> = BEFORE.iter().map(|text| (*text).to_owned()).collect();
    execute(db.url(), &statements).await;
    becomes_a_company_of_one(db.url()).await;
    db.close().await;
}
