//! What fuzz targets call (`fuzz/`): forms and queries of anybody, and files of people whose texts begin like formulas.
#![allow(clippy::unwrap_used, reason = "a panic is what fuzzing looks for")]
use crate::csv::{self, CsvStyle, CsvTable};
use crate::form;
use crate::period::{MAX_DAYS, Period};
use crate::routes::{registration, update};
use crate::settings::{SettingsForm, versions};
use axum::body::Body;
use axum::extract::{FromRequest as _, Multipart, Request};
use axum::http::header::CONTENT_TYPE;
use domain::clock::Millis;
use domain::setting::{CurrentSettings, Ratings, Settings};
use domain::{Lang, Zone};
use futures_util::FutureExt as _;
use std::collections::BTreeMap;

const NOW: Millis = 1_794_740_400_000;

/// A body: multipart if it begins with its boundary, `--x`, otherwise form-encoded, which a query is, too.
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

/// Whatever the form says, every field is a value that is allowed, and read the same again.
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

/// The first byte chooses a language; then cells, which end with a 0x1f, of rows, which end with a 0x1e. Or a JSON document.
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
    // What tells a spreadsheet that the file is UTF-8 is no text of its first cell.
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
    let read = cells(&table.into_bytes(), style);
    // A reader passes over lines without anything.
    let written = rows.iter().filter(|row| row[..] != [""]);
    let written: Vec<Vec<String>> = written
        .map(|row| row.iter().map(|cell| escaped(cell)).collect())
        .collect();
    assert_eq!(read, written);
    if let Ok(document) = serde_json::from_str(text) {
        let file = csv::flatten_document(&document, style);
        let rows = cells(file.as_bytes(), style);
        assert!(rows.iter().all(|row| row.len() == 4));
        let starts_formula = |cell: &String| cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
        assert!(!rows.iter().flatten().any(starts_formula));
    }
}

fn escaped(cell: &str) -> String {
    match cell.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r') => format!("'{cell}"),
        _ => cell.to_owned(),
    }
}

/// As a spreadsheet reads a file.
fn cells(file: &[u8], style: CsvStyle) -> Vec<Vec<String>> {
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(style.separator())
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
    fn no_known_table_does_harm() {
        corpus::run_each("csv", csv);
    }
}
