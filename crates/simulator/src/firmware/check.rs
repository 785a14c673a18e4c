//! Whether a battery obeys an assignment: what it says before it is believed, and what stands when both signers were found
//! in it.
use super::{FirmwareKeys, Flash};
use domain::Serial;
use domain::clock::Millis;
use domain::firmware::{
    Assigned, Assignment, Fault, FirmwareReport, JobId, Manifest, Part, Sealed, Stage, Version,
};
use serde_json::Value;

/// The battery that reads it, and what time it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) sn: &'a Serial,
    pub(crate) hardware: &'a str,
    pub(crate) time: Millis,
}

/// `down/fw` as it came. Nothing in it is believed; it only says whom to answer about what.
pub(super) struct Letter {
    pub(super) job: JobId,
    pub(super) url: String,
    text: String,
    signature: String,
    parts: Vec<Enclosed>,
}

/// A part of it, with what the maker is said to have signed.
struct Enclosed {
    part: Part,
    version: Version,
    text: String,
    signature: String,
}

impl Enclosed {
    fn read(json: &Value) -> Option<Self> {
        let text = json["manifest"].as_str()?.to_owned();
        let manifest: Value = serde_json::from_str(&text).ok()?;
        Some(Self {
            part: manifest["part"].as_str()?.parse().ok()?,
            version: manifest["version"].as_str()?.parse().ok()?,
            signature: json["sig"].as_str()?.to_owned(),
            text,
        })
    }

    fn open(&self, keys: &FirmwareKeys) -> Result<Manifest, Fault> {
        let sealed = Sealed::new(self.text.clone(), &self.signature)?;
        Manifest::open(&sealed, &keys.release)
    }
}

impl Letter {
    /// `None` when it does not even say what it is about: there is nothing to answer.
    pub(super) fn read(message: &Value) -> Option<Self> {
        let text = message["assignment"].as_str()?;
        let json: Value = serde_json::from_str(text).ok()?;
        let parts = json["parts"].as_array()?.iter();
        let parts: Vec<Enclosed> = parts.filter_map(Enclosed::read).collect();
        if parts.is_empty() {
            return None;
        }
        Some(Self {
            job: json["job"].as_str()?.parse().ok()?,
            url: message["url"].as_str()?.to_owned(),
            text: text.to_owned(),
            signature: message["sig"].as_str()?.to_owned(),
            parts,
        })
    }

    /// What the battery has to do, or why it does not, with the report that says so.
    pub(super) fn open(
        &self,
        keys: Option<&FirmwareKeys>,
        flash: &Flash,
        reader: Reader<'_>,
    ) -> Result<Assigned, FirmwareReport> {
        // Without keys from the factory nobody can be believed.
        let keys = keys.ok_or_else(|| self.refuse(0, Fault::Signature))?;
        let assigned = self
            .believe(keys, flash.newest, reader)
            .map_err(|fault| self.refuse(self.at_fault(keys, fault), fault))?;
        for (place, manifest) in assigned.parts.iter().enumerate() {
            let standing = flash.standing(manifest.part, reader.hardware);
            manifest
                .suits(standing, reader.time)
                .map_err(|fault| self.refuse(place, fault))?;
        }
        Ok(assigned)
    }

    fn believe(
        &self,
        keys: &FirmwareKeys,
        newest: i64,
        reader: Reader<'_>,
    ) -> Result<Assigned, Fault> {
        let sealed = Sealed::new(self.text.clone(), &self.signature)?;
        let FirmwareKeys { release, director } = keys;
        let Reader { sn, time, .. } = reader;
        let assigned = Assignment::open(&sealed, director, release, sn, newest, time)?;
        // Its number was used up by another one.
        if assigned.number == newest {
            return Err(Fault::OldSequence);
        }
        Ok(assigned)
    }

    /// The place of the part that the maker did not sign; the first where it is the whole that is refused.
    fn at_fault(&self, keys: &FirmwareKeys, fault: Fault) -> usize {
        let unsigned = |part: &Enclosed| part.open(keys) == Err(fault);
        self.parts.iter().position(unsigned).unwrap_or(0)
    }

    fn refuse(&self, place: usize, fault: Fault) -> FirmwareReport {
        let about = self.parts.get(place).unwrap_or(&self.parts[0]);
        FirmwareReport {
            job: self.job.clone(),
            part: about.part,
            version: about.version,
            stage: Stage::Failed,
            progress: 0,
            fault: Some(fault),
        }
    }
}
