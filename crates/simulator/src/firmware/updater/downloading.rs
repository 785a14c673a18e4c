//! Download into flash, resumed at the first missing byte after each interruption.
use super::super::flash::{Task, UpdateStep};
use super::super::{DownloadEvent, DownloadRequest};
use super::Updater;
use domain::firmware::Fault;
use tokio::time::Instant;

/// The update fails after this many refusals by the update service …
const MAX_REFUSALS: u32 = 3;
/// … or after this many consecutive attempts without a byte.
const MAX_TRIES: u32 = 30;

impl Updater {
    /// What to download, and from which byte, if a download is due.
    pub(crate) fn download_request(&self, now: Instant) -> Option<DownloadRequest> {
        let task = self.flash.task.as_ref()?;
        let due = task.step == UpdateStep::Download
            && self.volatile.cut.is_none()
            && self.volatile.retry_at <= now;
        due.then(|| DownloadRequest {
            url: task.url.clone(),
            digest: task.manifest().digest(),
            size: task.manifest().size,
            offset: task.image.len() as u64,
        })
    }

    /// Handles the next event of the download.
    pub(crate) fn record_download(&mut self, loaded: DownloadEvent, now: Instant) {
        let downloading = |task: &&mut Task| task.step == UpdateStep::Download;
        let Some(task) = self.flash.task.as_mut().filter(downloading) else {
            return;
        };
        if self.volatile.cut.is_some() {
            return;
        }
        match loaded {
            DownloadEvent::StartsAt(offset) => {
                task.image.truncate(usize::try_from(offset).unwrap_or(0))
            }
            DownloadEvent::Bytes(bytes) => {
                (self.volatile.failed, self.volatile.refused) = (0, 0);
                let (offset, manifest) = (task.image.len() as u64, task.manifest());
                let size = manifest.size;
                let cut = super::progress::next_cut(&self.cuts, manifest.part, offset, size)
                    .unwrap_or(size);
                let room = usize::try_from(cut.min(size) - offset).unwrap_or(usize::MAX);
                task.image
                    .extend_from_slice(&bytes[..bytes.len().min(room)]);
                self.count_bytes(now);
            }
            DownloadEvent::WrongLength => self.fail(Fault::WrongImage),
            DownloadEvent::Disconnected => self.retry_later(now),
            DownloadEvent::Refused => {
                self.volatile.refused += 1;
                self.retry_later(now);
            }
        }
    }

    pub(super) fn count_bytes(&mut self, now: Instant) {
        let Some(task) = &self.flash.task else { return };
        let (done, size) = (task.image.len() as u64, task.manifest().size);
        self.progress(done, size, now);
        if done >= size && self.volatile.cut.is_none() {
            self.go_to(UpdateStep::Verify, now);
        }
    }

    fn retry_later(&mut self, now: Instant) {
        self.volatile.failed += 1;
        self.volatile.retry_at = now + self.timing.retry_delay(self.volatile.failed);
        if self.volatile.refused >= MAX_REFUSALS || self.volatile.failed >= MAX_TRIES {
            self.fail(Fault::NotLoaded);
        }
    }
}
