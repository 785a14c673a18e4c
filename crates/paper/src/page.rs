//! One page while it is being typeset: lines of text, rules and boxes.
use crate::font::{Font, Weight};
use pdf_writer::{Content, Str};

/// A4 in points.
pub(crate) const WIDTH: f32 = 595.28;
pub(crate) const HEIGHT: f32 = 841.89;
/// 18 mm.
pub(crate) const MARGIN: f32 = 51.0;
pub(crate) const INNER: f32 = WIDTH - 2.0 * MARGIN;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Colour(pub(crate) f32, pub(crate) f32, pub(crate) f32);

pub(crate) const BLACK: Colour = Colour(0.0, 0.0, 0.0);
pub(crate) const INK: Colour = Colour(0.09, 0.12, 0.16);
pub(crate) const MUTED: Colour = Colour(0.36, 0.41, 0.47);
pub(crate) const LINE: Colour = Colour(0.80, 0.83, 0.86);
pub(crate) const ACCENT: Colour = Colour(0.04, 0.47, 0.36);
pub(crate) const SUN: Colour = Colour(0.95, 0.72, 0.18);
pub(crate) const SHADE: Colour = Colour(0.95, 0.965, 0.975);

/// Font weight, size and colour of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) weight: Weight,
    pub(crate) size: f32,
    pub(crate) colour: Colour,
}

impl Style {
    pub(crate) const fn new(weight: Weight, size: f32, colour: Colour) -> Self {
        Self {
            weight,
            size,
            colour,
        }
    }

    pub(crate) const fn leading(self) -> f32 {
        self.size * 1.4
    }
}

pub(crate) struct Page {
    pub(crate) content: Content,
}

impl Page {
    pub(crate) fn new() -> Self {
        Self {
            content: Content::new(),
        }
    }

    /// Writes one line; `y` is its baseline from the top.
    pub(crate) fn text(&mut self, fonts: &mut Fonts, x: f32, y: f32, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        let Colour(r, g, b) = style.colour;
        let bytes = fonts.of(style.weight).encode(text);
        self.content
            .set_fill_rgb(r, g, b)
            .begin_text()
            .set_font(style.weight.resource(), style.size)
            .next_line(x, HEIGHT - y)
            .show(Str(&bytes))
            .end_text();
    }

    /// A line that ends at `x`.
    pub(crate) fn text_right_aligned(
        &mut self,
        fonts: &mut Fonts,
        x: f32,
        y: f32,
        text: &str,
        style: Style,
    ) {
        let width = fonts.of(style.weight).width(text, style.size);
        self.text(fonts, x - width, y, text, style);
    }

    pub(crate) fn rule(&mut self, x: f32, y: f32, width: f32, thickness: f32, colour: Colour) {
        self.fill(x, y, width, thickness, colour);
    }

    /// A filled box whose upper edge is at `y`.
    pub(crate) fn fill(&mut self, x: f32, y: f32, width: f32, height: f32, colour: Colour) {
        self.fill_all(&[(x, y, width, height)], colour);
    }

    /// The same for many boxes as one figure, without a seam between neighbours.
    pub(crate) fn fill_all(&mut self, boxes: &[(f32, f32, f32, f32)], colour: Colour) {
        let Colour(r, g, b) = colour;
        self.content.set_fill_rgb(r, g, b);
        for (x, y, width, height) in boxes {
            self.content.rect(*x, HEIGHT - y - height, *width, *height);
        }
        self.content.fill_nonzero();
    }
}

pub(crate) struct Fonts {
    regular: Font,
    semi_bold: Font,
}

impl Fonts {
    pub(crate) fn new() -> Self {
        Self {
            regular: Font::new(Weight::Regular),
            semi_bold: Font::new(Weight::SemiBold),
        }
    }

    pub(crate) fn of(&mut self, weight: Weight) -> &mut Font {
        match weight {
            Weight::Regular => &mut self.regular,
            Weight::SemiBold => &mut self.semi_bold,
        }
    }

    /// Breaks a text into lines. A word that is too long for a line is broken within.
    pub(crate) fn wrap(&mut self, text: &str, style: Style, width: f32) -> Vec<String> {
        let font = self.of(style.weight);
        let fits = |line: &str| font.width(line, style.size) <= width;
        let mut lines = Vec::new();
        for paragraph in text.lines() {
            let mut line = String::new();
            for word in paragraph.split(' ') {
                let longer = match line.is_empty() {
                    true => word.to_owned(),
                    false => format!("{line} {word}"),
                };
                if fits(&longer) {
                    line = longer;
                    continue;
                }
                if !line.is_empty() {
                    lines.push(std::mem::take(&mut line));
                }
                for letter in word.chars() {
                    line.push(letter);
                    if !fits(&line) && line.chars().count() > 1 {
                        line.pop();
                        lines.push(std::mem::take(&mut line));
                        line.push(letter);
                    }
                }
            }
            lines.push(line);
        }
        if lines.is_empty() {
            lines.push(String::new());
        }
        lines
    }
}
