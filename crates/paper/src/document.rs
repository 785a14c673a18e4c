//! A document that grows from top to bottom, page by page, and becomes a file.
use crate::font::{Places, Weight, deflated};
use crate::page::{
    ACCENT, Fonts, HEIGHT, INK, INNER, LINE, MARGIN, MUTED, Page, SHADE, SUN, Style, WIDTH,
};
use pdf_writer::{Filter, Finish as _, Pdf, Rect, Ref, TextStr};

const TITLE: Style = Style::new(Weight::SemiBold, 21.0, INK);
const SUBTITLE: Style = Style::new(Weight::Regular, 10.5, MUTED);
const HEADING: Style = Style::new(Weight::SemiBold, 11.5, ACCENT);
const LABEL: Style = Style::new(Weight::Regular, 9.0, MUTED);
const VALUE: Style = Style::new(Weight::Regular, 9.5, INK);
const HEAD: Style = Style::new(Weight::SemiBold, 8.0, MUTED);
const CELL: Style = Style::new(Weight::Regular, 9.0, INK);
const SMALL: Style = Style::new(Weight::Regular, 8.0, MUTED);
const BRAND: Style = Style::new(Weight::SemiBold, 10.0, INK);

/// Where the text of a page begins and ends, from the top.
const TOP: f32 = 86.0;
const BOTTOM: f32 = HEIGHT - 64.0;
/// How much of the width labels take.
const LABELS: f32 = 165.0;
const GAP: f32 = 6.0;

/// What stands at the edges of every page, and what a reader program shows.
#[derive(Clone, Debug, Default)]
pub struct Imprint {
    pub title: String,
    /// Beside the maker's name at the top.
    pub number: String,
    /// A language as in HTML.
    pub lang: String,
    /// "Page {{page}} of {{pages}}".
    pub page: String,
}

pub struct Document {
    imprint: Imprint,
    fonts: Fonts,
    pages: Vec<Page>,
    /// How far the last page is filled, from the top.
    y: f32,
}

impl Document {
    pub fn new(imprint: Imprint) -> Self {
        Self {
            imprint,
            fonts: Fonts::new(),
            pages: vec![Page::new()],
            y: TOP,
        }
    }

    fn page(&mut self) -> (&mut Page, &mut Fonts) {
        let page = self.pages.last_mut().expect("it begins with a page");
        (page, &mut self.fonts)
    }

    /// Turns the page where so much does not fit any more.
    fn need(&mut self, height: f32) {
        if self.y + height > BOTTOM {
            self.pages.push(Page::new());
            self.y = TOP;
        }
    }

    pub fn title(&mut self, subtitle: &str) {
        let title = self.imprint.title.clone();
        let y = self.y + TITLE.size;
        let (page, fonts) = self.page();
        page.text(fonts, MARGIN, y, &title, TITLE);
        page.text(fonts, MARGIN, y + 18.0, subtitle, SUBTITLE);
        self.y = y + 34.0;
    }

    pub fn heading(&mut self, text: &str) {
        // Never alone at the foot of a page.
        self.need(64.0);
        self.y += 14.0;
        let y = self.y + HEADING.size;
        let (page, fonts) = self.page();
        page.text(fonts, MARGIN, y, text, HEADING);
        page.rule(MARGIN, y + 5.0, INNER, 0.7, LINE);
        self.y = y + 5.0 + GAP;
    }

    /// A label and what belongs to it.
    pub fn row(&mut self, label: &str, value: &str) {
        let labels = self.fonts.wrap(label, LABEL, LABELS - GAP);
        let values = self.fonts.wrap(value, VALUE, INNER - LABELS);
        let lines = labels.len().max(values.len());
        for line in 0..lines {
            self.need(VALUE.leading());
            let y = self.y + VALUE.size;
            let (page, fonts) = self.page();
            if let Some(label) = labels.get(line) {
                page.text(fonts, MARGIN, y, label, LABEL);
            }
            if let Some(value) = values.get(line) {
                page.text(fonts, MARGIN + LABELS, y, value, VALUE);
            }
            self.y += VALUE.leading();
        }
        self.y += 1.5;
    }

