//! Variable-length integers, and a reader that returns an error on damaged data.
use db::{Error, Result};

/// Small magnitudes become small numbers: 0, −1, 1, −2, 2 …
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

pub(crate) fn unzigzag(value: u64) -> i64 {
    ((value >> 1) as i64) ^ -((value & 1) as i64)
}

pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(crate) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put(out, zigzag(value));
}

/// Together with the bits of the byte in which they start, they fit into 64.
const MAX_BITS: u32 = 57;

/// Reads packed data from the front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteReader<'a> {
    rest: &'a [u8],
    bits: &'a [u8],
    /// How many bits were read.
    bits_read: usize,
    /// Names the data in errors.
    what: &'static str,
}

impl<'a> ByteReader<'a> {
    pub(crate) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Self::with_bits(bytes, &[], what)
    }

    /// Reads bytes, and separate bits next to them.
    pub(crate) fn with_bits(bytes: &'a [u8], bits: &'a [u8], what: &'static str) -> Self {
        Self {
            rest: bytes,
            bits,
            bits_read: 0,
            what,
        }
    }

    /// Build it only on failure: a response reads thousands of numbers.
    #[cold]
    pub(crate) fn damaged(&self) -> Error {
        Error::Damaged(self.what)
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.rest.split_first().ok_or_else(|| self.damaged())?;
        self.rest = rest;
        Ok(*first)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let taken = self.rest.split_at_checked(count);
        let (taken, rest) = taken.ok_or_else(|| self.damaged())?;
        self.rest = rest;
        Ok(taken)
    }

    /// A number of at most [`MAX_BITS`] bits, from the bits beside the bytes.
    pub(crate) fn bits(&mut self, count: u32) -> Result<u64> {
        let after = self.bits_read + count as usize;
        if count > MAX_BITS || after > 8 * self.bits.len() {
            return Err(self.damaged());
        }
        let rest = &self.bits[self.bits_read / 8..];
        let word = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            last
        });
        let number = u64::from_le_bytes(word) >> (self.bits_read % 8);
        self.bits_read = after;
        Ok(number & ((1 << count) - 1))
    }

    pub(crate) fn unsigned(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.damaged())
    }

    pub(crate) fn signed(&mut self) -> Result<i64> {
        self.unsigned().map(unzigzag)
    }

    /// Damaged if the number does not fit `T`.
    pub(crate) fn number<T: TryFrom<u64>>(&mut self) -> Result<T> {
        T::try_from(self.unsigned()?).map_err(|_| self.damaged())
    }

    pub(crate) fn signed_number<T: TryFrom<i64>>(&mut self) -> Result<T> {
        T::try_from(self.signed()?).map_err(|_| self.damaged())
    }
}
