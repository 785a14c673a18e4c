//! Writes a document as a PDF file, with a header and a footer on each page.
use super::{Document, DocumentInfo, SMALL};
use crate::font::{FontRefs, Weight, deflated};
use crate::page::{HEIGHT, INK, INNER, LINE, MARGIN, SUN, Style, WIDTH};
use pdf_writer::{Filter, Finish as _, Pdf, Rect, Ref, TextStr};

const BRAND: Style = Style::new(Weight::SemiBold, 10.0, INK);

impl Document {
    /// The bytes of the PDF file.
    pub fn finish(mut self) -> Vec<u8> {
        self.add_headers_and_footers();
        let mut next = 1;
        let mut new_ref = || {
            let id = Ref::new(next);
            next += 1;
            id
        };
        let (catalogue, tree, info) = (new_ref(), new_ref(), new_ref());
        let fonts = Weight::ALL.map(|weight| {
            let refs = FontRefs {
                font: new_ref(),
                descendant: new_ref(),
                descriptor: new_ref(),
                letters: new_ref(),
                program: new_ref(),
            };
            (weight, refs)
        });
        let pages: Vec<(Ref, Ref)> = self.pages.iter().map(|_| (new_ref(), new_ref())).collect();
        let mut pdf = Pdf::new();
        pdf.catalog(catalogue)
            .pages(tree)
            .lang(TextStr(&self.info.lang));
        pdf.pages(tree)
            .kids(pages.iter().map(|(page, _)| *page))
            .count(i32::try_from(pages.len()).unwrap_or(i32::MAX));
        // No creation time: the same document always gives the same file.
        pdf.document_info(info)
            .title(TextStr(&format!(
                "{} {}",
                self.info.title, self.info.number
            )))
            .producer(TextStr("Suncellar"));
        for (page, (at, content)) in self.pages.into_iter().zip(pages) {
            let mut leaf = pdf.page(at);
            leaf.parent(tree)
                .media_box(Rect::new(0.0, 0.0, WIDTH, HEIGHT))
                .contents(content);
            let mut resources = leaf.resources();
            let mut used = resources.fonts();
            for (weight, refs) in &fonts {
                used.pair(weight.resource(), refs.font);
            }
            used.finish();
            resources.finish();
            leaf.finish();
            pdf.stream(content, &deflated(page.content.finish().as_slice()))
                .filter(Filter::FlateDecode);
        }
        for (weight, refs) in &fonts {
            self.fonts.of(*weight).write(&mut pdf, refs);
        }
        pdf.finish()
    }

    /// Brand and document number at the top of each page, title and page number at the bottom.
    fn add_headers_and_footers(&mut self) {
        let DocumentInfo {
            title,
            number,
            page: numbering,
            ..
        } = self.info.clone();
        let pages = self.pages.len();
        for (index, page) in self.pages.iter_mut().enumerate() {
            let fonts = &mut self.fonts;
            page.fill(MARGIN, 42.0, 9.0, 9.0, SUN);
            page.text(fonts, MARGIN + 15.0, 50.5, "Suncellar", BRAND);
            page.text_right_aligned(fonts, MARGIN + INNER, 50.5, &number, SMALL);
            page.rule(MARGIN, 60.0, INNER, 0.7, LINE);
            let foot = HEIGHT - 36.0;
            let numbered = numbering
                .replace("{{page}}", &(index + 1).to_string())
                .replace("{{pages}}", &pages.to_string());
            page.text(fonts, MARGIN, foot, &title, SMALL);
            page.text_right_aligned(fonts, MARGIN + INNER, foot, &numbered, SMALL);
        }
    }
}