    pub fn paragraph(&mut self, text: &str) {
        for line in self.fonts.wrap(text, VALUE, INNER) {
            self.need(VALUE.leading());
            let y = self.y + VALUE.size;
            let (page, fonts) = self.page();
            page.text(fonts, MARGIN, y, &line, VALUE);
            self.y += VALUE.leading();
        }
        self.y += 2.0;
    }

    /// Columns take the room that their widest cell needs, and share what is left.
    pub fn table(&mut self, head: &[String], rows: &[Vec<String>]) {
        let widths = self.columns(head, rows);
        self.y += 2.0;
        self.cells(head, &widths, HEAD, true);
        for row in rows {
            self.cells(row, &widths, CELL, false);
        }
        self.y += 4.0;
    }

    fn columns(&mut self, head: &[String], rows: &[Vec<String>]) -> Vec<f32> {
        let mut widths = Vec::with_capacity(head.len());
        for (place, title) in head.iter().enumerate() {
            let title = self.fonts.of(HEAD.weight).width(title, HEAD.size);
            let cells = rows.iter().filter_map(|row| row.get(place));
            let font = self.fonts.of(CELL.weight);
            let widest = cells.fold(title, |widest, cell| {
                widest.max(font.width(cell, CELL.size))
            });
            widths.push(widest + 2.0 * GAP);
        }
        let factor = INNER / widths.iter().sum::<f32>();
        widths.iter().map(|width| width * factor).collect()
    }

