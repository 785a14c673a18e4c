//! The live data of one caller, from memory: an entry per system, and one for all of them together.

mod all;
mod entry;
mod in_force;
mod seen;

use crate::flag_sets::{Message3, Message5, Message6, NamedFlags};
use all::{all, any_flag};
use bus::Live;
use domain::Lang;
use domain::clock::Millis;
use domain::flags::Flags;
use domain::together::ALL_SYSTEMS;
use entry::LiveEntry;
pub(crate) use seen::Seen;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use store::Access;
use utoipa::ToSchema;

/// Live data: a list of single-key objects keyed by serial number, and three flag sets by serial number.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct LiveData {
    /// With more than one system the entry `-1` stands for all of them.
    #[schema(value_type = Vec<BTreeMap<String, LiveEntry>>)]
    data: Vec<Keyed<LiveEntry>>,
    #[schema(value_type = BTreeMap<String, Message3>)]
    message3: Maps<Message3>,
    #[schema(value_type = BTreeMap<String, Message5>)]
    message5: Maps<Message5>,
    #[schema(value_type = BTreeMap<String, Message6>)]
    message6: Maps<Message6>,
    #[serde(skip)]
    named: NamedFlags,
}

/// How the reader wants to be told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    pub(crate) lang: Lang,
    pub(crate) named: NamedFlags,
}

/// An object with one key.
struct Keyed<T>(String, T);

impl<T: Serialize> Serialize for Keyed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(&self.0, &self.1)?;
        map.end()
    }
}

/// An object with a key per system.
struct Maps<T>(Vec<(String, T)>);

impl<T: Serialize> Serialize for Maps<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(sn, set)| (sn, set)))
    }
}

/// The live data of these systems; `of` says for which of them an entry is wanted.
pub(crate) fn write(
    live: &Live,
    accesses: &[Access],
    of: impl Fn(&Access) -> bool,
    words: Words,
    now: Millis,
) -> Vec<u8> {
    let seen = look(live, accesses);
    let wanted = seen.iter().filter(|one| of(one.access));
    let mut document = LiveData::of(wanted, words, now);
    if seen.len() > 1 {
        let reporting: Vec<&Seen<'_>> = seen.iter().filter(|one| one.reports()).collect();
        let entry = all(&seen, &reporting, words.lang, now);
        document.put(ALL_SYSTEMS, entry, any_flag(&reporting));
    }
    document.into_json()
}

/// Some of the systems alone, without the entry for all of them.
pub(crate) fn write_some(live: &Live, some: &[Access], words: Words, now: Millis) -> Vec<u8> {
    LiveData::of(look(live, some).iter(), words, now).into_json()
}

fn look<'a>(live: &'a Live, accesses: &'a [Access]) -> Vec<Seen<'a>> {
    let seen = accesses.iter().map(|access| Seen::new(access, live));
    seen.collect()
}

impl LiveData {
    fn of<'a>(seen: impl Iterator<Item = &'a Seen<'a>>, words: Words, now: Millis) -> Self {
        let mut document = Self {
            data: Vec::new(),
            message3: Maps(Vec::new()),
            message5: Maps(Vec::new()),
            message6: Maps(Vec::new()),
            named: words.named,
        };
        for one in seen {
            let sn = one.access.sn().as_str();
            document.put(sn, one.entry(words.lang, now), one.flags());
        }
        document
    }

    fn put(&mut self, sn: &str, mut entry: LiveEntry, flags: Flags) {
        let named = self.named;
        entry.message1.named = named;
        entry.message2.named = named;
        self.data.push(Keyed(sn.to_owned(), entry));
        let Flags {
            message3: flags3,
            message5: flags5,
            message6: flags6,
            ..
        } = flags;
        let sn = || sn.to_owned();
        let message3 = Message3 {
            flags: flags3,
            named,
        };
        let message5 = Message5 {
            flags: flags5,
            named,
        };
        let message6 = Message6 {
            flags: flags6,
            named,
        };
        self.message3.0.push((sn(), message3));
        self.message5.0.push((sn(), message5));
        self.message6.0.push((sn(), message6));
    }

    fn into_json(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(1024 + 4096 * self.data.len());
        // Writing into memory fails for nothing that is in here.
        let _ = serde_json::to_writer(&mut out, &self);
        out
    }
}
