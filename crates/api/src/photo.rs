//! Photos that people upload. Each is decoded and written anew, so that nothing but the picture is kept: no place, no camera, and
//! nothing that only looks like a picture.
use crate::error::Error;
use crate::work_queue::{self, WorkQueue};
use axum::http::StatusCode;
use domain::Message;
use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::error::{LimitError, LimitErrorKind};
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder as _, ImageError};
use std::io::Cursor;
use std::time::Duration;

/// Longer sides are made this long, in pixels.
pub(crate) const MAX_SIDE: u32 = 1_600;
/// A larger picture is refused before it is decoded. The browser sends smaller ones. A pixel of a progressive picture takes 6 bytes
/// while it is decoded, of a rare one with four colours 8, and 3 when it is: about 150 MB in all.
const MAX_PIXELS: u64 = 16_000_000;
/// Each scan of a progressive picture walks all of its pixels. Programs write about ten.
const MAX_SCANS: usize = 20;
/// JPEG quality, 1 to 100.
const QUALITY: u8 = 80;
/// Decoding takes a core, and memory.
const MAX_AT_ONCE: usize = 1;
/// When so many wait, the next is sent away: the last of them waits a few seconds.
const MAX_WAITING: usize = 8;
/// No picture within the limits takes that long. A decoder that hangs is left alone then, with its thread.
const MAX_TIME: Duration = Duration::from_secs(20);
/// One that works, and some that hang.
const MAX_THREADS: usize = 3;
const RETRY_AFTER_SECONDS: u64 = 5;

/// Photos wait for each other.
#[derive(Clone)]
pub(crate) struct Photos {
    queue: WorkQueue,
    threads: WorkQueue,
}

impl Photos {
    pub(crate) fn new() -> Self {
        Self {
            queue: WorkQueue::new(MAX_AT_ONCE, MAX_WAITING),
            threads: WorkQueue::new(MAX_THREADS, 0),
        }
    }

    /// The same picture as a JPEG of a bounded size, upright, without metadata. Refused: not a JPEG, too large a one, or too many
    /// photos at once.
    pub(crate) async fn clean(&self, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        let busy = || Error::Busy {
            seconds: RETRY_AFTER_SECONDS,
            message: Message::PhotosBusy,
        };
        let permit = self.queue.acquire().await.map_err(|_| busy())?;
        let thread = self.threads.try_acquire().ok_or_else(busy)?;
        let work = move || rewrite(&bytes).ok();
        let cleaned = work_queue::run_at_most(MAX_TIME, permit, thread, work).await;
        let unreadable = Error::Refused(StatusCode::BAD_REQUEST, Message::PhotoUnreadable);
        cleaned.flatten().ok_or(unreadable)
    }
}

pub(crate) fn rewrite(bytes: &[u8]) -> image::ImageResult<Vec<u8>> {
    let too_much = |kind| Err(ImageError::Limits(LimitError::from_kind(kind)));
    let mut decoder = JpegDecoder::new(Cursor::new(bytes))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return too_much(LimitErrorKind::DimensionError);
    }
    if count_scans(bytes) > MAX_SCANS {
        return too_much(LimitErrorKind::InsufficientMemory);
    }
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    // A finer filter computes with 16 bytes a pixel, so it gets less of them.
    if picture.width().max(picture.height()) > 2 * MAX_SIDE {
        picture = picture.thumbnail(2 * MAX_SIDE, 2 * MAX_SIDE);
    }
    if picture.width().max(picture.height()) > MAX_SIDE {
        picture = picture.resize(MAX_SIDE, MAX_SIDE, FilterType::Triangle);
    }
    picture.apply_orientation(orientation);
    let mut jpeg = Vec::new();
    picture
        .into_rgb8()
        .write_with_encoder(JpegEncoder::new_with_quality(&mut jpeg, QUALITY))?;
    Ok(jpeg)
}

/// The marker that begins a scan. Within the data of one it cannot come; a preview within the metadata may add one more.
fn count_scans(bytes: &[u8]) -> usize {
    bytes.windows(2).filter(|two| *two == [0xff, 0xda]).count()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use image::{GrayImage, Luma, Rgb, RgbImage};

    /// A picture that is red on the left and blue on the right. Its EXIF data contain a location and an orientation: rotate by
    /// 90° to the right.
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
        // The left side is now at the top.
        assert!(picture.get_pixel(16, 4).0[0] > 150 && picture.get_pixel(16, 60).0[2] > 150);
    }

    #[test]
    fn a_long_side_is_made_shorter_and_what_is_no_photo_is_refused() {
        let cleaned = rewrite(&photo(2_000, 40)).unwrap();
        let picture = image::load_from_memory(&cleaned).unwrap();
        assert_eq!((picture.width(), picture.height()), (32, MAX_SIDE));
        let whole = photo(64, 32);
        let mut grey = Vec::new();
        let encoder = JpegEncoder::new(&mut grey);
        let picture = GrayImage::from_pixel(8, 8, Luma([90]));
        picture.write_with_encoder(encoder).unwrap();
        assert!(rewrite(&grey).is_ok());
        // Small as files, and large when they are decoded: 4,001 by 4,000 pixels, as their heads say.
        for mut bomb in [whole.clone(), grey] {
            let head = bomb.windows(2).position(|two| two == [0xff, 0xc0]);
            let (height, width) = (4_000_u16.to_be_bytes(), 4_001_u16.to_be_bytes());
            let at = head.unwrap() + 5;
            bomb[at..at + 4].copy_from_slice(&[height, width].concat());
            let refused = rewrite(&bomb);
            assert!(matches!(refused, Err(ImageError::Limits(_))), "{refused:?}");
        }
        // Short, and a walk over the whole picture for each of its scans.
        let scan = whole.windows(2).position(|two| two == [0xff, 0xda]);
        let (head, scan) = whole.split_at(scan.unwrap());
        let slow = [
            head,
            &scan[..scan.len() - 2].repeat(MAX_SCANS + 1),
            &scan[scan.len() - 2..],
        ]
        .concat();
        let refused = rewrite(&slow);
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
