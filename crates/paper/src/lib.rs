//! Documents on A4 paper: lines, rows and tables set in Inter, as a PDF whose text can be searched and copied. The only
//! crate that knows PDF. The same document gives the same bytes.

mod document;
mod font;
mod page;

pub use document::{Document, Imprint};
