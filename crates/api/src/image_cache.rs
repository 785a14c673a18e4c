//! In-memory cache of images: if a thousand batteries load the same image at once, it is read from the database once.
use crate::error::{Error, Result};
use bytes::Bytes;
use std::collections::VecDeque;
use std::sync::Arc;
use store::Store;
use tokio::sync::Mutex;

/// Enough for the parts of a few hardware models, old and new.
const MAX_CACHED_IMAGES: usize = 12;

/// Cheap to clone. Newest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImageCache(Arc<Mutex<VecDeque<(String, Bytes)>>>);

impl ImageCache {
    /// Other callers wait while an image is read, instead of reading it too.
    pub(crate) async fn load(&self, store: &Store, sha256: &str) -> Result<Bytes> {
        let mut cached = self.0.lock().await;
        if let Some((_, image)) = cached.iter().find(|(known, _)| known == sha256) {
            return Ok(image.clone());
        }
        let image = store.firmware_image(sha256).await?;
        let image = Bytes::from(image.ok_or(Error::not_found())?);
        cached.push_front((sha256.to_owned(), image.clone()));
        cached.truncate(MAX_CACHED_IMAGES);
        Ok(image)
    }
}
