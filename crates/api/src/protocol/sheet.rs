//! The content of a protocol, in one language and in the site's local time.
mod sections;

use domain::clock::Millis;
use domain::commissioning::CommissioningStep;
use domain::message::text;
use domain::quantity::with_unit;
use domain::setting::Field;
use domain::{Lang, Zone};
use serde::Serialize;
use serde_json::Value;
use store::commissioning::{Commissioning, ProtocolName, StepRecord};
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct Sheet {
    pub(crate) title: &'static str,
    pub(crate) subtitle: &'static str,
    /// The number with its label: "Protokoll Nr. SC000001-1".
    pub(crate) number: String,
    pub(crate) sections: Vec<Section>,
    /// The labels below the signature lines.
    pub(crate) signatures: Vec<String>,
}

#[derive(Default, Serialize, ToSchema)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) rows: Vec<Row>,
    #[schema(required)]
    pub(crate) table: Option<Table>,
    #[schema(required)]
    pub(crate) text: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) value: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Table {
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// The sheet of a finished commissioning.
pub(crate) fn sheet(protocol: &Commissioning, zone: &Zone, lang: Lang) -> Sheet {
    let writer = Writer {
        protocol,
        zone,
        lang,
    };
    Sheet {
        title: writer.word("title"),
        subtitle: writer.word("subtitle"),
        number: format!("{} {}", writer.word("number"), protocol_number(protocol)),
        sections: writer.sections(),
        signatures: vec![
            writer.word("signature_installer").to_owned(),
            writer.word("signature_customer").to_owned(),
        ],
    }
}

/// "SC000001-2": the second protocol of that system.
pub(crate) fn protocol_number(protocol: &Commissioning) -> String {
    protocol_name(protocol).to_string()
}

pub(crate) fn protocol_name(protocol: &Commissioning) -> ProtocolName {
    ProtocolName {
        id: protocol.id,
        sn: protocol.sn.clone(),
        number: protocol.number.unwrap_or(0),
    }
}

/// Shown when there is no value.
const NONE: &str = "–";

struct Writer<'a> {
    protocol: &'a Commissioning,
    zone: &'a Zone,
    lang: Lang,
}

impl Writer<'_> {
    fn word(&self, name: &str) -> &'static str {
        text(self.lang, "protocol", name)
    }

    fn step(&self, step: CommissioningStep) -> String {
        text(self.lang, "step", step.as_str()).to_owned()
    }

    fn row(&self, name: &str, value: impl Into<String>) -> Row {
        Row {
            label: self.word(name).to_owned(),
            value: value.into(),
        }
    }

    fn head(&self, names: &[&str]) -> Vec<String> {
        names
            .iter()
            .map(|name| self.word(name).to_owned())
            .collect()
    }

    fn time(&self, at: Millis) -> String {
        let clock = self.zone.clock_text(at);
        let hour = clock.get(11..16).unwrap_or_default();
        format!("{} {hour}", self.lang.day(self.zone.day_of(at)))
    }

    fn watts(&self, value: &Value) -> String {
        value.as_i64().map_or_else(
            || NONE.to_owned(),
            |watts| with_unit(&watts.to_string(), Some("W"), self.lang),
        )
    }

    /// People never see a bare sign: a word gives the direction of the flow.
    fn flow(&self, value: &Value) -> String {
        let Some(watts) = value.as_i64() else {
            return NONE.to_owned();
        };
        let word = self.word(if watts < 0 { "feed_in" } else { "import" });
        let watts = with_unit(&watts.abs().to_string(), Some("W"), self.lang);
        format!("{watts} {word}")
    }

    fn setting(&self, found: &Value, field: Field) -> String {
        let value = field.from_json(&found[field.name()]);
        value.map_or_else(|| NONE.to_owned(), |value| value.describe(field, self.lang))
    }

    fn record(&self, step: CommissioningStep) -> Option<&StepRecord> {
        self.protocol.step(step)
    }

    fn company(&self, company: Option<&String>) -> String {
        company.map_or_else(|| self.word("installer_gone").to_owned(), Clone::clone)
    }
}
