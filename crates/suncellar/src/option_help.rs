//! Which options the help of each command lists. All commands accept all of them, because variables and the configuration file are
//! shared; the help shows those that make a difference.
use clap::{Arg, Command};

const FILE: &[&str] = &["config", "log_format"];
const DATABASE: &[&str] = &["data_dir", "database"];
const SECRET: &[&str] = &["secret", "secret_file"];
const LISTENERS: &[&str] = &[
    "listen",
    "updates_listen",
    "devices_listen",
    "status_listen",
];
const INIT: &[&str] = &[
    "config",
    "data_dir",
    "database",
    "secret_file",
    "public_url",
    "updates_url",
    "listen",
    "updates_listen",
    "devices_listen",
    "tls_cert",
    "tls_key",
    "acme_domain",
    "acme_contact",
    "acme_directory",
    "acme_ca",
    "acme_listen",
    "portal_plain",
    "devices_plain",
    "trusted_proxy",
    "smtp",
    "smtp_ca",
    "mail_from",
];

/// The options of a command, named by its path: `admin firmware sign`. `None`: all.
fn shown(path: &str) -> Option<Vec<&'static str>> {
    let sets: &[&[&str]] = match path {
        "serve" | "check" => return None,
        "demo" => &[
            FILE,
            DATABASE,
            LISTENERS,
            &["public_url", "updates_url", "mail_from"],
        ],
        "init" => &[INIT],
        "simulate" => &[&["log_format"]],
        "backup" | "restore" | "move" => &[FILE, DATABASE],
        "health" => &[
            FILE,
            &[
                "listen",
                "status_listen",
                "tls_cert",
                "tls_key",
                "acme_domain",
                "role",
            ],
        ],
        "openapi" | "admin firmware new-key" | "admin firmware sign" => &[],
        _ => &[FILE, DATABASE, SECRET, &["database_connections"]],
    };
    Some(sets.concat())
}

/// Gives each command its own copy of the options, which hides the others.
pub(crate) fn of_each_command(command: Command) -> Command {
    let options: Vec<Arg> = command
        .get_arguments()
        .filter(|option| option.is_global_set())
        .cloned()
        .collect();
    let command = command.mut_args(|option| {
        let is_configuration = option.is_global_set();
        option.hide(is_configuration)
    });
    with_options(command, "", &options)
}

fn with_options(mut command: Command, path: &str, options: &[Arg]) -> Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    for name in names {
        let path = format!("{path} {name}").trim_start().to_owned();
        command = command.mut_subcommand(&name, |sub| {
            let shown = shown(&path);
            let is_hidden = |option: &Arg| {
                shown
                    .as_ref()
                    .is_some_and(|shown| !shown.contains(&option.get_id().as_str()))
            };
            let sub = sub.args(
                options
                    .iter()
                    .map(|option| option.clone().hide(is_hidden(option))),
            );
            with_options(sub, &path, options)
        });
    }
    command
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory as _;

    fn paths(command: &Command, path: &str, found: &mut Vec<String>) {
        for sub in command.get_subcommands() {
            let path = format!("{path} {}", sub.get_name()).trim_start().to_owned();
            found.push(path.clone());
            paths(sub, &path, found);
        }
    }

    fn help(path: &str) -> String {
        let mut command = of_each_command(Cli::command());
        command.build();
        let mut sub = &mut command;
        for name in path.split(' ').filter(|name| !name.is_empty()) {
            sub = sub.find_subcommand_mut(name).unwrap();
        }
        sub.render_long_help().to_string()
    }

    #[test]
    fn the_help_of_a_command_lists_its_own_options_and_no_others() {
        for (path, has, has_not) in [
            ("", "backup", "--smtp"),
            ("serve", "--smtp", "--keep "),
            ("backup", "--keep ", "--smtp"),
            ("backup", "--database", "--secret-file"),
            ("restore", "--data-dir", "--listen"),
            ("init", "--public-url", "--keep-samples"),
            ("admin issue-code", "--secret-file", "--tls-cert"),
            ("admin firmware sign", "--image", "--database"),
            ("openapi", "--help", "--config"),
        ] {
            let text = help(path);
            assert!(text.contains(has), "{path}: {has} in {text}");
            assert!(!text.contains(has_not), "{path}: {has_not} in {text}");
        }
    }

    /// A name that is misspelt here would hide an option, and a renamed command would get those of `admin`.
    #[test]
    fn every_option_and_command_that_is_named_exists() {
        let command = Cli::command();
        let mut known = Vec::new();
        paths(&command, "", &mut known);
        for path in [
            "serve",
            "check",
            "demo",
            "init",
            "simulate",
            "backup",
            "restore",
            "move",
            "health",
            "openapi",
            "admin firmware sign",
            "admin firmware new-key",
        ] {
            assert!(known.iter().any(|known| known == path), "{path}");
            for option in shown(path).unwrap_or_default() {
                assert!(
                    command
                        .get_arguments()
                        .any(|known| known.get_id() == option),
                    "{option}"
                );
            }
        }
    }
}
