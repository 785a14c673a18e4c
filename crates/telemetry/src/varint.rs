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

/// Reads packed data from the front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteReader<'a> {
    rest: &'a [u8],
    /// Names the data in errors.
    what: &'static str,
}

impl<'a> ByteReader<'a> {
    pub(crate) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Self { rest: bytes, what }
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
