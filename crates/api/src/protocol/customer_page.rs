//! The last page of a printed protocol, for the customer to keep: the code that makes them the owner.
use super::sheet::Row;
use crate::qr::QrMatrix;
use domain::message::{text, text_with};
use domain::{Lang, SiteDay};

pub(crate) struct CustomerPage {
    pub(crate) title: &'static str,
    pub(crate) text: String,
    pub(crate) qr: QrMatrix,
    pub(crate) code: Row,
}

pub(crate) fn customer_page(
    qr: QrMatrix,
    code: &str,
    last_day: SiteDay,
    lang: Lang,
) -> CustomerPage {
    let until = lang.day(last_day);
    let values = [("until", until.as_str())];
    CustomerPage {
        title: text(lang, "protocol", "code_title"),
        text: text_with(lang, "protocol", "code_text", values),
        qr,
        code: Row {
            label: text(lang, "protocol", "code").to_owned(),
            value: code.to_owned(),
        },
    }
}
