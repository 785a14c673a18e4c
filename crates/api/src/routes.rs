//! The calls, one file per noun. A handler extracts, authorises, acts and answers; rules live in `domain` and `store`.

pub(crate) mod account;
pub(crate) mod command;
pub(crate) mod data;
pub(crate) mod energy_chart;
pub(crate) mod export;
pub(crate) mod graph;
pub(crate) mod group;
pub(crate) mod health;
pub(crate) mod journal;
pub(crate) mod partner;
pub(crate) mod partner_api;
pub(crate) mod password_reset;
pub(crate) mod personal_data;
pub(crate) mod registration;
pub(crate) mod savings;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod stream;
pub(crate) mod systems;
pub(crate) mod tariff;
