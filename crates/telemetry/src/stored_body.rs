//! The body of a sealed day, stored in its row or in an object of the sample store.
use crate::Telemetry;
use crate::sample_store::ReadError;
use db::{Error, FromRow, Result};
use std::collections::BTreeMap;
use std::ops::Range;

/// The columns of [`BodyRow`]: of a day `d`, and its object.
macro_rules! body_columns {
    () => {
        "d.body, o.name AS object, d.object_at, d.object_bytes"
    };
}

/// Days with their objects, for [`body_columns!`].
macro_rules! days_with_objects {
    () => {
        "sealed_days d LEFT JOIN sample_objects o ON o.id = d.object_id"
    };
}

#[derive(Debug, FromRow)]
pub(crate) struct BodyRow {
    body: Vec<u8>,
    object: Option<String>,
    object_at: Option<i64>,
    object_bytes: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoredBody {
    Here(Vec<u8>),
    InObject { name: String, range: Range<u64> },
}

impl StoredBody {
    /// From the columns of a row.
    pub(crate) fn new(
        body: Vec<u8>,
        object: Option<String>,
        at: Option<i64>,
        bytes: Option<i64>,
    ) -> Result<Self> {
        if !body.is_empty() {
            return Ok(Self::Here(body));
        }
        let damaged = || Error::Damaged("sealed_days.object_id");
        let number =
            |number: Option<i64>| u64::try_from(number.ok_or_else(damaged)?).map_err(|_| damaged());
        let (name, at) = (object.ok_or_else(damaged)?, number(at)?);
        let range = at..at.saturating_add(number(bytes)?);
        Ok(Self::InObject { name, range })
    }
}

impl BodyRow {
    pub(crate) fn stored_body(self) -> Result<StoredBody> {
        StoredBody::new(self.body, self.object, self.object_at, self.object_bytes)
    }
}

/// The object is missing because its days have moved since their rows were read. Reading the rows again finds them.
#[derive(Debug)]
pub(crate) struct Moved;

/// How often rows are read again if their bodies have moved meanwhile.
pub(crate) const READ_ATTEMPTS: usize = 3;

/// The error if they have moved each time.
pub(crate) const OBJECT_MISSING: Error = Error::Damaged("an object of the sample store is missing");

impl Telemetry {
    /// Reads bodies that are in objects, with one request for each object.
    pub(crate) async fn load_bodies(
        &self,
        stored: Vec<StoredBody>,
    ) -> Result<std::result::Result<Vec<Vec<u8>>, Moved>> {
        let mut bodies = Vec::with_capacity(stored.len());
        let mut objects: BTreeMap<String, Vec<(usize, Range<u64>)>> = BTreeMap::new();
        for (place, body) in stored.into_iter().enumerate() {
            match body {
                StoredBody::Here(body) => bodies.push(body),
                StoredBody::InObject { name, range } => {
                    bodies.push(Vec::new());
                    objects.entry(name).or_default().push((place, range));
                }
            }
        }
        for (name, parts) in objects {
            let ranges: Vec<Range<u64>> = parts.iter().map(|(_, range)| range.clone()).collect();
            match self.sample_store()?.read(&name, &ranges).await {
                Ok(found) => {
                    for ((place, _), body) in parts.into_iter().zip(found) {
                        bodies[place] = body;
                    }
                }
                Err(ReadError::Missing) => return Ok(Err(Moved)),
                Err(ReadError::Away(error)) => return Err(error),
            }
        }
        Ok(Ok(bodies))
    }
}
