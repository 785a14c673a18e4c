//! What fuzz targets call (`fuzz/`): forms and queries of anybody, files of people whose texts begin like formulas, and photos.
#![allow(clippy::unwrap_used, reason = "a panic is what fuzzing looks for")]
use crate::csv::{self, CsvStyle, CsvTable};
use crate::form;
use crate::period::{MAX_DAYS, Period};
use crate::photo;
use crate::routes::{registration, update};
use crate::settings::{SettingsForm, versions};
use axum::body::Body;
use axum::extract::{FromRequest as _, Multipart, Request};
use axum::http::header::CONTENT_TYPE;
use domain::clock::Millis;
use domain::setting::{CurrentSettings, Ratings, Settings};
use domain::{Lang, Zone};
use futures_util::FutureExt as _;
use image::codecs::jpeg::JpegDecoder;
use image::{DynamicImage, ImageDecoder as _};
use std::collections::BTreeMap;
use std::io::Cursor;

const NOW: Millis = 1_794_740_400_000;

/// Parses a body: multipart if it starts with a boundary `--x`, otherwise form-encoded, like a query.
pub fn forms(input: &[u8]) {
    match (input.starts_with(b"--x"), std::str::from_utf8(input)) {
        (true, _) => check_multipart(input),
        (false, Ok(text)) => check_form(text),
        (false, Err(_)) => {}
    }
}

fn check_multipart(input: &[u8]) {
    let request = Request::post("/")
        .header(CONTENT_TYPE, "multipart/form-data; boundary=x")
        .body(Body::from(input.to_vec()))
        .unwrap();
    let read = async {
        let form = Multipart::from_request(request, &()).await.ok()?;
        update::read_form(form).await.ok()
    };
    let read = read.now_or_never().expect("the whole body is there");
    if let Some((sn, update)) = read {
        assert!(sn.len() + update.len() <= input.len());
        assert!(!sn.contains('\0') && !update.contains('\0'));
    }
}

fn check_form(text: &str) {
    let Ok(fields) = form::parse::<BTreeMap<String, String>>(text) else {
        return;
    };
    assert!(!fields.values().any(|value| value.contains('\0')));
    let pairs = text.split('&').filter(|pair| !pair.is_empty()).count();
    assert_eq!(fields.len(), pairs, "a parameter came twice");
    let again = serde_urlencoded::to_string(&fields).unwrap();
    assert_eq!(form::parse(&again).ok(), Some(fields));
    if let Ok(form) = form::parse::<SettingsForm>(text) {
        check_settings(&form);
    }
    if let Ok(form) = form::parse(text)
        && let Ok(checked) = registration::check(&form, Lang::En)
    {
        assert!(checked.keys.len() <= domain::key::MAX_KEYS);
    }
    if let Ok(period) = Period::parse(text, &Zone::default(), NOW) {
        assert!(period.rows(None).len() <= MAX_DAYS);
    }
}

/// Every field of a parsed form must hold an allowed value, and be read back unchanged.
fn check_settings(form: &SettingsForm) {
    let ratings = Ratings {
        charge: Some(4_600),
        discharge: Some(5_000),
    };
    let settings = Settings::initial(ratings);
    let current = CurrentSettings {
        settings: &settings,
        ratings,
        has_token: false,
        acknowledged: false,
    };
    if let Ok(change) = form.input().validate(current) {
        for (field, value) in change.applied_to(&settings).iter() {
            assert_eq!(field.parse(&value.text(field), ratings), Ok(value));
        }
    }
    if let Ok(versions) = versions(form.version(), 2) {
        assert_eq!(versions.len(), 2);
    }
}

/// The input is a JSON document or a table. The first byte chooses a language; cells end with 0x1f, rows with 0x1e.
pub fn csv(input: &[u8]) {
    let Some((first, text)) = input.split_first() else {
        return;
    };
    let style = match first % 6 {
        0 => CsvStyle::PLAIN,
        n => CsvStyle::for_spreadsheet(Lang::ALL[usize::from(n - 1)]),
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    // The byte order mark at the start of the file is not part of its first cell.
    let rows: Vec<Vec<&str>> = text
        .trim_start_matches('\u{feff}')
        .split('\u{1e}')
        .map(|row| row.split('\u{1f}').collect())
        .collect();
    let mut table = CsvTable::new(style);
    for row in &rows {
        row.iter().for_each(|cell| table.text(cell));
        table.end_row();
    }
    let file = table.into_bytes();
    check_no_formula(&file);
    let read = cells(&file, style.separator());
    // Readers skip empty lines.
    let written = rows.iter().filter(|row| row[..] != [""]);
    let written: Vec<usize> = written.map(|row| row.len()).collect();
    assert_eq!(read.iter().map(Vec::len).collect::<Vec<_>>(), written);
    let cells_of = |rows: &[Vec<String>]| rows.concat().concat().replace('\'', "");
    // An apostrophe may have been added; everything else is there.
    assert_eq!(cells_of(&read), rows.concat().concat().replace('\'', ""));
    if let Ok(document) = serde_json::from_str(text) {
        let file = csv::flatten_document(&document, style);
        let rows = cells(file.as_bytes(), style.separator());
        assert!(rows.iter().all(|row| row.len() == 4));
        check_no_formula(file.as_bytes());
    }
}

/// No cell may start a formula, whichever separator the spreadsheet uses. A number is none.
fn check_no_formula(file: &[u8]) {
    let is_number = |cell: &str| cell.trim_end_matches([']', '}']).parse::<f64>().is_ok();
    let starts_formula =
        |cell: &String| cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number(cell);
    for separator in [b',', b';', b'\t'] {
        let rows = cells(file, separator);
        assert!(!rows.iter().flatten().any(starts_formula));
    }
}

/// A photo: what is kept of it is a picture of a bounded size, that can be read, and nothing else.
pub fn photos(input: &[u8]) {
    let Ok(cleaned) = photo::rewrite(input) else {
        return;
    };
    let mut decoder = JpegDecoder::new(Cursor::new(&cleaned)).unwrap();
    let (width, height) = decoder.dimensions();
    assert!((1..=photo::MAX_SIDE).contains(&width) && (1..=photo::MAX_SIDE).contains(&height));
    assert!(decoder.exif_metadata().unwrap().is_none());
    DynamicImage::from_decoder(decoder).unwrap();
}

/// As a spreadsheet reads a file.
fn cells(file: &[u8], separator: u8) -> Vec<Vec<String>> {
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(file);
    let rows = reader.records().map(Result::unwrap);
    rows.map(|row| row.iter().map(str::to_owned).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::corpus;

    #[test]
    fn no_known_form_does_harm() {
        corpus::run_each("forms", forms);
    }

    #[test]
    fn no_known_photo_does_harm() {
        corpus::run_each("photos", photos);
    }

    #[test]
    fn no_known_table_does_harm() {
        corpus::run_each("csv", csv);
    }
}
