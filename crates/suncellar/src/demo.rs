//! The product with demo accounts: nothing to configure, nothing sent, everything on this machine.
use crate::cli::Demo;
use crate::config::Config;
use crate::roles::{self, Parts, bind, bind_devices, open_store, random};
use anyhow::Context as _;
use api::Portal;
use bus::Bus;
use domain::clock::SECOND;
use domain::code::{Code, CodeKind};
use domain::{Clock, Country, Key, Lang, Password, Phone, Role, Serial};
use jobs::mail::Post;
use std::path::Path;
use std::time::Duration;
use store::Store;
use store::account::Profile;
use store::mail::Mail;
use store::registration::Registration;
use store::system::NewDevice;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const PASSWORD: &str = "Sonnenschein-1!";

/// A serial number and the phase it is on.
type Unit = (&'static str, u8);

/// Accounts with their systems.
const ACCOUNTS: &[(&str, Role, &[Unit])] = &[
    ("owner@example.com", Role::User, &[("SC24A0001", 1)]),
    (
        "family@example.com",
        Role::User,
        &[("SC24B0001", 1), ("SC24B0002", 2), ("SC24B0003", 3)],
    ),
    ("away@example.com", Role::User, &[("SC24C0001", 1)]),
    ("electrician@example.com", Role::Electrician, &[]),
    ("installer@example.com", Role::Electrician, &[]),
];

/// Systems that nobody owns, by site; each site gets a registration code at every start.
const UNCLAIMED: &[&[Unit]] = &[
    &[("SC24D0001", 1)],
    &[("SC24D0002", 1)],
    &[("SC24D0003", 1)],
    &[("SC24E0001", 1), ("SC24E0002", 2), ("SC24E0003", 3)],
];

/// A partner app to try the consent screen with.
const PARTNER: (&str, &str) = ("demo-app", "Sonnenfreund");

pub(crate) async fn run(mut config: Config, demo: Demo) -> anyhow::Result<()> {
    if config.secret.is_none() {
        config.secret = Some(own_secret(&config.data_dir)?);
    }
    let store = open_store(&config).await?;
    let listener = bind(&config).await?;
    let devices = match bind_devices(&config).await {
        // Something else has the usual port, perhaps another demo: any other will do here.
        Err(_) if !config.devices_listen_chosen => {
            config.devices_listen.set_port(0);
            bind_devices(&config).await?
        }
        bound => bound?,
    };
    let clock = Clock::system();
    let settings = config.settings(listener.local_addr()?);
    let (bus, engine) = Bus::open(store.clone(), clock.clone(), &random()).await?;
    let live = bus.live.clone();
    let mut portal = Portal::new(store.clone(), live, clock.clone(), random(), settings);
    furnish(&portal).await?;
    // The systems are new at the first start.
    bus.live.load().await?;
    print_welcome(&portal, demo.switch_after).await?;

    let mails = api::Demo::default();
    portal.demo = Some(mails.clone());
    let sent_at = clock.clone();
    let take = move |letter: jobs::mail::Letter| {
        mails.deliver(api::SentMail {
            to: letter.to,
            subject: letter.subject,
            text: letter.text,
            at: sent_at.now(),
        });
    };
    let post = Post::hand(take, &config.mail_from)?;
    let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
    if demo.switch_after > 0 {
        tasks.spawn(turn_switches(
            store,
            clock.clone(),
            i64::from(demo.switch_after) * SECOND,
            stop.clone(),
        ));
    }
    roles::run(
        &config,
        Parts {
            portal,
            listener,
            devices,
            bus,
            engine,
            post,
            clock,
        },
        tasks,
        stop,
    )
    .await
}

/// A secret drawn at the first start, so that logins survive a restart of the demo.
fn own_secret(data_dir: &Path) -> anyhow::Result<String> {
    std::fs::create_dir_all(data_dir)
        .with_context(|| format!("the data folder {} cannot be made", data_dir.display()))?;
    let path = data_dir.join("demo-key");
    if let Ok(secret) = std::fs::read_to_string(&path) {
        return Ok(secret);
    }
    let secret: String = random()
        .bytes::<32>()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    std::fs::write(&path, &secret)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(secret)
}

/// Creates systems and accounts at the first start; later ones find them.
async fn furnish(portal: &Portal) -> anyhow::Result<()> {
    let redirect = format!("{}/demo/partner/", portal.settings.public_url);
    portal
        .store
        .register_partner(PARTNER.0, PARTNER.1, &[redirect], portal.clock.now())
        .await?;
    let first = "owner@example.com"
        .parse()
        .map_err(|_| anyhow::anyhow!("a demo address"))?;
    if portal.store.account_by_email(&first).await?.is_some() {
        return Ok(());
    }
    let all = ACCOUNTS
        .iter()
        .map(|(_, _, systems)| *systems)
        .chain(UNCLAIMED.iter().copied());
    for systems in all {
        import(portal, systems).await?;
    }
    for (email, role, systems) in ACCOUNTS {
        register(portal, email, *role, systems).await?;
    }
    Ok(())
}

async fn import(portal: &Portal, systems: &[Unit]) -> anyhow::Result<()> {
    for (sn, phase) in systems {
        let (sn, secret) = (serial(sn)?, portal.random.bytes::<32>());
        let device = NewDevice {
            sn: &sn,
            phase: *phase,
            secret: &secret,
        };
        portal
            .store
            .import_devices(&[device], portal.clock.now())
            .await?;
    }
    Ok(())
}

/// Registers an account the way a person does: with a registration code for all systems of the site.
async fn register(
    portal: &Portal,
    email: &str,
    role: Role,
    systems: &[Unit],
) -> anyhow::Result<()> {
    let invalid = |_| anyhow::anyhow!("a demo account");
    let keys = if systems.is_empty() {
        Vec::new()
    } else {
        vec![Key::Code(issue(portal, systems).await?)]
    };
    let password = Password::parse(PASSWORD).map_err(invalid)?;
    let hash = portal.passwords.hash(&password).await;
    let profile = Profile {
        email: email.parse().map_err(invalid)?,
        role,
        phone: Phone::parse("+49 30 901820", Country::Germany).map_err(invalid)?,
        country: Country::Germany,
        company: (role == Role::Electrician).then(|| "Elektro Sonnenberg".to_owned()),
        language: Lang::De,
    };
    let registration = Registration {
        profile: &profile,
        password_hash: &hash,
        keys: &keys,
    };
    let welcome = Mail::new(
        "welcome",
        Lang::De,
        format!("{}/login", portal.settings.public_url),
    );
    portal
        .store
        .register(
            &registration,
            &welcome,
            portal.random.bytes(),
            portal.clock.now(),
        )
        .await?;
    Ok(())
}

async fn issue(portal: &Portal, systems: &[Unit]) -> anyhow::Result<Code> {
    let serials = systems
        .iter()
        .map(|(sn, _)| serial(sn))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let code = Code::random(&portal.random);
    portal
        .store
        .issue_code(&code, CodeKind::Registration, &serials, portal.clock.now())
        .await?;
    Ok(code)
}

fn serial(text: &str) -> anyhow::Result<Serial> {
    text.parse()
        .map_err(|_| anyhow::anyhow!("{text} is not a serial number"))
}

async fn print_welcome(portal: &Portal, switch_after: u32) -> anyhow::Result<()> {
    println!("\nSuncellar demo   {}", portal.settings.public_url);
    println!(
        "mails            {}/demo/mail/\n",
        portal.settings.public_url
    );
    println!("Accounts, all with the password {PASSWORD}");
    for (email, role, systems) in ACCOUNTS {
        let serials: Vec<_> = systems.iter().map(|(sn, _)| *sn).collect();
        println!("  {email:<26}{:<13}{}", role.as_str(), serials.join(" "));
    }
    println!("\nSystems that nobody owns yet, to register with");
    for systems in UNCLAIMED {
        let code = issue(portal, systems).await?;
        let serials: Vec<_> = systems.iter().map(|(sn, _)| *sn).collect();
        println!("  {}  {}", code.as_str(), serials.join(" "));
    }
    if switch_after > 0 {
        println!(
            "A bare serial number works too: its battery turns the main switch after {switch_after} s."
        );
    }
    println!("\nStop with Ctrl-C.\n");
    Ok(())
}

/// Claimed batteries turn their main switch by themselves, as their owners would in the cellar.
async fn turn_switches(store: Store, clock: Clock, after: i64, stop: CancellationToken) {
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => {}
        }
        let now = clock.now();
        for sn in store
            .claimed_serials(now - after, now)
            .await
            .unwrap_or_default()
        {
            if let Err(error) = store.switch_cycled(&sn, now, now).await {
                tracing::warn!(%error, %sn, "the demo's main switch was not reported");
            }
        }
    }
}
