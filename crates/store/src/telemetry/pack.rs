//! Columns of numbers packed as those of a sealed day are, for others in this crate.
use super::codec;
use super::varint::{self, Reader};
use crate::Result;

const VERSION: u8 = 1;
/// More than anybody packs this way.
const AT_MOST: usize = 1_000;

/// Some numbers, and columns of the same length.
pub(crate) fn pack(head: &[i64], columns: &[Vec<i64>]) -> Result<Vec<u8>> {
    let mut out = vec![VERSION];
    let rows = columns.first().map_or(0, Vec::len);
    varint::put(&mut out, rows as u64);
    for number in head {
        varint::put_signed(&mut out, *number);
    }
    let mut content = Vec::with_capacity(2 * rows * columns.len());
    for column in columns {
        codec::put_column(&mut content, column);
    }
    codec::compress(&mut out, &content)?;
    Ok(out)
}

/// What [`pack`] made; `what` it is, for the error.
pub(crate) fn unpack(
    packed: &[u8],
    head: usize,
    columns: usize,
    what: &'static str,
) -> Result<(Vec<i64>, Vec<Vec<i64>>)> {
    let mut reader = Reader::new(packed, what);
    if reader.byte()? != VERSION {
        return Err(reader.damaged());
    }
    let rows: usize = reader.number()?;
    if rows > AT_MOST {
        return Err(reader.damaged());
    }
    let head: Vec<i64> = (0..head).map(|_| reader.signed()).collect::<Result<_>>()?;
    let content = codec::decompress(reader.rest(), rows, columns)?;
    let mut reader = Reader::new(&content, what);
    let columns = (0..columns).map(|_| codec::take_column(&mut reader, rows));
    Ok((head, columns.collect::<Result<_>>()?))
}
