//! CSV that is safe to open in a spreadsheet: what would start a formula gets an apostrophe before it.
use crate::number;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_LANGUAGE, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use domain::clock::Millis;
use domain::{Lang, Message, Zone, site_time};
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

/// Whether the parameter `format` asks for CSV.
pub(crate) fn is_wanted(format: &str) -> Result<bool, Message> {
    match format {
        "" | "json" => Ok(false),
        "csv" => Ok(true),
        _ => Err(Message::ChoiceUnknown),
    }
}

/// Marks the file as UTF-8 for spreadsheets.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// How a file separates cells and writes decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CsvStyle {
    separator: u8,
    decimal_point: u8,
    byte_order_mark: bool,
}

impl CsvStyle {
    /// The style for programs.
    pub(crate) const PLAIN: Self = Self {
        separator: b',',
        decimal_point: b'.',
        byte_order_mark: false,
    };

    /// The style for a caller. A caller that names none of our languages is a program; some of them send `*`.
    pub(crate) fn for_caller(headers: &HeaderMap) -> Self {
        let header = headers
            .get(ACCEPT_LANGUAGE)
            .and_then(|value| value.to_str().ok());
        header
            .and_then(Lang::named_in)
            .map_or(Self::PLAIN, Self::for_spreadsheet)
    }

    /// The style that spreadsheets in a language read and write: where the decimal separator is a comma, a semicolon separates
    /// cells.
    pub(crate) fn for_spreadsheet(lang: Lang) -> Self {
        let (separator, decimal_point) = match lang.decimal_point() {
            "," => (b';', b','),
            _ => (b',', b'.'),
        };
        Self {
            separator,
            decimal_point,
            byte_order_mark: true,
        }
    }

    #[cfg(any(test, fuzzing))]
    pub(crate) fn separator(self) -> u8 {
        self.separator
    }

    fn decimal(self, number: &mut [u8]) {
        for byte in number.iter_mut().filter(|byte| **byte == b'.') {
            *byte = self.decimal_point;
        }
    }
}

/// A table under construction, written cell by cell.
pub(crate) struct CsvTable {
    style: CsvStyle,
    out: Vec<u8>,
    cells: usize,
}

impl CsvTable {
    /// Starts a file.
    pub(crate) fn new(style: CsvStyle) -> Self {
        let mut table = Self::continued(style);
        if style.byte_order_mark {
            table.out.extend_from_slice(BYTE_ORDER_MARK.as_bytes());
        }
        table
    }

