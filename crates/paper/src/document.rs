//! A document that is filled from top to bottom, page by page, and written as a file.
mod file;

use crate::font::Weight;
use crate::page::{
    ACCENT, BLACK, Fonts, HEIGHT, INK, INNER, LINE, MARGIN, MUTED, Page, SHADE, Style,
};

const TITLE: Style = Style::new(Weight::SemiBold, 21.0, INK);
const SUBTITLE: Style = Style::new(Weight::Regular, 10.5, MUTED);
const HEADING: Style = Style::new(Weight::SemiBold, 11.5, ACCENT);
const LABEL: Style = Style::new(Weight::Regular, 9.0, MUTED);
const VALUE: Style = Style::new(Weight::Regular, 9.5, INK);
const HEAD: Style = Style::new(Weight::SemiBold, 8.0, MUTED);
const CELL: Style = Style::new(Weight::Regular, 9.0, INK);
const SMALL: Style = Style::new(Weight::Regular, 8.0, MUTED);

/// The text area of a page, measured from the top.
const TOP: f32 = 86.0;
const BOTTOM: f32 = HEIGHT - 64.0;
/// The width of the label column.
const LABEL_WIDTH: f32 = 165.0;
const GAP: f32 = 6.0;
/// 5 cm: a phone reads it at arm's length.
const QR_SIDE: f32 = 142.0;

/// Headers and footers of every page, and the metadata that PDF readers show.
#[derive(Clone, Debug, Default)]
pub struct DocumentInfo {
    pub title: String,
    /// Shown at the top right, opposite the brand.
    pub number: String,
    /// A language as in HTML.
    pub lang: String,
    /// "Page {{page}} of {{pages}}".
    pub page: String,
}

pub struct Document {
    info: DocumentInfo,
    fonts: Fonts,
    pages: Vec<Page>,
    /// How far the last page is filled, measured from the top.
    y: f32,
}

impl Document {
    pub fn new(info: DocumentInfo) -> Self {
        Self {
            info,
            fonts: Fonts::new(),
            pages: vec![Page::new()],
            y: TOP,
        }
    }

    fn page(&mut self) -> (&mut Page, &mut Fonts) {
        let page = self.pages.last_mut().expect("at least one page");
        (page, &mut self.fonts)
    }

    /// Begins a new page if `height` does not fit on this one.
    fn ensure_room(&mut self, height: f32) {
        if self.y + height > BOTTOM {
            self.new_page();
        }
    }

    /// What follows begins on a page of its own.
    pub fn new_page(&mut self) {
        self.pages.push(Page::new());
        self.y = TOP;
    }

    /// A QR code of `size` modules on each side, row by row; `true` is dark.
    pub fn qr(&mut self, size: usize, dark: &[bool]) {
        let module = QR_SIDE / size.max(1) as f32;
        // White around it, as scanners ask for.
        let quiet = 4.0 * module;
        self.ensure_room(QR_SIDE + 2.0 * quiet);
        let top = self.y + quiet;
        let mut boxes = Vec::new();
        for (row, modules) in dark.chunks(size.max(1)).enumerate() {
            let y = top + row as f32 * module;
            let mut column = 0;
            // Neighbours in a row are one box.
            for run in modules.chunk_by(|one, next| one == next) {
                if run[0] {
                    let x = MARGIN + column as f32 * module;
                    boxes.push((x, y, run.len() as f32 * module, module));
                }
                column += run.len();
            }
        }
        self.page().0.fill_all(&boxes, BLACK);
        self.y = top + QR_SIDE + quiet;
    }

    pub fn title(&mut self, subtitle: &str) {
        let title = self.info.title.clone();
        let y = self.y + TITLE.size;
        let (page, fonts) = self.page();
        page.text(fonts, MARGIN, y, &title, TITLE);
        page.text(fonts, MARGIN, y + 18.0, subtitle, SUBTITLE);
        self.y = y + 34.0;
    }

    pub fn heading(&mut self, text: &str) {
        // Never alone at the bottom of a page.
        self.ensure_room(64.0);
        self.y += 14.0;
        let y = self.y + HEADING.size;
        let (page, fonts) = self.page();
        page.text(fonts, MARGIN, y, text, HEADING);
        page.rule(MARGIN, y + 5.0, INNER, 0.7, LINE);
        self.y = y + 5.0 + GAP;
    }

