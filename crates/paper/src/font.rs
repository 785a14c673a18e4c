//! A font as used by one document: its glyphs, their widths, and the characters they stand for.
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish as _, Name, Pdf, Rect, Ref, Str};
use std::collections::BTreeMap;
use std::io::Write as _;
use subsetter::GlyphRemapper;
use ttf_parser::{Face, GlyphId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    SemiBold,
}

impl Weight {
    pub(crate) const ALL: [Self; 2] = [Self::Regular, Self::SemiBold];

    const fn data(self) -> &'static [u8] {
        match self {
            Self::Regular => include_bytes!("../fonts/Inter-Regular.ttf"),
            Self::SemiBold => include_bytes!("../fonts/Inter-SemiBold.ttf"),
        }
    }

    /// The name of a subset font begins with a tag of six letters.
    const fn name(self) -> &'static [u8] {
        match self {
            Self::Regular => b"SUNREG+Inter-Regular",
            Self::SemiBold => b"SUNSEM+Inter-SemiBold",
        }
    }

    /// Its name in the content streams of the pages.
    pub(crate) const fn resource(self) -> Name<'static> {
        match self {
            Self::Regular => Name(b"R"),
            Self::SemiBold => Name(b"S"),
        }
    }
}

/// The PDF objects of a font.
pub(crate) struct FontRefs {
    pub(crate) font: Ref,
    pub(crate) descendant: Ref,
    pub(crate) descriptor: Ref,
    pub(crate) letters: Ref,
    pub(crate) program: Ref,
}

pub(crate) struct Font {
    weight: Weight,
    face: Face<'static>,
    used: GlyphRemapper,
    /// Width and character by the glyph's number in this document.
    glyphs: BTreeMap<u16, (f32, char)>,
}

const IDENTITY: SystemInfo<'static> = SystemInfo {
    registry: Str(b"Adobe"),
    ordering: Str(b"Identity"),
    supplement: 0,
};

impl Font {
    pub(crate) fn new(weight: Weight) -> Self {
        Self {
            weight,
            face: Face::parse(weight.data(), 0)
                .expect("the embedded fonts are valid; a test parses both"),
            used: GlyphRemapper::new(),
            glyphs: BTreeMap::new(),
        }
    }

    /// A character that the font does not have is shown as a question mark.
    fn glyph(&self, letter: char) -> GlyphId {
        let found = self.face.glyph_index(letter);
        let found = found.or_else(|| self.face.glyph_index('?'));
        found.unwrap_or_default()
    }

    /// In thousandths of the font size.
    fn advance(&self, glyph: GlyphId) -> f32 {
        let units = f32::from(self.face.units_per_em());
        f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) * 1000.0 / units
    }

    /// The width of a text at this size, in points.
    pub(crate) fn width(&self, text: &str, size: f32) -> f32 {
        let thousandths: f32 = text
            .chars()
            .map(|letter| self.advance(self.glyph(letter)))
            .sum();
        thousandths * size / 1000.0
    }

    /// The text encoded for a content stream; its glyphs are added to the subset.
    pub(crate) fn encode(&mut self, text: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(2 * text.len());
        for letter in text.chars() {
            let glyph = self.glyph(letter);
            let number = self.used.remap(glyph.0);
            let width = self.advance(glyph);
            self.glyphs.entry(number).or_insert((width, letter));
            bytes.extend(number.to_be_bytes());
        }
        bytes
    }

    pub(crate) fn write(&self, pdf: &mut Pdf, refs: &FontRefs) {
        let name = Name(self.weight.name());
        pdf.type0_font(refs.font)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(refs.descendant)
            .to_unicode(refs.letters);
        let mut descendant = pdf.cid_font(refs.descendant);
        descendant
            .subtype(CidFontType::Type2)
            .base_font(name)
            .system_info(IDENTITY)
            .font_descriptor(refs.descriptor)
            .default_width(0.0)
            .cid_to_gid_map_predefined(Name(b"Identity"));
        let mut widths = descendant.widths();
        for (number, (width, _)) in &self.glyphs {
            widths.same(*number, *number, *width);
        }
        widths.finish();
        descendant.finish();
        self.describe(pdf, refs);
        let mut letters = UnicodeCmap::new(Name(b"Letters"), IDENTITY);
        for (number, (_, letter)) in &self.glyphs {
            letters.pair(*number, *letter);
        }
        let letters = deflated(letters.finish().as_slice());
        pdf.stream(refs.letters, &letters)
            .filter(Filter::FlateDecode);
        let program = subsetter::subset(self.weight.data(), 0, &self.used);
        let program = deflated(&program.unwrap_or_else(|_| self.weight.data().to_vec()));
        pdf.stream(refs.program, &program)
            .filter(Filter::FlateDecode);
    }

    fn describe(&self, pdf: &mut Pdf, refs: &FontRefs) {
        let per_mille =
            |units: i16| f32::from(units) * 1000.0 / f32::from(self.face.units_per_em());
        let around = self.face.global_bounding_box();
        let mut descriptor = pdf.font_descriptor(refs.descriptor);
        descriptor
            .name(Name(self.weight.name()))
            .flags(FontFlags::NON_SYMBOLIC)
            .bbox(Rect::new(
                per_mille(around.x_min),
                per_mille(around.y_min),
                per_mille(around.x_max),
                per_mille(around.y_max),
            ))
            .italic_angle(0.0)
            .ascent(per_mille(self.face.ascender()))
            .descent(per_mille(self.face.descender()))
            .cap_height(per_mille(self.face.capital_height().unwrap_or(1_490)))
            .stem_v(90.0)
            .font_file2(refs.program);
    }
}

pub(crate) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let _ = zlib.write_all(bytes);
    zlib.finish().unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn both_fonts_have_the_letters_of_our_five_languages() {
        let letters = "ÄÖÜäöüß ĄĆĘŁŃÓŚŹŻąćęłńóśźż ÀÂÆÇÉÈÊËÎÏÔŒÙÛÜŸàâæçéèêëîïôœùûüÿ ČĆĐŠŽčćđšž €§–„“«»’·→\u{a0}\u{202f}";
        for weight in Weight::ALL {
            let font = Font::new(weight);
            for letter in letters.chars() {
                assert!(
                    font.face.glyph_index(letter).is_some(),
                    "{letter:?} {weight:?}"
                );
            }
        }
    }

    #[test]
    fn a_text_is_as_long_as_its_letters() {
        let font = Font::new(Weight::Regular);
        assert!(font.width("mm", 10.0) > font.width("ii", 10.0));
        let twice = font.width("Łukasz", 20.0);
        assert!((twice - 2.0 * font.width("Łukasz", 10.0)).abs() < 0.01);
    }
}
