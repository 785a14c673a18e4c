//! CSV that is safe to open in a spreadsheet: a cell that would start a formula gets a leading apostrophe.
use crate::number;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use domain::clock::Millis;
use domain::{Zone, site_time};
use serde_json::Value;

/// Which part of a signed value a column shows. People see words ("import", "feed-in"), never a bare sign.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    Plain,
    /// Values above zero.
    Positive,
    /// Values below zero, as a magnitude.
    Negative,
}

impl Column {
    pub(crate) fn of(self, value: Option<i64>) -> Option<i64> {
        value.map(|value| match self {
            Self::Plain => value,
            Self::Positive => value.max(0),
            Self::Negative => (-value).max(0),
        })
    }
}

/// A table under construction, written cell by cell.
#[derive(Default)]
pub(crate) struct CsvTable {
    out: Vec<u8>,
    cells: usize,
}

impl CsvTable {
    pub(crate) fn text(&mut self, text: &str) {
        self.separate();
        let cell = escape_formula(text);
        if cell.contains(['"', ',', '\n', '\r']) {
            let quoted = format!("\"{}\"", cell.replace('"', "\"\""));
            self.out.extend_from_slice(quoted.as_bytes());
        } else {
            self.out.extend_from_slice(cell.as_bytes());
        }
    }

    /// Empty if nothing was measured.
    pub(crate) fn number(&mut self, value: Option<i64>, decimals: u8) {
        self.separate();
        let Some(value) = value else { return };
        if value < 0 {
            self.out.push(b'\'');
        }
        number::fixed(&mut self.out, value, decimals);
    }

    /// Two cells: the site's local time, and the same moment in UTC.
    pub(crate) fn moment(&mut self, zone: &Zone, at: Millis) {
        self.text(&zone.clock_text(at));
        self.text(&site_time::utc_text(at));
    }

    pub(crate) fn end_row(&mut self) {
        self.out.extend_from_slice(b"\r\n");
        self.cells = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    fn separate(&mut self) {
        if self.cells > 0 {
            self.out.push(b',');
        }
        self.cells += 1;
    }
}

/// An answer that the browser saves as a file.
pub(crate) fn file(name: &str, body: impl Into<axum::body::Body>) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let head = [
        (CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (CONTENT_DISPOSITION, disposition),
    ];
    (head, body.into()).into_response()
}

/// One line per value of a `{table: [{field: value}]}` document: table, row, field, value.
pub(crate) fn flatten_document(document: &Value) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut line = |cells: [&str; 4]| {
        let cells = cells.map(escape_formula);
        writer.write_record(&cells).expect("writing to memory");
    };
    line(["table", "row", "field", "value"]);
    for (table, rows) in document.as_object().into_iter().flatten() {
        for (number, row) in rows.as_array().into_iter().flatten().enumerate() {
            for (field, value) in row.as_object().into_iter().flatten() {
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                line([
                    table,
                    &(number + 1).to_string(),
                    field,
                    if value.is_null() { "" } else { &text },
                ]);
            }
        }
    }
    let bytes = writer.into_inner().expect("writing to memory");
    String::from_utf8(bytes).expect("made of strings")
}

fn escape_formula(cell: &str) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_table_shows_words_for_signs_and_starts_no_formula() {
        let mut table = CsvTable::default();
        table.text("=cmd|' /C calc'!A1");
        table.text("a \"b\", c");
        table.end_row();
        let value = Some(-2304);
        for column in [Column::Positive, Column::Negative, Column::Plain] {
            table.number(column.of(value), 1);
        }
        table.number(None, 0);
        table.end_row();
        let text = String::from_utf8(table.into_bytes()).unwrap();
        assert_eq!(
            text,
            "'=cmd|' /C calc'!A1,\"a \"\"b\"\", c\"\r\n0,230.4,'-230.4,\r\n"
        );
    }

    #[test]
    fn cells_that_would_start_a_formula_are_escaped() {
        let text = flatten_document(
            &json!({ "accounts": [{ "company": "=1+1", "phone": "+49301", "note": "a,\"b\"" }] }),
        );
        assert_eq!(
            text,
            "table,row,field,value\naccounts,1,company,'=1+1\naccounts,1,note,\"a,\"\"b\"\"\"\naccounts,1,phone,'+49301\n"
        );
    }
}
