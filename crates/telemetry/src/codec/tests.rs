//! Decoding returns what was encoded, and damage is an error.
use super::super::columns::{Columns, SampleField};
use super::super::quarters::Quarters;
use super::super::row;
use super::super::totals::Totals;
use super::super::varint::ByteReader;
use super::{CHECKSUM_BYTES, Effort, VERSION_WITHOUT_CHECKSUM, decode, encode, residual};
use domain::Sample;
use domain::flags::Flags;
use domain::sample::{BatteryStatus, MessageId};
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Option<i32>> {
    prop_oneof![
        6 => (-50i32..50).prop_map(|noise| Some(2_300 + noise)),
        1 => any::<i32>().prop_map(Some),
        1 => Just(None),
    ]
}

fn counter() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![
        6 => (0i64..1_000_000).prop_map(Some),
        1 => (-(1i64 << 62)..1 << 62).prop_map(Some),
        1 => Just(None),
    ]
}

prop_compose! {
    fn sample()(
        small in prop::array::uniform11(value()), counters in prop::array::uniform5(counter()),
        passed in 0i64..100_000, id in any::<(u8, u32, u32)>(), status in 0u8..8, flags in any::<[u16; 5]>(),
    ) -> Sample {
        let [v1, v2, v3, frequency, p1, p2, p3, grid_power, pv_power, battery_power, soc] = small;
        let [message1, message2, message3, message5, message6] = flags;
        Sample {
            at: passed,
            id: MessageId::new(id.1, id.2).with_unit(id.0),
            voltage: [v1, v2, v3],
            frequency,
            meter_power: [p1, p2, p3],
            grid_power,
            pv_power,
            battery_power,
            soc,
            counters,
            status: BatteryStatus::from_number(status).unwrap(),
            flags: Flags { message1, message2, message3, message5, message6 },
        }
    }
}

/// Samples in order. Some days have every value, so that columns are predicted from each other.
fn day() -> impl Strategy<Value = Vec<Sample>> {
    (prop::collection::vec(sample(), 0..80), any::<bool>()).prop_map(|(mut samples, complete)| {
        let mut at = 1_794_740_400_000;
        for sample in &mut samples {
            at += sample.at;
            sample.at = at;
            if complete {
                let all = sample.voltage.iter_mut().chain(&mut sample.meter_power);
                let all = all.chain([&mut sample.grid_power, &mut sample.pv_power]);
                let all = all.chain([&mut sample.battery_power, &mut sample.soc]);
                all.for_each(|value| *value = Some(value.unwrap_or(7)));
                let counters = sample.counters.iter_mut();
                counters.for_each(|value| *value = Some(value.unwrap_or(7)));
            }
        }
        samples
    })
}

fn flip(body: &mut [u8], flips: &[(prop::sample::Index, i32)]) {
    for (index, bit) in flips {
        let index = index.index(body.len());
        body[index] ^= 1_u8 << bit;
    }
}

proptest! {
    #[test]
    fn every_sample_comes_out_as_it_went_in(samples in day()) {
        let body = encode(&Columns::of(&samples), Effort::Small).unwrap();
        prop_assert_eq!(decode(&body, &SampleField::ALL).unwrap().samples().unwrap(), samples);
    }

    #[test]
    fn some_columns_are_the_same_as_all(samples in day(), field in 0..SampleField::COUNT) {
        let body = encode(&Columns::of(&samples), Effort::Small).unwrap();
        let field = SampleField::ALL[field];
        let (all, some) = (decode(&body, &SampleField::ALL).unwrap(), decode(&body, &[field]).unwrap());
        prop_assert_eq!(all.get(field), some.get(field));
        prop_assert_eq!(all.times, some.times);
    }

    #[test]
    fn flipped_bits_are_an_error(
        samples in day(), flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8), 1..6)
    ) {
        let whole = encode(&Columns::of(&samples), Effort::Small).unwrap();
        let mut body = whole.clone();
        flip(&mut body, &flips);
        prop_assert!(body == whole || decode(&body, &SampleField::ALL).is_err());
    }

    #[test]
    fn without_a_checksum_flipped_bits_are_an_error_or_other_numbers_but_never_a_panic(
        samples in day(), flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8), 1..6)
    ) {
        let mut body = encode(&Columns::of(&samples), Effort::Small).unwrap();
        body[0] = VERSION_WITHOUT_CHECKSUM;
        body.truncate(body.len() - CHECKSUM_BYTES);
        prop_assert_eq!(decode(&body, &SampleField::ALL).unwrap().samples().unwrap(), samples);
        flip(&mut body, &flips);
        if let Ok(columns) = decode(&body, &SampleField::ALL) {
            let _ = columns.samples();
        }
    }

    #[test]
    fn random_bytes_are_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = decode(&bytes, &SampleField::ALL);
        let _ = Quarters::decode(&bytes, 0);
        let _ = Totals::decode(&mut ByteReader::new(&bytes, "test"));
        let _ = row::unpack(0, MessageId::new(0, 0), &bytes);
        let versioned = [&[VERSION_WITHOUT_CHECKSUM], &bytes[..]].concat();
        let _ = decode(&versioned, &SampleField::ALL);
        let _ = Quarters::decode(&versioned, 0);
    }

    #[test]
    fn a_row_keeps_its_sample(sample in sample()) {
        prop_assert_eq!(row::unpack(sample.at, sample.id, &row::pack(&sample)).unwrap(), sample);
    }
}

#[test]
fn residuals_in_the_layouts_of_earlier_versions_are_read() {
    let read = |bytes: &[u8], count| residual::decode(&mut ByteReader::new(bytes, "test"), count);
    // One byte each, and the part of a large residual beyond the escape.
    assert_eq!(read(&[0, 1, 255, 4, 45], 3).unwrap(), [-1, 150, 2]);
    // Two planes.
    assert_eq!(read(&[2, 1, 44, 0, 1], 2).unwrap(), [-1, 150]);
}
