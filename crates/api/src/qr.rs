//! QR codes: as a picture for the browser, and as modules for paper.
use crate::error::{Error, Result};
use qrcode::{Color, EcLevel, QrCode};
use serde::Serialize;
use std::fmt::Write as _;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct Qr {
    /// The number of modules per side, without the quiet zone.
    size: usize,
    /// The dark modules as an SVG path, one unit per module.
    path: String,
}

/// The modules of a code, row by row.
pub(crate) struct QrMatrix {
    pub(crate) size: usize,
    pub(crate) dark: Vec<bool>,
}

impl QrMatrix {
    pub(crate) fn new(text: &str) -> Result<Self> {
        let code = QrCode::with_error_correction_level(text, EcLevel::M);
        let code = code.map_err(|_| Error::internal())?;
        let dark = code.to_colors().into_iter().map(|it| it == Color::Dark);
        Ok(Self {
            size: code.width(),
            dark: dark.collect(),
        })
    }

    pub(crate) fn picture(&self) -> Qr {
        let size = self.size;
        let mut path = String::new();
        for (at, _) in self.dark.iter().enumerate().filter(|(_, dark)| **dark) {
            let _ = write!(path, "M{},{}h1v1h-1z", at % size, at / size);
        }
        Qr { size, path }
    }
}
