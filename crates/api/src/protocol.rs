//! The protocol of a commissioning: one sheet of texts and values, shown on a page and typeset as a PDF.

mod answer;
mod customer_page;
mod entry;
mod find;
mod pdf;
mod sheet;

pub(crate) use answer::pdf_answer;
pub(crate) use customer_page::{CustomerPage, customer_page};
pub(crate) use entry::ProtocolEntry;
pub(crate) use find::find_protocol;
pub(crate) use pdf::pdf;
pub(crate) use sheet::{Sheet, protocol_name, protocol_number, sheet};
