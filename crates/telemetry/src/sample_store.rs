//! The storage of old sealed days outside the database: an S3-compatible service, or a folder.
use db::{Error, Result};
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ClientOptions, ObjectStore, ObjectStoreExt as _, RetryConfig};
use std::fmt;
use std::future::Future;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Short, because a person waits for the answer.
const READ_TIMEOUT: Duration = Duration::from_secs(8);
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const MAX_RETRIES: usize = 2;

/// `s3://bucket/prefix` or `file:///folder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SampleStoreUrl {
    S3 { bucket: String, prefix: String },
    Folder(String),
}

#[derive(Debug, thiserror::Error)]
#[error("must be s3://BUCKET/PREFIX or file:///FOLDER")]
pub struct NotASampleStore;

impl FromStr for SampleStoreUrl {
    type Err = NotASampleStore;

    fn from_str(text: &str) -> Result<Self, NotASampleStore> {
        if let Some(folder) = text.strip_prefix("file://") {
            let folder = folder.trim_end_matches('/');
            return match folder.starts_with('/') {
                true => Ok(Self::Folder(folder.to_owned())),
                false => Err(NotASampleStore),
            };
        }
        let place = text.strip_prefix("s3://").ok_or(NotASampleStore)?;
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        match !bucket.is_empty() && bucket.chars().all(is_name) {
            true => Ok(Self::S3 {
                bucket: bucket.to_owned(),
                prefix: prefix.trim_matches('/').to_owned(),
            }),
            false => Err(NotASampleStore),
        }
    }
}

impl fmt::Display for SampleStoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::S3 { bucket, prefix } if prefix.is_empty() => write!(f, "s3://{bucket}"),
            Self::S3 { bucket, prefix } => write!(f, "s3://{bucket}/{prefix}"),
            Self::Folder(folder) => write!(f, "file://{folder}"),
        }
    }
}

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct SampleStore(Arc<dyn ObjectStore>);

/// Why an object could not be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// It does not exist: its days have moved, or it is lost.
    Missing,
    Away(Error),
}

impl SampleStore {
    /// Opens the store without a request to it. Keys, region and endpoint of S3 are the usual `AWS_…` variables.
    pub fn open(
        url: &SampleStoreUrl,
        variables: impl Iterator<Item = (String, String)>,
    ) -> Result<Self> {
        Ok(Self(match url {
            SampleStoreUrl::Folder(folder) => {
                std::fs::create_dir_all(folder).map_err(away)?;
                let folder = LocalFileSystem::new_with_prefix(folder).map_err(away)?;
                Arc::new(folder.with_fsync(true).with_automatic_cleanup(true))
            }
            SampleStoreUrl::S3 { bucket, prefix } => {
                let client = ClientOptions::new()
                    .with_connect_timeout(CONNECT_TIMEOUT)
                    .with_timeout(WRITE_TIMEOUT);
                let retry = RetryConfig {
                    max_retries: MAX_RETRIES,
                    retry_timeout: READ_TIMEOUT,
                    ..RetryConfig::default()
                };
                // Another one may be installed already.
                let _ = rustls::crypto::ring::default_provider().install_default();
                let mut service = AmazonS3Builder::new()
                    .with_client_options(client)
                    .with_retry(retry);
                for (name, value) in variables.filter(|(name, _)| name.starts_with("AWS_")) {
                    if let Ok(key) = name.to_ascii_lowercase().parse() {
                        service = service.with_config(key, value);
                    }
                }
                let service = service.with_bucket_name(bucket).build().map_err(away)?;
                Arc::new(PrefixStore::new(service, prefix.as_str()))
            }
        }))
    }

    /// Durable when it returns.
    pub(crate) async fn put(&self, name: &str, body: Vec<u8>) -> Result<()> {
        let put = async { self.0.put(&Path::from(name), body.into()).await };
        within_time("put", WRITE_TIMEOUT, put)
            .await?
            .map_err(away)?;
        Ok(())
    }

    pub(crate) async fn read(
        &self,
        name: &str,
        ranges: &[Range<u64>],
    ) -> std::result::Result<Vec<Vec<u8>>, ReadError> {
        let path = Path::from(name);
        let read = self.0.get_ranges(&path, ranges);
        let read = within_time("get", READ_TIMEOUT, read).await;
        match read.map_err(ReadError::Away)? {
            Ok(found) => Ok(found.into_iter().map(Into::into).collect()),
            Err(object_store::Error::NotFound { .. }) => Err(ReadError::Missing),
            Err(error) => Err(ReadError::Away(away(error))),
        }
    }

    /// Also succeeds if the object does not exist.
    pub(crate) async fn delete(&self, name: &str) -> Result<()> {
        let path = Path::from(name);
        let delete = self.0.delete(&path);
        match within_time("delete", WRITE_TIMEOUT, delete).await? {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(away(error)),
        }
    }
}

async fn within_time<T>(
    operation: &'static str,
    timeout: Duration,
    work: impl Future<Output = object_store::Result<T>>,
) -> Result<object_store::Result<T>> {
    let done = tokio::time::timeout(timeout, work).await;
    let succeeded = matches!(
        &done,
        Ok(Ok(_)) | Ok(Err(object_store::Error::NotFound { .. }))
    );
    let result = if succeeded { "ok" } else { "failed" };
    metrics::counter!("sample_store_requests_total", "operation" => operation, "result" => result)
        .increment(1);
    done.map_err(|_| Error::SampleStore(format!("no answer in {} s", timeout.as_secs())))
}

fn away(cause: impl std::error::Error) -> Error {
    let mut text = cause.to_string();
    let mut source = cause.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    Error::SampleStore(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_address_names_a_bucket_or_a_folder() {
        for same in [
            "s3://samples",
            "s3://samples/a/b",
            "file:///var/lib/samples",
        ] {
            let url: SampleStoreUrl = same.parse().unwrap();
            assert_eq!(url.to_string(), same);
        }
        assert_eq!(
            "s3://b/a/".parse::<SampleStoreUrl>().unwrap().to_string(),
            "s3://b/a"
        );
        for wrong in [
            "",
            "s3://",
            "s3:///a",
            "s3://user:key@bucket",
            "file://a",
            "https://a/b",
        ] {
            assert!(wrong.parse::<SampleStoreUrl>().is_err(), "{wrong}");
        }
    }
}
