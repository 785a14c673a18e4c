//! The portal at its HTTP border, on real sockets and both databases: a module for each noun.
//! One binary for all modules: linking is what test binaries cost.
#![allow(clippy::unwrap_used)]

mod account;
mod alarm;
mod charts;
mod claim;
mod command;
mod commissioning;
mod commissioning_customer;
mod faults;
mod grant;
mod group;
mod guard;
mod household;
mod in_force;
mod journal;
mod levels;
mod limits;
mod live;
mod partner;
mod password_reset;
mod plan;
mod price;
mod privacy;
mod registration;
mod replace;
mod replace_planning;
mod rollout;
mod savings;
mod session;
mod setting_batch;
mod setting_template;
mod settings;
mod site;
mod stream;
mod systems;
mod tariff;
mod timing;
mod tokens;
mod totp;
mod update;
mod update_switch;
mod walk;
mod web;
