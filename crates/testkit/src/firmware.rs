//! A manufacturer of firmware, whose releases are offered to every battery at once.
use crate::battery::HARDWARE;
use crate::http::Call;
use crate::{NOON, Person, TestApp, TestResponse};
use axum::http::Method;
use domain::clock::{DAY, Millis};
use domain::firmware::{Fault, Manifest, Part, SecretKey, digest_of};
use std::collections::BTreeMap;
use store::firmware::{NewRelease, ReleaseNotes};

pub const IMAGE: &[u8] = b"an image of a few bytes, enough to be loaded in two pieces";

pub fn release_key() -> SecretKey {
    SecretKey::new([9; 32])
}

pub fn manifest(part: Part, version: &str, seq: i64) -> Manifest {
    Manifest {
        part,
        hardware: HARDWARE.into(),
        version: version.parse().unwrap(),
        seq,
        size: IMAGE.len() as u64,
        sha256: digest_of(IMAGE),
        min_from: None,
        expires_at: NOON + 30 * DAY,
    }
}

impl TestApp {
    /// Publishes to the first wave.
    pub async fn publish(
        &self,
        manifest: &Manifest,
        image: &[u8],
        soak: Millis,
    ) -> Result<i64, Fault> {
        let key = release_key();
        let public = key.public();
        let trusted = self.service.trust_release_key(&public, false).await;
        trusted.unwrap();
        let notes = BTreeMap::from([("de".to_owned(), "Liest den Zähler schneller.".to_owned())]);
        let new = NewRelease {
            signed_manifest: &manifest.sign(&key),
            image,
            notes: &ReleaseNotes(notes),
            soak,
        };
        self.service.publish_firmware(new).await.unwrap()
    }

    /// Publishes and offers to everybody.
    pub async fn roll_out(&self, manifest: &Manifest, image: &[u8]) -> i64 {
        let id = self.publish(manifest, image, 0).await.unwrap();
        let now = self.clock.now();
        self.store.offer_to_all(id, now).await.unwrap();
        id
    }

    /// `update` is `1` to start an update, `0` to withdraw it.
    pub async fn order_update(&self, person: &Person, sn: &str, update: &str) -> TestResponse {
        let call = Call::new(self.updates, Method::POST, "/api/v1/update/");
        let call = call.bearer(&person.access);
        call.multipart(&[("sn", sn), ("update", update)])
            .send()
            .await
    }
}
