//! Rows as both engines have them: values, their bytes in a backup, and a checksum over all rows of a table in any order.
use crate::{Error, Result};
use ring::digest::{SHA256, digest};

/// A value of any column. A boolean is 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

const NULL: u8 = 0;
const INTEGER: u8 = 1;
const TEXT: u8 = 2;
const BYTES: u8 = 3;

/// The bytes of a row, its columns in order of their names.
pub(crate) fn encode(row: &[Value], out: &mut Vec<u8>) {
    out.clear();
    let mut sized = |kind: u8, bytes: &[u8]| {
        out.push(kind);
        out.extend_from_slice(&(bytes.len() as u64).to_le_bytes()[..4]);
        out.extend_from_slice(bytes);
    };
    for value in row {
        match value {
            Value::Null => sized(NULL, &[]),
            Value::Integer(number) => sized(INTEGER, &number.to_le_bytes()),
            Value::Text(text) => sized(TEXT, text.as_bytes()),
            Value::Bytes(bytes) => sized(BYTES, bytes),
        }
    }
}

pub(crate) fn decode(mut bytes: &[u8], columns: usize) -> Result<Vec<Value>> {
    let mut row = Vec::with_capacity(columns);
    while let Some((kind, rest)) = bytes.split_first() {
        let (size, rest) = rest.split_first_chunk::<4>().ok_or(DAMAGED)?;
        let size = usize::try_from(u32::from_le_bytes(*size)).map_err(|_| DAMAGED)?;
        let (value, rest) = rest.split_at_checked(size).ok_or(DAMAGED)?;
        bytes = rest;
        row.push(match *kind {
            NULL => Value::Null,
            INTEGER => Value::Integer(i64::from_le_bytes(value.try_into().map_err(|_| DAMAGED)?)),
            TEXT => Value::Text(String::from_utf8(value.to_vec()).map_err(|_| DAMAGED)?),
            BYTES => Value::Bytes(value.to_vec()),
            _ => return Err(DAMAGED),
        });
    }
    match row.len() == columns {
        true => Ok(row),
        false => Err(DAMAGED),
    }
}

/// About how much memory a row takes.
pub(crate) fn size_of_row(row: &[Value]) -> usize {
    let size = |value: &Value| match value {
        Value::Null | Value::Integer(_) => 8,
        Value::Text(text) => text.len() + 8,
        Value::Bytes(bytes) => bytes.len() + 8,
    };
    row.iter().map(size).sum()
}

const DAMAGED: Error = Error::Damaged("a row of a backup");

/// How many rows a table has, and the sum of their SHA-256 hashes: the same in whatever order they are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSum {
    pub rows: u64,
    pub checksum: u128,
}

impl TableSum {
    pub(crate) fn add(&mut self, encoded: &[u8]) {
        let hash = digest(&SHA256, encoded);
        let half = hash.as_ref().first_chunk().copied().unwrap_or_default();
        self.rows += 1;
        self.checksum = self.checksum.wrapping_add(u128::from_le_bytes(half));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_row_comes_back_from_its_bytes_and_damage_is_noticed() {
        let row = [
            Value::Integer(i64::MIN),
            Value::Null,
            Value::Text("Übergabe".into()),
            Value::Bytes(vec![0, 255]),
            Value::Bytes(Vec::new()),
        ];
        let mut bytes = Vec::new();
        encode(&row, &mut bytes);
        assert_eq!(decode(&bytes, row.len()).unwrap(), row);
        assert!(decode(&bytes[..bytes.len() - 1], row.len()).is_err());
        assert!(decode(&bytes, row.len() + 1).is_err());
    }

    #[test]
    fn the_checksum_is_the_same_in_any_order_and_different_for_any_other_rows() {
        let sum = |rows: &[&[u8]]| {
            let mut sum = TableSum::default();
            rows.iter().for_each(|row| sum.add(row));
            sum
        };
        assert_eq!(sum(&[b"a", b"b"]), sum(&[b"b", b"a"]));
        assert_ne!(sum(&[b"a", b"a"]), sum(&[b"b", b"b"]));
        assert_ne!(sum(&[b"a"]), sum(&[b"a", b"a"]));
    }
}
