//! Which messages of connected systems are stored, in memory: a repeat is recognised without asking the database.
use crate::message_ranges::{self, SeqRanges};
use db::{Error, Result, Tx};
use domain::Serial;
use domain::sample::MessageId;
use std::collections::{BTreeSet, HashMap};

/// Boots of one system that are kept: a battery reports about its present boot, and a few earlier ones after an outage.
const MAX_BOOTS_PER_SYSTEM: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct KnownMessages(HashMap<Serial, Vec<(i64, SeqRanges)>>);

impl KnownMessages {
    fn ranges(&self, sn: &Serial, boot: i64) -> Option<&SeqRanges> {
        let boots = self.0.get(sn)?;
        boots
            .iter()
            .find_map(|(known, ranges)| (*known == boot).then_some(ranges))
    }

    /// Whether a message is stored; `None` if its boot was not read.
    pub(crate) fn contains(&self, sn: &Serial, id: MessageId) -> Option<bool> {
        Some(self.ranges(sn, id.stored_boot())?.contains(id.seq))
    }

    /// Adds a message, if its boot was read.
    pub(crate) fn insert(&mut self, sn: &Serial, id: MessageId) {
        if let Some(boots) = self.0.get_mut(sn)
            && let Some((_, ranges)) = boots.iter_mut().find(|(boot, _)| *boot == id.stored_boot())
        {
            ranges.insert(id.seq);
        }
    }

    pub(crate) fn forget(&mut self, sn: &Serial) {
        self.0.remove(sn);
    }

    /// The boots of these messages that were not read yet.
    pub(crate) fn missing<'a>(
        &self,
        messages: impl Iterator<Item = (&'a Serial, MessageId)>,
    ) -> Vec<(&'a Serial, i64)> {
        let boots = messages.map(|(sn, id)| (sn, id.stored_boot()));
        let missing = boots.filter(|(sn, boot)| self.ranges(sn, *boot).is_none());
        let missing: BTreeSet<_> = missing.collect();
        missing.into_iter().collect()
    }

    pub(crate) fn add(&mut self, sn: &Serial, boot: i64, ranges: SeqRanges) {
        let boots = self.0.entry(sn.clone()).or_default();
        if boots.len() >= MAX_BOOTS_PER_SYSTEM {
            boots.remove(0);
        }
        boots.push((boot, ranges));
    }
}

/// Reads the ranges of boots, those without any included.
pub(crate) async fn read<'a>(
    tx: &mut Tx,
    boots: &[(&'a Serial, i64)],
) -> Result<Vec<(&'a Serial, i64, SeqRanges)>> {
    if boots.is_empty() {
        return Ok(Vec::new());
    }
    let mut found: HashMap<(Serial, i64), SeqRanges> = HashMap::new();
    for (sn, boot, ranges) in message_ranges::read_all(tx, boots).await? {
        let sn = sn
            .parse()
            .map_err(|_| Error::Damaged("message_ranges.sn"))?;
        found.insert((sn, boot), ranges);
    }
    let all = boots.iter().map(|(sn, boot)| {
        let ranges = found.remove(&((*sn).clone(), *boot)).unwrap_or_default();
        (*sn, *boot, ranges)
    });
    Ok(all.collect())
}
