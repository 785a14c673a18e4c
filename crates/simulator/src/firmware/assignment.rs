//! Validation of an assignment: its unverified form, and the checks of both signatures.
use super::{FirmwareKeys, Flash};
use domain::Serial;
use domain::clock::Millis;
use domain::firmware::{
    Assignment, Fault, FirmwareReport, JobId, Manifest, Part, SignedText, Stage,
    VerifiedAssignment, Version,
};
use serde_json::Value;

/// The battery that receives an assignment, and the present time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AssignmentRecipient<'a> {
    pub(crate) sn: &'a Serial,
    pub(crate) hardware: &'a str,
    pub(crate) time: Millis,
}

/// `down/fw` as received. It is not trusted yet; it only says which job and part a refusal has to name.
pub(super) struct AssignmentMessage {
    pub(super) job: JobId,
    pub(super) url: String,
    text: String,
    signature: String,
    parts: Vec<SignedPart>,
}

/// One part of it, with an unverified manifest.
struct SignedPart {
    part: Part,
    version: Version,
    text: String,
    signature: String,
}

impl SignedPart {
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
        let sealed = SignedText::new(self.text.clone(), &self.signature)?;
        Manifest::verify(&sealed, &keys.release)
    }
}

impl AssignmentMessage {
    /// `None` if it is malformed: a refusal could not name job and part.
    pub(super) fn read(message: &Value) -> Option<Self> {
        let text = message["assignment"].as_str()?;
        let json: Value = serde_json::from_str(text).ok()?;
        let parts = json["parts"].as_array()?.iter();
        let parts: Vec<SignedPart> = parts.filter_map(SignedPart::read).collect();
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

    /// The verified assignment, or the report with the reason for the refusal.
    pub(super) fn open(
        &self,
        keys: Option<&FirmwareKeys>,
        flash: &Flash,
        recipient: AssignmentRecipient<'_>,
    ) -> Result<VerifiedAssignment, FirmwareReport> {
        // Without keys from the factory no signature can be verified.
        let keys = keys.ok_or_else(|| self.refuse(0, Fault::Signature))?;
        let assigned = self
            .verify(keys, flash.newest_number, recipient)
            .map_err(|fault| self.refuse(self.failed_part(keys, fault), fault))?;
        for (index, manifest) in assigned.parts.iter().enumerate() {
            let installed = flash.installed_part(manifest.part, recipient.hardware);
            manifest
                .suits(installed, recipient.time)
                .map_err(|fault| self.refuse(index, fault))?;
        }
        Ok(assigned)
    }

    fn verify(
        &self,
        keys: &FirmwareKeys,
        newest: i64,
        recipient: AssignmentRecipient<'_>,
    ) -> Result<VerifiedAssignment, Fault> {
        let sealed = SignedText::new(self.text.clone(), &self.signature)?;
        let FirmwareKeys { release, director } = keys;
        let AssignmentRecipient { sn, time, .. } = recipient;
        let assigned = Assignment::verify(&sealed, director, release, sn, newest, time)?;
        // Another assignment has used this number already.
        if assigned.number == newest {
            return Err(Fault::OldSequence);
        }
        Ok(assigned)
    }

    /// The index of the part whose manifest failed; the first one if the assignment as a whole is refused.
    fn failed_part(&self, keys: &FirmwareKeys, fault: Fault) -> usize {
        let unsigned = |part: &SignedPart| part.open(keys) == Err(fault);
        self.parts.iter().position(unsigned).unwrap_or(0)
    }

    fn refuse(&self, index: usize, fault: Fault) -> FirmwareReport {
        let about = self.parts.get(index).unwrap_or(&self.parts[0]);
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
