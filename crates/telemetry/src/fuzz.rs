//! Entry points for the fuzz targets in `fuzz/`: bytes of the database that are damaged or manipulated.
#![allow(clippy::unwrap_used, reason = "a panic is what fuzzing looks for")]
use crate::codec::{self, Effort};
use crate::columns::{Columns, SampleField};
use crate::quarters::Quarters;
use crate::totals::Totals;
use crate::varint::{self, ByteReader};
use crate::{log_format, pack, row};
use domain::sample::MessageId;

/// A longer day takes memory and time, and finds nothing more.
const MAX_ROWS: usize = 4_096;
/// The number of leading numbers and of columns in [`pack`].
const PACKED: (usize, usize) = (2, 3);

/// The content of a sealed day between version and checksum, and other packed columns.
pub fn sealed_columns(input: &[u8]) {
    let rows = ByteReader::new(input, "rows").number::<usize>();
    if rows.is_ok_and(|rows| rows <= MAX_ROWS) {
        check_day(&codec::complete(input));
    }
    let _ = codec::decode(input, &SampleField::ALL);
    if let Ok(quarters) = Quarters::decode(input, 0) {
        assert!(quarters.energy.iter().all(|energy| energy.len() <= 200));
    }
    let _ = Totals::decode(&mut ByteReader::new(input, "totals"));
    let (head, columns) = PACKED;
    if let Ok((numbers, values)) = pack::unpack(input, head, columns, "packed") {
        let packed = pack::pack(&numbers, &values).unwrap();
        let again = pack::unpack(&packed, head, columns, "packed").unwrap();
        assert_eq!(again, (numbers, values));
    }
}

fn check_day(body: &[u8]) {
    let Ok(columns) = codec::decode(body, &SampleField::ALL) else {
        return;
    };
    for field in SampleField::ALL {
        let alone = codec::decode(body, &[field]).unwrap();
        assert_eq!(alone.get(field), columns.get(field), "{field:?}");
        assert_eq!(alone.times, columns.times);
    }
    if let Ok(samples) = columns.samples() {
        let body = codec::encode(&Columns::of(&samples), Effort::Fast).unwrap();
        let again = codec::decode(&body, &SampleField::ALL).unwrap();
        assert_eq!(again.samples().unwrap(), samples);
    }
}

/// The content of a row of the sample log after the checksum.
pub fn ingest_log(input: &[u8]) {
    let _ = log_format::decode(input);
    let _ = row::unpack(0, MessageId::new(0, 0), input);
    let Ok(entries) = log_format::decode(&log_format::complete(input)) else {
        return;
    };
    assert_eq!(
        log_format::decode(&log_format::encode(&entries)).unwrap(),
        entries
    );
    for sample in entries
        .iter()
        .filter_map(|entry| entry.sample.unpack().ok())
    {
        let again = row::unpack(sample.at, sample.id, &row::pack(&sample));
        assert_eq!(again.unwrap(), sample);
    }
    let mut reader = ByteReader::new(input, "number");
    if let Ok(number) = reader.unsigned() {
        let mut written = Vec::new();
        varint::put(&mut written, number);
        assert_eq!(
            ByteReader::new(&written, "number").unsigned().unwrap(),
            number
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log_format::LogEntry;
    use domain::Sample;
    use testkit::corpus;

    #[test]
    fn no_known_column_does_harm() {
        corpus::run_each("sealed_columns", sealed_columns);
    }

    #[test]
    fn no_known_row_of_the_log_does_harm() {
        corpus::run_each("ingest_log", ingest_log);
    }

    /// Samples of a morning, some with missing values.
    fn samples(count: i64) -> Vec<Sample> {
        let sample = |n: i64| Sample {
            pv_power: (n % 7 > 0).then_some(n as i32 * 13 % 900),
            grid_power: Some(300 - n as i32 % 40),
            ..testkit::sample(testkit::NOON + n * 10_000, n as u32)
        };
        (0..count).map(sample).collect()
    }

    #[test]
    #[ignore = "writes the corpus"]
    fn write_corpus() {
        for (name, count) in [("empty", 0), ("one", 1), ("few", 12), ("many", 200)] {
            let columns = Columns::of(&samples(count));
            let body = codec::encode(&columns, Effort::Small).unwrap();
            corpus::write("sealed_columns", name, codec::content(&body));
            let log: Vec<_> = samples(count.min(12))
                .iter()
                .map(|sample| LogEntry::new(&"SC000001".parse().unwrap(), sample))
                .collect();
            let log = log_format::encode(&log);
            corpus::write("ingest_log", name, log_format::content(&log));
        }
        let packed = pack::pack(&[7, -7], &[vec![1, 2, 3], vec![4, 4, 4], vec![-1, 0, 9]]);
        corpus::write("sealed_columns", "packed", &packed.unwrap());
    }
}
