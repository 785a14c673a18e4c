//! What the demo prints at its start: addresses, accounts, and the keys of systems that nobody owns yet.
use super::people::{DemoSeeder, PASSWORD, PLANNING_OWNER};
use super::sites::{self, DemoSite};
use crate::cli::DemoOptions;
use domain::code::CodeKind;
use std::path::Path;

/// The code that an electrician finds in the box, and where more come from.
async fn print_installer_code(
    seeder: &DemoSeeder,
    sites: &[DemoSite],
    data_dir: &Path,
) -> anyhow::Result<()> {
    // A site of several units. Not the one whose code is lost: an unused code keeps the main switch from claiming it.
    let free = sites
        .iter()
        .filter(|site| site.owner.is_none() && !site.code_lost);
    let Some(site) = free.max_by_key(|site| site.units.len()) else {
        return Ok(());
    };
    let code = seeder.issue_code(CodeKind::Installer, site.units).await?;
    let serials: Vec<_> = site.units.iter().map(|(sn, _)| *sn).collect();
    println!("\nAn installer code, to commission with as an electrician");
    println!("  {:<23}  {}", code.as_str(), serials.join(" "));
    println!(
        "More: suncellar --data-dir {data} --secret-file {data}/demo-key admin issue-code installer SC24D0001",
        data = data_dir.display()
    );
    Ok(())
}

pub(super) async fn print_welcome(
    seeder: &DemoSeeder,
    demo: &DemoOptions,
    data_dir: &Path,
) -> anyhow::Result<()> {
    let url = &seeder.public_url;
    println!("\nSuncellar demo   {url}");
    println!("mails            {url}/demo/mail/");
    println!("cellar           {url}/demo/cellar/   (main switches and plugs)\n");
    println!("Accounts, all with the password {PASSWORD}");
    for (email, role, units) in sites::accounts() {
        let serials: Vec<_> = units.iter().map(|(sn, _)| *sn).collect();
        println!("  {email:<26}{:<13}{}", role.as_str(), serials.join(" "));
    }
    let sites = sites::of_size(demo.systems);
    let neighbours = sites.iter().filter_map(|site| site.owner).count() - 3;
    if neighbours > 0 {
        println!("  and {neighbours} neighbours, such as {PLANNING_OWNER}, who has a charge plan");
    }
    println!("\nSystems that nobody owns yet, to register with");
    for site in sites.iter().filter(|site| site.owner.is_none()) {
        let serials: Vec<_> = site.units.iter().map(|(sn, _)| *sn).collect();
        let code = match site.code_lost {
            true => "(the code is lost)".to_owned(),
            false => {
                let code = seeder.issue_code(CodeKind::Registration, site.units);
                code.await?.as_str().to_owned()
            }
        };
        println!("  {code:<23}  {}", serials.join(" "));
    }
    println!("Where the code is lost the bare serial number works, by the main switch.");
    if demo.switch_after > 0 {
        println!(
            "Its battery performs the pattern by itself after {} s; or do it in the cellar.",
            demo.switch_after
        );
    }
    print_installer_code(seeder, &sites, data_dir).await?;
    println!("\nStop with Ctrl-C.\n");
    Ok(())
}
