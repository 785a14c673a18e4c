//! The protocol of a commissioning: one sheet of texts and values, shown by the page and typeset as a PDF.

mod entry;
mod pdf;
mod sheet;

pub(crate) use entry::ProtocolEntry;
pub(crate) use pdf::pdf;
pub(crate) use sheet::{Sheet, protocol_number, sheet};
