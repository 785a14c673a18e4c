//! HTTP: the portal's calls and the web app on one listener. The only crate that knows axum.

pub mod access;
mod assets;
mod authenticate;
mod browser;
mod chart;
pub mod client;
mod csv;
mod demo;
mod error;
mod flag_sets;
mod form;
mod headers;
mod limits;
mod live;
mod number;
mod own;
mod password;
mod patience;
mod period;
mod router;
mod routes;
mod sentence;
mod serve;
mod settings;
mod state;
mod token;
mod window;

pub use demo::{Demo, SentMail};
pub use password::Passwords;
pub use router::{openapi, portal};
pub use routes::stream::Pace;
pub use serve::{Tls, serve};
pub use state::{Links, Portal, Settings};
pub use token::Tokens;
