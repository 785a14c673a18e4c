//! A photo, as a phone would send it.
use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};

/// A small JPEG with a comment that a camera could have left.
pub fn photo() -> Vec<u8> {
    let picture = RgbImage::from_fn(16, 8, |x, y| Rgb([(x * 16) as u8, (y * 32) as u8, 80]));
    let mut jpeg = Vec::new();
    picture
        .write_with_encoder(JpegEncoder::new(&mut jpeg))
        .expect("a picture in memory");
    let comment = b"\xff\xfe\x00\x13taken at 52.5 N  ";
    jpeg.splice(2..2, comment.iter().copied());
    jpeg
}
