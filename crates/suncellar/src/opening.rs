//! Opens what a process works with: randomness, data folder, database, mail.
use crate::config::Config;
use crate::file_permissions;
use anyhow::{Context as _, bail};
use db::{DatabaseFile, DatabaseLock, Db};
use domain::{Clock, Random};
use jobs::mail::Mailer;
use ring::rand::{SecureRandom as _, SystemRandom};
use service::{Service, ServiceConfig};
use store::{SchemaAction, Secret, Store};

/// The operating system's secure random generator.
pub(crate) fn random() -> Random {
    let source = SystemRandom::new();
    Random::new(move |bytes| {
        source
            .fill(bytes)
            .expect("the system has a source of randomness")
    })
}

pub(crate) async fn open_store(config: &Config) -> anyhow::Result<Store> {
    let secret = parse_secret(config)?;
    open_with(config, &secret).await
}

/// `suncellar migrate`.
pub(crate) async fn migrate(config: &Config) -> anyhow::Result<()> {
    let secret = parse_secret(config)?;
    open(config, SchemaAction::Migrate, &secret).await?;
    Ok(())
}

fn parse_secret(config: &Config) -> anyhow::Result<Secret> {
    let Some(secret) = &config.secret else {
        bail!(
            "a signing secret is needed: set SUNCELLAR_SECRET or secret-file to at least 32 random characters"
        );
    };
    Ok(Secret::parse(secret)?)
}

/// Opens the store with a secret that need not meet today's rules: the one that is being changed. An SQLite database is
/// migrated, as no other process uses it; other processes may use PostgreSQL, so there it is for `suncellar migrate`.
pub(crate) async fn open_with(config: &Config, secret: &Secret) -> anyhow::Result<Store> {
    open(config, SchemaAction::MigrateUnlessShared, secret).await
}

async fn open(config: &Config, schema: SchemaAction, secret: &Secret) -> anyhow::Result<Store> {
    if let Some(file) = &config.secret_file {
        file_permissions::check_secret_file(file);
    }
    make_data_dir(config)?;
    file_permissions::restrict_existing(config);
    let open = async {
        let db = Db::open_with_connections(&config.database, config.database_connections).await?;
        Store::open_on(db, schema, secret, &random(), Clock::system().now()).await
    };
    open.await.context("the database cannot be opened")
}

/// Creates the folder of the embedded database.
pub(crate) fn make_data_dir(config: &Config) -> anyhow::Result<()> {
    if config.database.starts_with("sqlite:") {
        std::fs::create_dir_all(&config.data_dir).with_context(|| {
            format!(
                "the data folder {} cannot be created",
                config.data_dir.display()
            )
        })?;
    }
    Ok(())
}

/// Locks an SQLite database for this server, as it allows only one. PostgreSQL may have several.
pub(crate) fn lock_database(config: &Config) -> anyhow::Result<Option<DatabaseLock>> {
    make_data_dir(config)?;
    let file = DatabaseFile::of(&config.database)?;
    Ok(file.map(|file| file.lock()).transpose()?)
}

/// Use cases without a bus: running servers read the changes from the database.
pub(crate) fn service(config: &Config, store: &Store) -> Service {
    let settings = config.settings(None, None);
    let config = ServiceConfig {
        public_url: settings.public_url,
        devices_a_minute: settings.devices_a_minute,
    };
    Service::new(store.clone(), None, Clock::system(), random(), config)
}

pub(crate) fn open_mailer(config: &Config) -> anyhow::Result<Mailer> {
    match &config.smtp {
        Some(url) => {
            let authority = config
                .smtp_ca
                .as_ref()
                .map(std::fs::read)
                .transpose()
                .context("smtp-ca cannot be read")?;
            Mailer::smtp(url, &config.mail_from, authority.as_deref())
        }
        None => Mailer::folder(config.data_dir.join("mail"), &config.mail_from),
    }
}
