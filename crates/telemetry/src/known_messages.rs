//! Which messages of connected systems are stored, in memory. A repeat is then recognised without a query.
use crate::message_ranges::{self, SeqRanges};
use db::{Error, Result, Tx};
use domain::Serial;
use domain::sample::MessageId;
use std::collections::{BTreeSet, HashMap};

/// The most boots per system in memory: a battery reports about its present boot, and a few earlier ones after an outage. All
/// boots of one message are kept, whatever their number.
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

    /// Whether a message is beside no stored one, if its boot was read.
    pub(crate) fn begins_range(&self, sn: &Serial, id: MessageId) -> bool {
        let ranges = self.ranges(sn, id.stored_boot());
        ranges.is_some_and(|ranges| !ranges.is_beside(id.seq))
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

    /// The boots of these messages that have to be read and [added](Self::add). Forgets all boots of a system that would then
    /// have too many; those that these messages need are among the ones to read.
    pub(crate) fn missing<'a>(
        &mut self,
        messages: impl Iterator<Item = (&'a Serial, MessageId)>,
    ) -> Vec<(&'a Serial, i64)> {
        let needed: BTreeSet<_> = messages.map(|(sn, id)| (sn, id.stored_boot())).collect();
        let mut missing: HashMap<&Serial, usize> = HashMap::new();
        for (sn, boot) in &needed {
            *missing.entry(sn).or_default() += usize::from(self.ranges(sn, *boot).is_none());
        }
        for (sn, missing) in missing {
            let kept = self.0.get(sn).map_or(0, Vec::len);
            if missing > 0 && kept + missing > MAX_BOOTS_PER_SYSTEM {
                self.forget(sn);
            }
        }
        let needed = needed.into_iter();
        needed
            .filter(|(sn, boot)| self.ranges(sn, *boot).is_none())
            .collect()
    }

    pub(crate) fn add(&mut self, sn: &Serial, boot: i64, ranges: SeqRanges) {
        let boots = self.0.entry(sn.clone()).or_default();
        boots.push((boot, ranges));
    }
}

/// Reads the ranges of boots, including boots without any.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds what is missing of these boots, as if each had stored message 1. Returns how many were missing.
    fn read(known: &mut KnownMessages, sn: &Serial, boots: std::ops::Range<u32>) -> usize {
        let messages = boots.map(|boot| (sn, MessageId::new(boot, 1)));
        let missing = known.missing(messages);
        let mut ranges = SeqRanges::default();
        ranges.insert(1);
        for (sn, boot) in &missing {
            known.add(sn, *boot, ranges.clone());
        }
        missing.len()
    }

    #[test]
    fn whatever_a_message_needs_is_known_afterwards_and_memory_is_bounded() {
        let sn: Serial = "SC000001".parse().unwrap();
        let mut known = KnownMessages::default();
        assert_eq!(read(&mut known, &sn, 1..9), 8);
        assert_eq!(read(&mut known, &sn, 1..9), 0);
        // The oldest one is needed again, together with a new one.
        let boots = [1, 9].map(|boot| (&sn, MessageId::new(boot, 1)));
        for (sn, boot) in known.missing(boots.into_iter()) {
            known.add(sn, boot, SeqRanges::default());
        }
        assert!(
            boots
                .iter()
                .all(|(sn, id)| known.contains(sn, *id).is_some())
        );
        // More than are kept, in one message.
        assert_eq!(read(&mut known, &sn, 100..120), 20);
        let all = (100..120).map(|boot| known.contains(&sn, MessageId::new(boot, 1)));
        assert!(all.into_iter().all(|stored| stored == Some(true)));
        assert_eq!(read(&mut known, &sn, 120..121), 1);
        assert_eq!(known.0[&sn].len(), 1);
    }
}
