//! Packs columns of numbers like those of a sealed day, for other modules of this crate.
use crate::codec::{self, Content, Effort};
use crate::varint::{self, ByteReader};
use db::Result;

const VERSION: u8 = 1;
/// More than any caller packs.
const MAX_ROWS: usize = 1_000;

/// Packs some numbers, and columns of equal length.
pub fn pack(head: &[i64], columns: &[Vec<i64>]) -> Result<Vec<u8>> {
    let mut out = vec![VERSION];
    let rows = columns.first().map_or(0, Vec::len);
    varint::put(&mut out, rows as u64);
    for number in head {
        varint::put_signed(&mut out, *number);
    }
    let mut content = Content::with_capacity(2 * rows * columns.len());
    for column in columns {
        codec::encode_column(&mut content, column);
    }
    content.compress(&mut out, Effort::Fast)?;
    Ok(out)
}

/// Reverses [`pack`]. `what` names the data in errors.
pub fn unpack(
    packed: &[u8],
    head: usize,
    columns: usize,
    what: &'static str,
) -> Result<(Vec<i64>, Vec<Vec<i64>>)> {
    let mut reader = ByteReader::new(packed, what);
    if reader.byte()? != VERSION {
        return Err(reader.damaged());
    }
    let rows: usize = reader.number()?;
    if rows > MAX_ROWS {
        return Err(reader.damaged());
    }
    let head: Vec<i64> = (0..head).map(|_| reader.signed()).collect::<Result<_>>()?;
    let content = codec::decompress(reader.rest(), rows, columns)?;
    let mut reader = content.reader(what);
    let columns = (0..columns).map(|_| codec::decode_column(&mut reader, rows));
    Ok((head, columns.collect::<Result<_>>()?))
}
