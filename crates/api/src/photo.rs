//! Photos that people upload. Each is decoded and written anew, so that nothing but the picture is kept: no place, no camera, and
//! nothing that only looks like a picture.
use domain::Message;
use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::error::{LimitError, LimitErrorKind};
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder as _, ImageError};
use std::io::Cursor;
use tokio::sync::Semaphore;

/// Longer sides are made this long, in pixels.
const MAX_SIDE: u32 = 1_600;
/// A larger picture is refused unread: 24 megapixels. Decoding takes this, and twice that to turn it.
const MAX_PICTURE_BYTES: u64 = 72_000_000;
/// 1 to 100.
const QUALITY: u8 = 80;
/// Decoding takes a core, so photos wait for each other.
static ONE_AT_A_TIME: Semaphore = Semaphore::const_new(1);

/// The same picture as a JPEG of a bounded size, upright, without metadata. `Err`: not a JPEG, or too large a one.
pub(crate) async fn clean(bytes: Vec<u8>) -> Result<Vec<u8>, Message> {
    let turn = ONE_AT_A_TIME.acquire().await;
    // The work goes on when whoever has sent the photo does not wait for it.
    let work = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        rewrite(&bytes).ok()
    });
    let cleaned = work.await.ok().flatten();
    cleaned.ok_or(Message::PhotoUnreadable)
}

fn rewrite(bytes: &[u8]) -> image::ImageResult<Vec<u8>> {
    let mut decoder = JpegDecoder::new(Cursor::new(bytes))?;
    if decoder.total_bytes() > MAX_PICTURE_BYTES {
        let kind = LimitErrorKind::InsufficientMemory;
        return Err(ImageError::Limits(LimitError::from_kind(kind)));
    }
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    if picture.width().max(picture.height()) > MAX_SIDE {
        picture = picture.resize(MAX_SIDE, MAX_SIDE, FilterType::Triangle);
    }
    let mut jpeg = Vec::new();
    picture
        .into_rgb8()
        .write_with_encoder(JpegEncoder::new_with_quality(&mut jpeg, QUALITY))?;
    Ok(jpeg)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use image::{Rgb, RgbImage};

    /// A picture that is red on the left and blue on the right, with EXIF data that name a place and say: turn it by 90° to the right.
    fn photo(width: u32, height: u32) -> Vec<u8> {
        let picture = RgbImage::from_fn(width, height, |x, _| match x < width / 2 {
            true => Rgb([200, 0, 0]),
            false => Rgb([0, 0, 200]),
        });
        let mut jpeg = Vec::new();
        let encoder = JpegEncoder::new_with_quality(&mut jpeg, 90);
        picture.write_with_encoder(encoder).unwrap();
        // TIFF, big-endian: one directory with the orientation 6, and text behind it.
        let mut exif =
            b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0".to_vec();
        exif.extend(b"GPS 52.5200 N 13.4050 E");
        let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
        let mut marked = jpeg[..2].to_vec();
        marked.extend([0xff, 0xe1]);
        marked.extend(length);
        marked.extend(exif);
        marked.extend(&jpeg[2..]);
        marked
    }

    fn contains(bytes: &[u8], text: &[u8]) -> bool {
        bytes.windows(text.len()).any(|window| window == text)
    }

    #[test]
    fn a_photo_stands_upright_and_does_not_tell_where_it_was_taken() {
        let original = photo(64, 32);
        assert!(contains(&original, b"GPS"));
        let cleaned = rewrite(&original).unwrap();
        assert!(!contains(&cleaned, b"GPS") && !contains(&cleaned, b"Exif"));
        let picture = image::load_from_memory(&cleaned).unwrap().into_rgb8();
        assert_eq!(picture.dimensions(), (32, 64));
        // What was left is at the top now.
        assert!(picture.get_pixel(16, 4).0[0] > 150 && picture.get_pixel(16, 60).0[2] > 150);
    }

    #[test]
    fn a_long_side_is_made_shorter_and_what_is_no_photo_is_refused() {
        let cleaned = rewrite(&photo(2_000, 40)).unwrap();
        let picture = image::load_from_memory(&cleaned).unwrap();
        assert_eq!((picture.width(), picture.height()), (32, MAX_SIDE));
        let whole = photo(64, 32);
        // Small as a file, and large when it is decoded: 9,000 by 9,000 pixels, as its head says.
        let mut bomb = whole.clone();
        let head = bomb.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
        let side = 9_000_u16.to_be_bytes();
        bomb[head + 5..head + 9].copy_from_slice(&[side, side].concat());
        let refused = rewrite(&bomb);
        assert!(matches!(refused, Err(ImageError::Limits(_))), "{refused:?}");
        for wrong in [
            b"".as_slice(),
            b"<script>",
            b"\x89PNG\r\n\x1a\n",
            &whole[..20],
        ] {
            assert!(rewrite(wrong).is_err(), "{wrong:?}");
        }
    }
}
