//! Typesets a sheet as a PDF.
use super::{CustomerPage, Sheet};
use domain::Lang;
use domain::message::text;
use paper::{Document, DocumentInfo};

pub(crate) fn pdf(sheet: &Sheet, customer: Option<&CustomerPage>, lang: Lang) -> Vec<u8> {
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
    if let Some(page) = customer {
        // The signed pages are the electrician's, this one is the customer's.
        document.new_page();
        document.heading(page.title);
        document.paragraph(&page.text);
        document.qr(page.qr.size, &page.qr.dark);
        document.row(&page.code.label, &page.code.value);
    }
    document.finish()
}
