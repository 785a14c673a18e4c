//! What an electrician states in a step of a commissioning.
use super::CommissioningProgress;
use crate::error::{FieldErrors, Result};
use crate::form::ticked;
use crate::parameter::{ExportLimit, StepChoice, Switch};
use domain::account::parse_name;
use domain::commissioning::{CommissioningStep, parse_export_limit, parse_note};
use serde::Deserialize;
use serde_json::{Value, json};
use store::commissioning::Customer;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct DoStep {
    /// units, meter, limits, export_limit, ups, firmware, customer or instruction. Phases are measured with a separate call.
    #[serde(default)]
    #[schema(value_type = StepChoice, required)]
    pub(crate) step: String,
    /// For limits: whether the system is registered with the grid operator under §14a EnWG, if it charges with more than 4.2 kW.
    #[serde(default)]
    #[schema(value_type = Switch)]
    notified: String,
    /// For export_limit: the feed-in limit in W; empty if feed-in is not limited.
    #[serde(default)]
    #[schema(value_type = ExportLimit)]
    limit: String,
    /// For ups: whether the changeover to backup power was tested, if the system has one.
    #[serde(default)]
    #[schema(value_type = Switch)]
    tested: String,
    /// For customer: the first name of the customer.
    #[serde(default)]
    first_name: String,
    /// For customer: the last name of the customer.
    #[serde(default)]
    last_name: String,
    /// For customer: the address of the installation.
    #[serde(default)]
    place: String,
    /// For instruction: whether the customer was shown how to use the system.
    #[serde(default)]
    #[schema(value_type = Switch)]
    instructed: String,
    /// For instruction: remarks for the protocol, at most 1,000 characters.
    #[serde(default)]
    note: String,
}

impl DoStep {
    /// Parses the electrician's statement for a step. Names, places and remarks are kept separately, so that they can be erased.
    pub(crate) fn read(
        &self,
        step: CommissioningStep,
        progress: &mut CommissioningProgress,
    ) -> Result<(Value, Option<Customer>)> {
        let mut errors = FieldErrors::default();
        let mut changed = None;
        let stated = match step {
            CommissioningStep::Limits => json!({ "notified": ticked(&self.notified) }),
            CommissioningStep::ExportLimit => {
                let limit = errors.check("limit", parse_export_limit(&self.limit));
                json!({ "limit": limit.flatten() })
            }
            CommissioningStep::Ups => json!({ "tested": ticked(&self.tested) }),
            CommissioningStep::Customer => {
                let first_name = errors.check("first_name", parse_name(&self.first_name));
                let last_name = errors.check("last_name", parse_name(&self.last_name));
                let place = errors.check("place", parse_name(&self.place));
                if let (Some(first_name), Some(last_name), Some(place)) =
                    (first_name, last_name, place)
                    && progress.facts.one_owner
                {
                    changed = Some(Customer {
                        first_name,
                        last_name,
                        place,
                        note: progress.customer.note.clone(),
                    });
                    (
                        progress.facts.has_customer_name,
                        progress.facts.has_location,
                    ) = (true, true);
                }
                Value::Null
            }
            CommissioningStep::Instruction => {
                let note = errors.check("note", parse_note(&self.note));
                changed = note
                    .filter(|note| *note != progress.customer.note)
                    .map(|note| Customer {
                        note,
                        ..progress.customer.clone()
                    });
                json!({ "instructed": ticked(&self.instructed) })
            }
            CommissioningStep::Units
            | CommissioningStep::Meter
            | CommissioningStep::Phases
            | CommissioningStep::Firmware => Value::Null,
        };
        errors.into_result()?;
        Ok((stated, changed))
    }
}
