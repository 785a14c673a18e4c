//! Typesets a sheet as a PDF.
use super::Sheet;
use domain::Lang;
use domain::message::text;
use paper::{Document, DocumentInfo};

pub(crate) fn pdf(sheet: &Sheet, lang: Lang) -> Vec<u8> {
    let mut document = Document::new(DocumentInfo {
        title: sheet.title.to_owned(),
        number: sheet.number.clone(),
        lang: lang.code().to_owned(),
        page: text(lang, "protocol", "page").to_owned(),
    });
    document.title(&format!("{} · {}", sheet.subtitle, sheet.number));
    for section in &sheet.sections {
        document.heading(&section.title);
        for row in &section.rows {
            document.row(&row.label, &row.value);
        }
        if let Some(table) = &section.table {
            document.table(&table.head, &table.rows);
        }
        if let Some(paragraph) = &section.text {
            document.paragraph(paragraph);
        }
    }
    document.signatures(&sheet.signatures);
    document.finish()
}
