//! The operator's commands. They work on the database directly, beside a running server.

mod advisory;
mod device;
mod firmware;
mod secret;

use crate::cli::{Admin, CodeKind};
use crate::config::Config;
use crate::opening::{open_store, random, service};
use crate::shared_options;
use anyhow::{bail, ensure};
use domain::clock::{Millis, SECOND};
use domain::code::{Code, CodeKind as Kind};
use domain::{Clock, Email, Serial};
use service::Service;
use service::totp::TotpReset;
use store::Store;

pub(crate) async fn run(config: &Config, command: Admin) -> anyhow::Result<()> {
    if let Admin::Firmware { command } = command {
        return firmware::run(config, command).await;
    }
    if let Admin::ChangeSecret { new_secret_file } = command {
        return secret::change(config, &new_secret_file).await;
    }
    let store = open_store(config).await?;
    match &command {
        Admin::SetOption { name, value } => {
            let service = service(config, &store);
            return shared_options::change(&store, &service, name, value.as_deref()).await;
        }
        Admin::ListOptions => return shared_options::list(&store).await,
        _ => {}
    }
    let config = &shared_options::agree(config.clone(), &store).await?;
    let now = Clock::system().now();
    warn_of_clock(&store, now).await?;
    match command {
        Admin::Firmware { .. }
        | Admin::ChangeSecret { .. }
        | Admin::SetOption { .. }
        | Admin::ListOptions => Ok(()),
        Admin::RotateKeys { grace_days } => {
            secret::rotate(&service(config, &store), grace_days).await
        }
        Admin::ListKeys => secret::list(&store).await,
        Admin::ImportDevices { file } => device::import(&service(config, &store), &file).await,
        Admin::IssueCode { kind, systems } => {
            issue_code(&service(config, &store), kind, &systems).await
        }
        Admin::RegisterPartner {
            id,
            name,
            redirects,
        } => {
            for url in &redirects {
                ensure!(
                    is_return_address(url),
                    "{url:?} is not a return address: https://…, or http:// on this machine"
                );
            }
            service(config, &store)
                .register_partner(&id, &name, &redirects)
                .await?;
            println!("registered {id}");
            Ok(())
        }
        Admin::LockAccount { email } => lock(&service(config, &store), &email, true).await,
        Admin::UnlockAccount { email } => lock(&service(config, &store), &email, false).await,
        Admin::ResetTotp { email } => reset_totp(&service(config, &store), &email).await,
        Admin::BrakeFleet { reason } => brake(config, &store, &reason).await,
        Admin::ReleaseFleet => {
            ensure!(
                service(config, &store).release_brake().await?,
                "the fleet's brake is not on"
            );
            println!("released");
            Ok(())
        }
        Admin::BlockDevice { sn, unblock } => {
            device::block(&service(config, &store), &sn, !unblock).await
        }
        Admin::ListBlocked => device::list_blocked(&store).await,
        Admin::ListThrottled => device::list_throttled(&store).await,
        Admin::RotateDeviceSecret { sn, now } => {
            device::rotate_secret(&service(config, &store), &sn, now).await
        }
        Admin::RestartBootCounter { sn } => {
            ensure!(
                service(config, &store).restart_boot_counter(&sn).await?,
                "no system has the serial number {sn}"
            );
            println!("reports of {sn} are accepted again from its next connection on");
            Ok(())
        }
    }
}

/// Warns if the clock is wrong: new codes, grants and links would expire at the wrong time.
async fn warn_of_clock(store: &Store, now: Millis) -> anyhow::Result<()> {
    if let Some(ahead) = store.clock_error(now).await? {
        eprintln!(
            "warning: the server's clock is {} s {} those of its batteries: set it, and keep it right by NTP",
            ahead.abs() / SECOND,
            if ahead > 0 { "ahead of" } else { "behind" }
        );
    }
    Ok(())
}

async fn issue_code(service: &Service, kind: CodeKind, systems: &[Serial]) -> anyhow::Result<()> {
    let kind = match kind {
        CodeKind::Registration => Kind::Registration,
        CodeKind::Installer => Kind::Installer,
    };
    let code = Code::random(&random());
    service.issue_code(&code, kind, systems).await?;
    println!("{}", code.as_str());
    Ok(())
}

/// The authorisation code is sent to this address, so it must be encrypted or stay on the machine.
fn is_return_address(url: &str) -> bool {
    let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let local = local.iter().any(|host| {
        url.strip_prefix(host)
            .is_some_and(|rest| rest.starts_with([':', '/']))
    });
    (url.starts_with("https://") || local) && !url.contains('#')
}

async fn lock(service: &Service, email: &Email, lock: bool) -> anyhow::Result<()> {
    if !service.lock_account(email, lock).await? {
        bail!("no account has this address");
    }
    println!("{}", if lock { "locked" } else { "unlocked" });
    Ok(())
}

async fn reset_totp(service: &Service, email: &Email) -> anyhow::Result<()> {
    match service.reset_totp(email).await? {
        TotpReset::Done => println!("reset"),
        TotpReset::NoAccount => bail!("no account has this address"),
        TotpReset::Nothing => bail!("this account has neither a second factor nor a passkey"),
    }
    Ok(())
}

async fn brake(config: &Config, store: &Store, reason: &str) -> anyhow::Result<()> {
    ensure!(!reason.trim().is_empty(), "say why, for the journal");
    if !service(config, store).put_brake_on(reason).await?
        && let Some(brake) = store.brake().await?
    {
        bail!("the fleet's brake is on already: {}", brake.reason);
    }
    println!("braked");
    Ok(())
}
