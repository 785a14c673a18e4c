//! The live data of one caller, from memory: an entry per system and a combined entry for all of them.

mod combined;
mod entry;
mod in_force;
mod update_view;
mod visible_system;

use crate::flag_sets::{Message3, Message5, Message6, NamedFlags};
use bus::LiveView;
use combined::{any_flag, combined_entry};
use domain::Lang;
use domain::aggregate::ALL_SYSTEMS;
use domain::clock::Millis;
use domain::flags::Flags;
use entry::LiveEntry;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use store::Access;
use utoipa::ToSchema;
pub(crate) use visible_system::VisibleSystem;

/// Live data: a list of single-key objects keyed by serial number, and three flag sets by serial number.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct LiveData {
    /// One entry per system. With more than one system, the entry `-1` combines all of them.
    #[schema(value_type = Vec<BTreeMap<String, LiveEntry>>)]
    data: Vec<SingleEntry<LiveEntry>>,
    #[schema(value_type = BTreeMap<String, Message3>)]
    message3: BySerial<Message3>,
    #[schema(value_type = BTreeMap<String, Message5>)]
    message5: BySerial<Message5>,
    #[schema(value_type = BTreeMap<String, Message6>)]
    message6: BySerial<Message6>,
    #[serde(skip)]
    named: NamedFlags,
}

/// The format that the caller asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveFormat {
    pub(crate) lang: Lang,
    pub(crate) named: NamedFlags,
}

/// An object with one key.
struct SingleEntry<T>(String, T);

impl<T: Serialize> Serialize for SingleEntry<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(&self.0, &self.1)?;
        map.end()
    }
}

/// An object with a key per system.
struct BySerial<T>(Vec<(String, T)>);

impl<T: Serialize> Serialize for BySerial<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(sn, set)| (sn, set)))
    }
}

/// The live data of these systems; `of` selects the systems that get an entry.
pub(crate) fn write(
    live: &LiveView,
    accesses: &[Access],
    of: impl Fn(&Access) -> bool,
    format: LiveFormat,
    now: Millis,
) -> Vec<u8> {
    let systems = visible_systems(live, accesses);
    let wanted = systems.iter().filter(|one| of(one.access));
    let mut document = LiveData::of(wanted, format, now);
    if systems.len() > 1 {
        let reporting: Vec<&VisibleSystem<'_>> =
            systems.iter().filter(|one| one.reports()).collect();
        let entry = combined_entry(&systems, &reporting, format.lang, now);
        document.put(ALL_SYSTEMS, entry, any_flag(&reporting));
    }
    document.into_json()
}

/// Only some of the systems, without the combined entry.
pub(crate) fn write_some(
    live: &LiveView,
    some: &[Access],
    format: LiveFormat,
    now: Millis,
) -> Vec<u8> {
    LiveData::of(visible_systems(live, some).iter(), format, now).into_json()
}

fn visible_systems<'a>(live: &'a LiveView, accesses: &'a [Access]) -> Vec<VisibleSystem<'a>> {
    let systems = accesses
        .iter()
        .map(|access| VisibleSystem::new(access, live));
    systems.collect()
}

impl LiveData {
    fn of<'a>(
        systems: impl Iterator<Item = &'a VisibleSystem<'a>>,
        format: LiveFormat,
        now: Millis,
    ) -> Self {
        let mut document = Self {
            data: Vec::new(),
            message3: BySerial(Vec::new()),
            message5: BySerial(Vec::new()),
            message6: BySerial(Vec::new()),
            named: format.named,
        };
        for one in systems {
            let sn = one.access.sn().as_str();
            document.put(sn, one.entry(format.lang, now), one.flags());
        }
        document
    }

    fn put(&mut self, sn: &str, mut entry: LiveEntry, flags: Flags) {
        let named = self.named;
        entry.message1.named = named;
        entry.message2.named = named;
        self.data.push(SingleEntry(sn.to_owned(), entry));
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
        // Serialising this data into memory cannot fail.
        let _ = serde_json::to_writer(&mut out, &self);
        out
    }
}
