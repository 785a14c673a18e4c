//! The protocol of a commissioning: one sheet of words and values, which the page shows and the PDF is set from.

mod pdf;
mod sheet;

pub(crate) use pdf::pdf;
pub(crate) use sheet::{Sheet, protocol_number, sheet};
