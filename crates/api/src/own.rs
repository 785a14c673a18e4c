//! The systems that the caller may look at, read together with the session, and the choice of some of them by `sn`.
use crate::error::{Error, Result};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::grant::Right;
use domain::together::ALL_SYSTEMS;
use domain::{Message, Zone};
use std::sync::Arc;
use store::Access;

/// Serial numbers that are not the caller's and get an answer all the same, in a request for several.
const FOREIGN: usize = 10;

/// By phase and serial number.
#[derive(Clone, Debug)]
pub(crate) struct Systems {
    /// With which the caller may do what the call does.
    pub(crate) allowed: Arc<[Access]>,
    /// Which the caller sees at all.
    seen: Arc<[Access]>,
    /// What the call does with them.
    pub(crate) right: Right,
}

/// What `sn=` asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Choice<'a> {
    One(&'a Access),
    /// All of them as one: sn −1.
    All(&'a [Access]),
}

impl Systems {
    pub(crate) fn new(seen: Arc<[Access]>, right: Right) -> Self {
        let may = |access: &&Access| access.may(right);
        let allowed = match seen.iter().all(|access| access.may(right)) {
            true => Arc::clone(&seen),
            false => seen.iter().filter(may).cloned().collect(),
        };
        Self {
            allowed,
            seen,
            right,
        }
    }

    /// One serial number, or −1; no `sn` at all means −1. Somebody else's system and one that does not exist are the same.
    pub(crate) fn choose(&self, sn: &str) -> Result<Choice<'_>> {
        match sn {
            "" | ALL_SYSTEMS => Ok(Choice::All(&self.allowed)),
            sn => self.find(sn).map(Choice::One),
        }
    }

    /// Serial numbers separated by commas, each once; there may be none. One that is not the caller's refuses them all.
    pub(crate) fn pick(&self, sn: &str) -> Result<Vec<&Access>> {
        let mut picked: Vec<&Access> = Vec::new();
        for sn in sn.split(',').map(str::trim).filter(|sn| !sn.is_empty()) {
            let access = self.find(sn)?;
            if !picked.iter().any(|other| other.sn() == access.sn()) {
                picked.push(access);
            }
        }
        Ok(picked)
    }

    /// Each of them, for −1 or no `sn` at all; otherwise those that are named.
    pub(crate) fn several(&self, sn: &str) -> Result<Vec<&Access>> {
        match sn.trim() {
            "" | ALL_SYSTEMS => Ok(self.allowed.iter().collect()),
            sn => self.pick(sn),
        }
    }

    pub(crate) fn find(&self, sn: &str) -> Result<&Access> {
        let of = |access: &&Access| access.sn().as_str() == sn;
        let found = self.allowed.iter().find(of);
        found.ok_or_else(|| match self.seen.iter().any(|access| of(&access)) {
            true => Error::scope_too_small(),
            false => Error::not_found(),
        })
    }

    /// Every serial number that is named, once, with the system where the caller may do this with it, or the reason why not.
    /// None of them being theirs is the same as none existing.
    pub(crate) fn named<'n>(&self, sn: &'n str) -> Result<Vec<(&'n str, Found<'_>)>> {
        let mut names: Vec<&str> = Vec::new();
        for name in sn.split(',').map(str::trim) {
            if !names.contains(&name) {
                names.push(name);
            }
            // More than they have cannot all be theirs; there is no end to what somebody could send.
            if names.len() > self.seen.len() + FOREIGN {
                return Err(Error::not_found());
            }
        }
        let found = |name: &str| match self.find(name) {
            Ok(access) => Found::Allowed(access),
            Err(Error::Refused(_, why)) => Found::Refused(why),
            Err(_) => Found::Refused(Message::NotFound),
        };
        let named: Vec<_> = names.into_iter().map(|name| (name, found(name))).collect();
        let refused = |why: Message| {
            let same = |(_, found): &(&str, Found<'_>)| matches!(found, Found::Refused(other) if *other == why);
            named.iter().all(same)
        };
        if refused(Message::NotFound) {
            return Err(Error::not_found());
        }
        if refused(Message::ScopeTooSmall) {
            return Err(Error::scope_too_small());
        }
        Ok(named)
    }
}

/// A system that is named in a request for several.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found<'a> {
    Allowed(&'a Access),
    Refused(Message),
}

impl<'a> Choice<'a> {
    pub(crate) fn accesses(self) -> &'a [Access] {
        match self {
            Self::One(access) => std::slice::from_ref(access),
            Self::All(accesses) => accesses,
        }
    }

    pub(crate) fn sn(self) -> &'a str {
        match self {
            Self::One(access) => access.sn().as_str(),
            Self::All(_) => ALL_SYSTEMS,
        }
    }

    /// The clock that its days go by. Several systems are shown by the clock of the first.
    pub(crate) fn zone(self) -> Zone {
        let first = self.accesses().first();
        first.map_or_else(Zone::default, |access| access.zone().clone())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Systems {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let systems = parts.extensions.get::<Self>().cloned();
        systems.ok_or(Error::token_invalid())
    }
}
