//! Images in memory: a thousand batteries that load the same one at once read it from the database once.
use crate::Portal;
use crate::error::{Error, Result};
use bytes::Bytes;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::Mutex;

/// A part for each of a few kinds of hardware, old and new.
const KEPT: usize = 12;

/// Cheap to clone. Newest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Images(Arc<Mutex<VecDeque<(String, Bytes)>>>);

impl Images {
    /// While one is read everybody else waits for it, instead of reading it too.
    pub(crate) async fn load(portal: &Portal, sha256: &str) -> Result<Bytes> {
        let mut kept = portal.images.0.lock().await;
        if let Some((_, image)) = kept.iter().find(|(known, _)| known == sha256) {
            return Ok(image.clone());
        }
        let image = portal.store.firmware_image(sha256).await?;
        let image = Bytes::from(image.ok_or(Error::not_found())?);
        kept.push_front((sha256.to_owned(), image.clone()));
        kept.truncate(KEPT);
        Ok(image)
    }
}