    /// Continues a file that was started before.
    pub(crate) fn continued(style: CsvStyle) -> Self {
        Self {
            style,
            out: Vec::new(),
            cells: 0,
        }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.separate();
        let cell = escape_formula(text);
        if cell.contains(['"', char::from(self.style.separator), '\n', '\r']) {
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
        let start = self.out.len();
        number::fixed(&mut self.out, value, decimals);
        self.style.decimal(&mut self.out[start..]);
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
            self.out.push(self.style.separator);
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
pub(crate) fn flatten_document(document: &Value, style: CsvStyle) -> String {
    let mut writer = csv::WriterBuilder::new()
        .delimiter(style.separator)
        .from_writer(Vec::new());
    let mut line = |cells: [&str; 4]| {
        let cells = cells.map(escape_formula);
        writer.write_record(&cells).expect("writing to memory");
    };
    line(["table", "row", "field", "value"]);
    for (table, rows) in document.as_object().into_iter().flatten() {
        for (number, row) in rows.as_array().into_iter().flatten().enumerate() {
            for (field, value) in row.as_object().into_iter().flatten() {
                let text = match value {
                    Value::String(text) => text.clone(),
                    Value::Number(number) => {
                        let point = char::from(style.decimal_point).to_string();
                        number.to_string().replace('.', &point)
                    }
                    other => other.to_string(),
                };
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
    let lines = String::from_utf8(bytes).expect("made of strings");
    match style.byte_order_mark {
        true => format!("{BYTE_ORDER_MARK}{lines}"),
        false => lines,
    }
}

/// What a spreadsheet takes for a formula if a cell begins with it.
const FORMULA_STARTS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// An apostrophe before whatever would begin a formula, also if the file is opened with another separator than it was written
/// with: a spreadsheet with semicolons splits a cell of a file with commas, whether it is quoted or not.
fn escape_formula(cell: &str) -> String {
    let mut escaped = String::with_capacity(cell.len() + 1);
    let mut starts_cell = true;
    for (at, letter) in cell.char_indices() {
        let begins = starts_cell && FORMULA_STARTS.contains(&letter);
        if begins && (at == 0 || !begins_number(&cell[at..])) {
            escaped.push('\'');
        }
        escaped.push(letter);
        starts_cell = match letter {
            ',' | ';' | '\t' | '\r' | '\n' => true,
            // A reader passes over the quotes of a cell.
            '"' => starts_cell,
            _ => false,
        };
    }
    escaped
}

/// Whether a list in a cell goes on with a number, such as `-40` in `[120,-40]`: a spreadsheet takes it for one.
fn begins_number(text: &str) -> bool {
    let end = text.find([',', ';', '\t', '\r', '\n', ']', '}']);
    text[..end.unwrap_or(text.len())].parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_table_shows_words_for_signs_and_starts_no_formula() {
        let mut table = CsvTable::new(CsvStyle::PLAIN);
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
    fn no_separator_makes_a_formula_of_a_part_of_a_cell() {
        for (cell, escaped) in [
            ("x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"),
            ("x,\"=1\"", "x,\"'=1\""),
            ("\t=1\n@a", "'\t'=1\n'@a"),
            ("Süd-West, 5 - 6; a=b", "Süd-West, 5 - 6; a=b"),
            ("[120,-40,60.5]", "[120,-40,60.5]"),
            ("1,-4+cmd|' /C calc'!A0", "1,'-4+cmd|' /C calc'!A0"),
        ] {
            assert_eq!(escape_formula(cell), escaped);
        }
    }

    #[test]
    fn a_file_is_written_as_the_spreadsheets_of_its_language_read_it() {
        for (lang, want) in [
            (Lang::De, "\u{feff}Süd, Haus 3;\"a;b\";230,4;\r\n"),
            (Lang::Pl, "\u{feff}Süd, Haus 3;\"a;b\";230,4;\r\n"),
            (Lang::Fr, "\u{feff}Süd, Haus 3;\"a;b\";230,4;\r\n"),
            (Lang::Hr, "\u{feff}Süd, Haus 3;\"a;b\";230,4;\r\n"),
            (Lang::En, "\u{feff}\"Süd, Haus 3\",a;b,230.4,\r\n"),
        ] {
            let mut table = CsvTable::new(CsvStyle::for_spreadsheet(lang));
            table.text("Süd, Haus 3");
            table.text("a;b");
            table.number(Some(2304), 1);
            table.number(None, 1);
            table.end_row();
            let text = String::from_utf8(table.into_bytes()).unwrap();
            assert_eq!(text, want, "{lang:?}");
        }
        let document = json!({ "tariffs": [{ "price": 31.9, "note": "3.5" }] });
        let german = CsvStyle::for_spreadsheet(Lang::De);
        assert_eq!(
            flatten_document(&document, german),
            "\u{feff}table;row;field;value\ntariffs;1;note;3.5\ntariffs;1;price;31,9\n"
        );
    }

    #[test]
    fn a_caller_without_a_language_gets_commas_and_points() {
        let mut headers = HeaderMap::new();
        assert_eq!(CsvStyle::for_caller(&headers), CsvStyle::PLAIN);
        headers.insert(ACCEPT_LANGUAGE, "*".parse().unwrap());
        assert_eq!(CsvStyle::for_caller(&headers), CsvStyle::PLAIN);
        headers.insert(ACCEPT_LANGUAGE, "de-AT".parse().unwrap());
        let german = CsvStyle::for_spreadsheet(Lang::De);
        assert_eq!(CsvStyle::for_caller(&headers), german);
    }

    #[test]
    fn cells_that_would_start_a_formula_are_escaped() {
        let text = flatten_document(
            &json!({ "accounts": [{ "company": "=1+1", "phone": "+49301", "note": "a,\"b\"" }] }),
            CsvStyle::PLAIN,
        );
        assert_eq!(
            text,
            "table,row,field,value\naccounts,1,company,'=1+1\naccounts,1,note,\"a,\"\"b\"\"\"\naccounts,1,phone,'+49301\n"
        );
    }
}
