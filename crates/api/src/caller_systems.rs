//! The systems that the caller may see, read together with the session, and the selection of some of them by `sn`.
use crate::error::{Error, Result};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::aggregate::ALL_SYSTEMS;
use domain::grant::Right;
use domain::{Message, Zone};
use std::sync::Arc;
use store::Access;

/// The most foreign serial numbers that a request for several systems may contain before it is refused as a whole.
const MAX_FOREIGN_SERIALS: usize = 10;

/// Sorted by phase and serial number.
#[derive(Clone, Debug)]
pub(crate) struct Systems {
    /// Systems at which the caller has the right that the call needs.
    pub(crate) allowed: Arc<[Access]>,
    /// All systems that the caller can see.
    visible: Arc<[Access]>,
    /// The right that the call needs.
    pub(crate) right: Right,
}

/// The systems that `sn=` selects.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Selection<'a> {
    One(&'a Access),
    /// All systems combined: sn −1.
    All(&'a [Access]),
}

impl Systems {
    pub(crate) fn new(visible: Arc<[Access]>, right: Right) -> Self {
        let may = |access: &&Access| access.may(right);
        let allowed = match visible.iter().all(|access| access.may(right)) {
            true => Arc::clone(&visible),
            false => visible.iter().filter(may).cloned().collect(),
        };
        Self {
            allowed,
            visible,
            right,
        }
    }

    /// One serial number, or −1; a missing `sn` means −1. Other people's systems and unknown serial numbers get the same error.
    pub(crate) fn one_or_all(&self, sn: &str) -> Result<Selection<'_>> {
        match sn.trim() {
            "" | ALL_SYSTEMS => Ok(Selection::All(&self.allowed)),
            sn => self.find(sn).map(Selection::One),
        }
    }

    /// Serial numbers separated by commas, without duplicates; the list may be empty. One serial number that is not the caller's
    /// refuses the whole list.
    pub(crate) fn parse_list(&self, sn: &str) -> Result<Vec<&Access>> {
        let mut picked: Vec<&Access> = Vec::new();
        for sn in sn.split(',').map(str::trim).filter(|sn| !sn.is_empty()) {
            let access = self.find(sn)?;
            if !picked.iter().any(|other| other.sn() == access.sn()) {
                picked.push(access);
            }
        }
        Ok(picked)
    }

    /// Every system, for −1 or a missing `sn`; otherwise the named ones.
    pub(crate) fn list_or_all(&self, sn: &str) -> Result<Vec<&Access>> {
        match sn.trim() {
            "" | ALL_SYSTEMS => Ok(self.allowed.iter().collect()),
            sn => self.parse_list(sn),
        }
    }

    /// The system with this serial number. Surrounding spaces are ignored.
    pub(crate) fn find(&self, sn: &str) -> Result<&Access> {
        let sn = sn.trim();
        let of = |access: &&Access| access.sn().as_str() == sn;
        let found = self.allowed.iter().find(of);
        found.ok_or_else(|| match self.visible.iter().find(of) {
            Some(access) => Error::forbidden(access.refusal(self.right)),
            None => Error::not_found(),
        })
    }

    /// Each named serial number once, with the system if the caller has the right, otherwise with the reason for the refusal. If
    /// none of them belongs to the caller, the answer is the same as if none existed.
    pub(crate) fn resolve_each<'n>(&self, sn: &'n str) -> Result<Vec<(&'n str, NamedSystem<'_>)>> {
        let mut names: Vec<&str> = Vec::new();
        for name in sn.split(',').map(str::trim) {
            if !names.contains(&name) {
                names.push(name);
            }
            // The list can have any length. With more names than systems, some must be foreign.
            if names.len() > self.visible.len() + MAX_FOREIGN_SERIALS {
                return Err(Error::not_found());
            }
        }
        let found = |name: &str| match self.find(name) {
            Ok(access) => NamedSystem::Allowed(access),
            Err(Error::Refused(_, why)) => NamedSystem::Refused(why),
            Err(_) => NamedSystem::Refused(Message::NotFound),
        };
        let named: Vec<_> = names.into_iter().map(|name| (name, found(name))).collect();
        let refused = |why: Message| {
            let same = |(_, found): &(&str, NamedSystem<'_>)| matches!(found, NamedSystem::Refused(other) if *other == why);
            named.iter().all(same)
        };
        if refused(Message::NotFound) {
            return Err(Error::not_found());
        }
        for why in [Message::ScopeTooSmall, Message::CompanyRoleTooSmall] {
            if refused(why) {
                return Err(Error::forbidden(why));
            }
        }
        Ok(named)
    }
}

/// A system named in a request for several systems.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NamedSystem<'a> {
    Allowed(&'a Access),
    Refused(Message),
}

impl<'a> Selection<'a> {
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

    /// The time zone of its days. Several systems are shown in the time zone of the first one.
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