    fn cells(&mut self, cells: &[String], widths: &[f32], style: Style, shaded: bool) {
        let wrapped: Vec<Vec<String>> = cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| self.fonts.wrap(cell, style, width - 2.0 * GAP + 0.5))
            .collect();
        let lines = wrapped.iter().map(Vec::len).max().unwrap_or(1);
        let height = lines as f32 * style.leading() + 6.0;
        self.need(height);
        let top = self.y;
        let (page, fonts) = self.page();
        if shaded {
            page.fill(MARGIN, top, INNER, height, SHADE);
        }
        let mut x = MARGIN;
        for (lines, width) in wrapped.iter().zip(widths) {
            for (number, line) in lines.iter().enumerate() {
                let y = top + 3.5 + style.size + number as f32 * style.leading();
                page.text(fonts, x + GAP, y, line, style);
            }
            x += width;
        }
        page.rule(MARGIN, top + height, INNER, 0.4, LINE);
        self.y = top + height;
    }

    /// Lines to sign on, beside each other.
    pub fn signatures(&mut self, labels: &[String]) {
        self.need(78.0);
        let y = self.y + 58.0;
        let room = INNER / labels.len().max(1) as f32;
        let (page, fonts) = self.page();
        for (place, label) in labels.iter().enumerate() {
            let x = MARGIN + room * place as f32;
            page.rule(x, y, room - 18.0, 0.7, MUTED);
            page.text(fonts, x, y + 12.0, label, SMALL);
        }
        self.y = y + 20.0;
    }

    /// The file.
    pub fn finish(mut self) -> Vec<u8> {
        self.edges();
        let mut next = 1;
        let mut place = || {
            let place = Ref::new(next);
            next += 1;
            place
        };
        let (catalogue, tree, info) = (place(), place(), place());
        let fonts = Weight::ALL.map(|weight| {
            let places = Places {
                font: place(),
                descendant: place(),
                descriptor: place(),
                letters: place(),
                program: place(),
            };
            (weight, places)
        });
        let pages: Vec<(Ref, Ref)> = self.pages.iter().map(|_| (place(), place())).collect();
        let mut pdf = Pdf::new();
        pdf.catalog(catalogue)
            .pages(tree)
            .lang(TextStr(&self.imprint.lang));
        pdf.pages(tree)
            .kids(pages.iter().map(|(page, _)| *page))
            .count(i32::try_from(pages.len()).unwrap_or(i32::MAX));
        // No time of making: the same protocol is the same file, whenever it is asked for.
        pdf.document_info(info)
            .title(TextStr(&format!(
                "{} {}",
                self.imprint.title, self.imprint.number
            )))
            .producer(TextStr("Suncellar"));
        for (page, (at, content)) in self.pages.into_iter().zip(pages) {
            let mut leaf = pdf.page(at);
            leaf.parent(tree)
                .media_box(Rect::new(0.0, 0.0, WIDTH, HEIGHT))
                .contents(content);
            let mut resources = leaf.resources();
            let mut used = resources.fonts();
            for (weight, places) in &fonts {
                used.pair(weight.resource(), places.font);
            }
            used.finish();
            resources.finish();
            leaf.finish();
            pdf.stream(content, &deflated(page.content.finish().as_slice()))
                .filter(Filter::FlateDecode);
        }
        for (weight, places) in &fonts {
            self.fonts.of(*weight).write(&mut pdf, places);
        }
        pdf.finish()
    }

    /// Name and number at the top of each page, its own number at the bottom.
    fn edges(&mut self) {
        let Imprint {
            title,
            number,
            page: numbering,
            ..
        } = self.imprint.clone();
        let pages = self.pages.len();
        for (place, page) in self.pages.iter_mut().enumerate() {
            let fonts = &mut self.fonts;
            page.fill(MARGIN, 42.0, 9.0, 9.0, SUN);
            page.text(fonts, MARGIN + 15.0, 50.5, "Suncellar", BRAND);
            page.text_to(fonts, MARGIN + INNER, 50.5, &number, SMALL);
            page.rule(MARGIN, 60.0, INNER, 0.7, LINE);
            let foot = HEIGHT - 36.0;
            let numbered = numbering
                .replace("{{page}}", &(place + 1).to_string())
                .replace("{{pages}}", &pages.to_string());
            page.text(fonts, MARGIN, foot, &title, SMALL);
            page.text_to(fonts, MARGIN + INNER, foot, &numbered, SMALL);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::process::Command;

    fn document(rows: usize) -> Vec<u8> {
        let mut document = Document::new(Imprint {
            title: "Inbetriebnahmeprotokoll".into(),
            number: "Protokoll Nr. SC000001-1".into(),
            lang: "de".into(),
            page: "Seite {{page}} von {{pages}}".into(),
        });
        document.title("Batteriespeicher");
        document.heading("Kunde");
        document.row("Name", "Łukasz Čačić, Zoé");
        document.row("Anschrift", "Großstraße 7, 1010 Žeželj – 100 €");
        let cells = |row: usize| vec![format!("SC{row:06}"), "230,1 V".to_owned()];
        let head = ["Seriennummer".to_owned(), "Spannung".to_owned()];
        document.table(&head, &(0..rows).map(cells).collect::<Vec<_>>());
        document.paragraph(&"Ein langer Satz, der umbricht. ".repeat(12));
        document.signatures(&["Elektrofachkraft".to_owned(), "Kunde".to_owned()]);
        document.finish()
    }

    /// What a reader program finds in a file.
    fn text_of(pdf: &[u8]) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), pdf).unwrap();
        let read = Command::new("pdftotext")
            .args(["-layout", file.path().to_str().unwrap(), "-"])
            .output()
            .expect("pdftotext, which scripts/install-tools installs");
        assert!(
            read.stderr.is_empty(),
            "{}",
            String::from_utf8_lossy(&read.stderr)
        );
        String::from_utf8(read.stdout).unwrap()
    }

    #[test]
    fn every_letter_can_be_searched_for() {
        let text = text_of(&document(3));
        for wanted in [
            "Łukasz Čačić, Zoé",
            "Großstraße 7, 1010 Žeželj – 100 €",
            "Protokoll Nr. SC000001-1",
            "Seite 1 von 1",
            "230,1 V",
        ] {
            assert!(text.contains(wanted), "{wanted} is not in:\n{text}");
        }
    }

    #[test]
    fn a_long_document_has_more_pages_and_each_says_which() {
        let text = text_of(&document(120));
        for page in 1..=4 {
            assert!(text.contains(&format!("Seite {page} von 4")), "{text}");
        }
        assert!(text.contains("SC000119"));
    }

    #[test]
    fn the_same_document_is_the_same_file() {
        assert_eq!(document(5), document(5));
    }
}
