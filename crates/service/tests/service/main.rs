//! Use cases on both databases, where a running portal would only be in the way.
#![allow(clippy::unwrap_used)]

mod operator;
mod registration;
