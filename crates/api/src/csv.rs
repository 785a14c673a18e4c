//! CSV that a spreadsheet opens safely: a cell that would start a formula gets an apostrophe in front.
use serde_json::Value;

/// One line per value of a `{table: [{field: value}]}` document: table, row, field, value.
pub(crate) fn flat(document: &Value) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut line = |cells: [&str; 4]| {
        let cells = cells.map(safe);
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

fn safe(cell: &str) -> String {
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
    fn cells_that_would_start_a_formula_are_escaped() {
        let text = flat(
            &json!({ "accounts": [{ "company": "=1+1", "phone": "+49301", "note": "a,\"b\"" }] }),
        );
        assert_eq!(
            text,
            "table,row,field,value\naccounts,1,company,'=1+1\naccounts,1,note,\"a,\"\"b\"\"\"\naccounts,1,phone,'+49301\n"
        );
    }
}
