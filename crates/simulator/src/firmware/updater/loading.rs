//! Bytes on their way into flash: from the one that is missing on, however often the way breaks.
use super::super::flash::{Step, Task};
use super::super::{Fetch, Loaded};
use super::Updater;
use domain::firmware::Fault;
use tokio::time::Instant;

/// The update service says no so many times before it is believed.
const REFUSALS: u32 = 3;
/// So many tries in a row without a byte are the last.
const TRIES: u32 = 30;

impl Updater {
    /// What to download from which byte on, if now is the time for it.
    pub(crate) fn fetch(&self, now: Instant) -> Option<Fetch> {
        let task = self.flash.task.as_ref()?;
        let due = task.step == Step::Download && self.run.cut.is_none() && self.run.retry_at <= now;
        due.then(|| Fetch {
            url: task.url.clone(),
            digest: task.manifest().digest(),
            size: task.manifest().size,
            offset: task.image.len() as u64,
        })
    }

    /// The download has brought something, or has ended.
    pub(crate) fn load(&mut self, loaded: Loaded, now: Instant) {
        let downloading = |task: &&mut Task| task.step == Step::Download;
        let Some(task) = self.flash.task.as_mut().filter(downloading) else {
            return;
        };
        if self.run.cut.is_some() {
            return;
        }
        match loaded {
            Loaded::From(offset) => task.image.truncate(usize::try_from(offset).unwrap_or(0)),
            Loaded::Bytes(bytes) => {
                (self.run.failed, self.run.refused) = (0, 0);
                let (offset, manifest) = (task.image.len() as u64, task.manifest());
                let size = manifest.size;
                let cut = super::telling::next_cut(&self.cuts, manifest.part, offset, size)
                    .unwrap_or(size);
                let room = usize::try_from(cut.min(size) - offset).unwrap_or(usize::MAX);
                task.image
                    .extend_from_slice(&bytes[..bytes.len().min(room)]);
                self.count_bytes(now);
            }
            Loaded::WrongLength => self.fail(Fault::WrongImage),
            Loaded::Lost => self.try_again(now),
            Loaded::Refused => {
                self.run.refused += 1;
                self.try_again(now);
            }
        }
    }

    pub(super) fn count_bytes(&mut self, now: Instant) {
        let Some(task) = &self.flash.task else { return };
        let (done, size) = (task.image.len() as u64, task.manifest().size);
        self.progress(done, size, now);
        if done >= size && self.run.cut.is_none() {
            self.go_to(Step::Verify, now);
        }
    }

    fn try_again(&mut self, now: Instant) {
        self.run.failed += 1;
        self.run.retry_at = now + self.pace.retry(self.run.failed);
        if self.run.refused >= REFUSALS || self.run.failed >= TRIES {
            self.fail(Fault::NotLoaded);
        }
    }
}
