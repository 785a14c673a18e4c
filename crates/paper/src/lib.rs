//! PDF documents on A4: lines, rows and tables set in Inter; their text can be searched and copied. The only crate that knows
//! PDF. The same document always gives the same bytes.

mod document;
mod font;
mod page;

pub use document::{Document, DocumentInfo};
