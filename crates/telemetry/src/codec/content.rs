//! The content of a pack: bytes, which zstd compresses, and bits that cannot be compressed.
use super::DB_COLUMN;
use crate::varint::{self, ByteReader};
use db::{Error, Result};
use std::cell::RefCell;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

const PLAIN: u8 = 0;
const ZSTD: u8 = 1;
/// The bits, followed by one of the other layouts.
const WITH_BITS: u8 = 2;
/// Residuals are noise: short repeats in them are chance, and encoding a match takes more bytes than it saves (measured: an
/// eighth of a day's size).
const ZSTD_MIN_MATCH: u32 = 7;

/// How much time to spend on size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// For data that is written every few minutes.
    Fast,
    /// For data that is kept for years.
    Small,
}

impl Effort {
    fn zstd_level(self) -> i32 {
        match self {
            Self::Fast => 3,
            Self::Small => 19,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    bits: Vec<u8>,
    /// Bits of the last byte that are not used yet.
    free_bits: u32,
}

impl Content {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            ..Self::default()
        }
    }

    /// The lowest `count` bits of a value.
    pub(crate) fn put_bits(&mut self, mut value: u64, mut count: u32) {
        while count > 0 {
            if self.free_bits == 0 {
                self.bits.push(0);
                self.free_bits = 8;
            }
            let taken = self.free_bits.min(count);
            let part = (value & ((1 << taken) - 1)) as u8;
            if let Some(last) = self.bits.last_mut() {
                *last |= part << (8 - self.free_bits);
            }
            self.free_bits -= taken;
            value >>= taken;
            count -= taken;
        }
    }

    pub(crate) fn compress(&self, out: &mut Vec<u8>, effort: Effort) -> Result<()> {
        if !self.bits.is_empty() {
            out.push(WITH_BITS);
            varint::put(out, self.bits.len() as u64);
            out.extend(&self.bits);
        }
        let packed = with_compressor(effort, |compressor| compressor.compress(&self.bytes))?;
        if packed.len() + 3 < self.bytes.len() {
            out.push(ZSTD);
            varint::put(out, self.bytes.len() as u64);
            out.extend(packed);
        } else {
            out.push(PLAIN);
            out.extend(&self.bytes);
        }
        Ok(())
    }
}

thread_local! {
    /// One per thread, because their tables are large.
    static COMPRESSORS: RefCell<[Option<Compressor<'static>>; 2]> = const { RefCell::new([None, None]) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn with_compressor<T>(
    effort: Effort,
    run: impl FnOnce(&mut Compressor<'static>) -> std::io::Result<T>,
) -> Result<T> {
    let compressed = COMPRESSORS.with_borrow_mut(|compressors| {
        let slot = &mut compressors[effort as usize];
        match slot {
            Some(compressor) => run(compressor),
            None => run(slot.insert(new_compressor(effort)?)),
        }
    });
    compressed.map_err(|_| Error::Damaged("zstd compression failed"))
}

fn new_compressor(effort: Effort) -> std::io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(effort.zstd_level())?;
    compressor.set_parameter(CParameter::MinMatch(ZSTD_MIN_MATCH))?;
    Ok(compressor)
}

/// [`Content`] as read back.
pub(crate) struct Unpacked<'a> {
    bytes: Vec<u8>,
    bits: &'a [u8],
}

impl Unpacked<'_> {
    pub(crate) fn reader(&self, what: &'static str) -> ByteReader<'_> {
        ByteReader::with_bits(&self.bytes, self.bits, what)
    }
}

/// Limits the inflated size: a column takes at most ten bytes per row, plus a little.
pub(crate) fn decompress(packed: &[u8], rows: usize, columns: usize) -> Result<Unpacked<'_>> {
    let mut reader = ByteReader::new(packed, DB_COLUMN);
    let mut tag = reader.byte()?;
    let mut bits: &[u8] = &[];
    if tag == WITH_BITS {
        let length = reader.number()?;
        bits = reader.bytes(length)?;
        tag = reader.byte()?;
    }
    let bytes = match tag {
        PLAIN => reader.rest().to_vec(),
        ZSTD => {
            let length: usize = reader.number()?;
            if length > columns * (rows * 12 + 64) {
                return Err(reader.damaged());
            }
            inflate(reader.rest(), length)?
        }
        _ => return Err(reader.damaged()),
    };
    Ok(Unpacked { bytes, bits })
}

fn inflate(packed: &[u8], length: usize) -> Result<Vec<u8>> {
    let failed = |_| Error::Damaged(DB_COLUMN);
    DECOMPRESSOR.with_borrow_mut(|slot| {
        let decompressor = match slot {
            Some(decompressor) => decompressor,
            None => slot.insert(Decompressor::new().map_err(failed)?),
        };
        decompressor.decompress(packed, length).map_err(failed)
    })
}
