//! Small integers in few bytes, and a reader that answers damage with an error.
use crate::{Error, Result};

/// Small magnitudes become small numbers: 0, −1, 1, −2, 2 …
pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

pub(super) fn unzigzag(value: u64) -> i64 {
    ((value >> 1) as i64) ^ -((value & 1) as i64)
}

pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(super) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put(out, zigzag(value));
}

/// What was packed, read from the front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    /// What is read, for the error.
    what: &'static str,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Self { rest: bytes, what }
    }

    /// To be made only when it is needed: thousands of numbers are read for one answer.
    #[cold]
    pub(super) fn damaged(&self) -> Error {
        Error::Damaged(self.what)
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.rest.split_first().ok_or_else(|| self.damaged())?;
        self.rest = rest;
        Ok(*first)
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let taken = self.rest.split_at_checked(count);
        let (taken, rest) = taken.ok_or_else(|| self.damaged())?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn unsigned(&mut self) -> Result<u64> {
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

    pub(super) fn signed(&mut self) -> Result<i64> {
        self.unsigned().map(unzigzag)
    }

    /// A number that must fit its place.
    pub(super) fn number<T: TryFrom<u64>>(&mut self) -> Result<T> {
        T::try_from(self.unsigned()?).map_err(|_| self.damaged())
    }

    pub(super) fn signed_number<T: TryFrom<i64>>(&mut self) -> Result<T> {
        T::try_from(self.signed()?).map_err(|_| self.damaged())
    }
}