    /// A label and its value.
    pub fn row(&mut self, label: &str, value: &str) {
        let labels = self.fonts.wrap(label, LABEL, LABEL_WIDTH - GAP);
        let values = self.fonts.wrap(value, VALUE, INNER - LABEL_WIDTH);
        let lines = labels.len().max(values.len());
        for line in 0..lines {
            self.ensure_room(VALUE.leading());
            let y = self.y + VALUE.size;
            let (page, fonts) = self.page();
            if let Some(label) = labels.get(line) {
                page.text(fonts, MARGIN, y, label, LABEL);
            }
            if let Some(value) = values.get(line) {
                page.text(fonts, MARGIN + LABEL_WIDTH, y, value, VALUE);
            }
            self.y += VALUE.leading();
        }
        self.y += 1.5;
    }

    pub fn paragraph(&mut self, text: &str) {
        for line in self.fonts.wrap(text, VALUE, INNER) {
            self.ensure_room(VALUE.leading());
            let y = self.y + VALUE.size;
            let (page, fonts) = self.page();
            page.text(fonts, MARGIN, y, &line, VALUE);
            self.y += VALUE.leading();
        }
        self.y += 2.0;
    }

    /// Column widths are proportional to the widest cell of each column and fill the page.
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
        for (column, title) in head.iter().enumerate() {
            let title = self.fonts.of(HEAD.weight).width(title, HEAD.size);
            let cells = rows.iter().filter_map(|row| row.get(column));
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
        self.ensure_room(height);
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

    /// Signature lines, side by side.
    pub fn signatures(&mut self, labels: &[String]) {
        self.ensure_room(78.0);
        let y = self.y + 58.0;
        let room = INNER / labels.len().max(1) as f32;
        let (page, fonts) = self.page();
        for (index, label) in labels.iter().enumerate() {
            let x = MARGIN + room * index as f32;
            page.rule(x, y, room - 18.0, 0.7, MUTED);
            page.text(fonts, x, y + 12.0, label, SMALL);
        }
        self.y = y + 20.0;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::page::WIDTH;
    use std::process::Command;

    fn document(rows: usize) -> Vec<u8> {
        let mut document = Document::new(DocumentInfo {
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

    /// The text that `pdftotext` finds in a file.
    fn text_of(pdf: &[u8]) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), pdf).unwrap();
        let read = Command::new("pdftotext")
            .args(["-layout", file.path().to_str().unwrap(), "-"])
            .output()
            .expect("cannot run pdftotext; scripts/install-tools installs it");
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
    fn a_qr_code_has_its_modules_where_they_belong() {
        let mut document = Document::new(DocumentInfo::default());
        document.new_page();
        let wanted: Vec<bool> = (0..64).map(|at| at % 3 == 0).collect();
        document.qr(8, &wanted);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), document.finish()).unwrap();
        // One pixel for each point, of the second page, at the place of the code.
        let drawn = Command::new("pdftoppm")
            .args(["-f", "2", "-r", "72", "-gray"])
            .arg(file.path())
            .output()
            .expect("cannot run pdftoppm; scripts/install-tools installs it");
        let head = format!("P5\n{} {}\n255\n", WIDTH.ceil(), HEIGHT.ceil());
        let pixels = drawn.stdout.strip_prefix(head.as_bytes()).unwrap();
        let module = QR_SIDE / 8.0;
        let dark = |column: f32, row: f32| {
            let x = MARGIN + (column + 0.5) * module;
            let y = TOP + (row + 4.5) * module;
            pixels[y as usize * WIDTH.ceil() as usize + x as usize] < 128
        };
        let seen = (0..64).map(|at| dark((at % 8) as f32, (at / 8) as f32));
        assert_eq!(seen.collect::<Vec<_>>(), wanted);
        assert!(!dark(8.0, 0.0) && !dark(-1.0, 0.0) && !dark(0.0, 8.0));
    }

    #[test]
    fn the_same_document_is_the_same_file() {
        assert_eq!(document(5), document(5));
    }
}
