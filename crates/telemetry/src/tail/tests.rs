#![allow(clippy::unwrap_used)]
use super::*;

fn entry(sn: &str, seq: u32) -> LogEntry {
    let sample = testkit::sample(i64::from(seq) * 10, seq);
    LogEntry::new(&sn.parse().unwrap(), &sample)
}

#[test]
fn a_row_that_was_read_twice_counts_once() {
    let mut tail = Tail::default();
    let sn: Serial = "SC0001".parse().unwrap();
    tail.add(
        LogId::new(3, 1),
        [entry("SC0001", 1), entry("SC0002", 1)],
        Keep::All,
    );
    tail.add(LogId::new(3, 1), [entry("SC0001", 1)], Keep::All);
    tail.add(LogId::new(3, 2), [entry("SC0001", 2)], Keep::All);
    assert_eq!(tail.samples(&sn, &(0..100)).unwrap().len(), 2);
    assert_eq!(tail.samples(&sn, &(15..100)).unwrap().len(), 1);
    assert_eq!(tail.count_of(3), 3);
}

#[test]
fn settled_samples_do_not_count_even_if_they_are_read_later() {
    let mut tail = Tail::default();
    let sn: Serial = "SC0001".parse().unwrap();
    tail.add(LogId::new(3, 1), [entry("SC0001", 1)], Keep::All);
    tail.settle(&sn, LogId::new(3, 2));
    tail.add(
        LogId::new(3, 2),
        [entry("SC0001", 2), entry("SC0002", 1)],
        Keep::All,
    );
    tail.add(LogId::new(3, 3), [entry("SC0001", 3)], Keep::All);
    assert_eq!(tail.ids(&sn).collect::<Vec<_>>(), [MessageId::new(1, 3)]);
    assert_eq!(tail.count_of(3), 2);
}

#[test]
fn what_left_one_log_stays_in_the_others() {
    let mut tail = Tail::default();
    let sn: Serial = "SC0001".parse().unwrap();
    tail.add(LogId::new(3, 7), [entry("SC0001", 1)], Keep::All);
    tail.add(
        LogId::new(4, 1),
        [entry("SC0001", 2), entry("SC0002", 1)],
        Keep::All,
    );
    tail.forget(&sn, LogId::new(4, 1));
    assert_eq!(tail.ids(&sn).collect::<Vec<_>>(), [MessageId::new(1, 1)]);
    tail.forget_folded(LogId::new(3, 7));
    assert_eq!(tail.ids(&sn).count(), 0);
    assert_eq!((tail.count_of(3), tail.count_of(4)), (0, 1));
    assert_eq!(tail.systems_of(4).len(), 1);
    assert_eq!(tail.first_of(4), Some(LogId::new(4, 1)));
    assert_eq!(tail.first_of(3), None);
}
#[test]
fn of_systems_that_nobody_asks_about_only_the_rows_are_kept() {
    let (asked, other): (Serial, Serial) = ("SC0001".parse().unwrap(), "SC0002".parse().unwrap());
    let both = |seq| {
        [
            entry("SC0001", seq),
            entry("SC0002", seq),
            entry("SC0002", seq + 50),
        ]
    };
    let mut tail = Tail::default();
    tail.use_systems([&asked]);
    for seq in 1..=3 {
        tail.add(LogId::new(3, i64::from(seq)), both(seq), Keep::InUse);
    }
    tail.add(LogId::new(4, 1), [entry("SC0002", 9)], Keep::All);
    assert_eq!((tail.count(), tail.entries(&other).len()), (4, 1));
    assert!(tail.left_out(std::slice::from_ref(&asked)).is_empty());
    assert!(tail.leaves_out(&other, 3) && !tail.leaves_out(&other, 4));

    // Somebody asks, while more is added and the second row is folded.
    let others = [other.clone()];
    tail.use_systems(&others);
    let rows = tail.left_out(&others);
    assert_eq!(rows, [1, 2, 3].map(|position| LogId::new(3, position)));
    tail.add(LogId::new(3, 4), both(4), Keep::InUse);
    for _ in 0..2 {
        let found = [1, 3].map(|seq| (LogId::new(3, i64::from(seq)), both(seq).to_vec()));
        tail.fill(&others, &rows, found);
    }
    assert_eq!(tail.entries(&other).len(), 1 + 3 * 2);
    assert!(tail.left_out(&others).is_empty());

    // Nobody asks any more.
    for _ in 0..TURNS_IN_USE {
        tail.begin_turn(Some(4));
        tail.use_systems([&asked]);
    }
    assert_eq!(tail.entries(&other).len(), 7);
    tail.begin_turn(Some(4));
    assert_eq!((tail.entries(&asked).len(), tail.count()), (4, 5));
    assert_eq!(tail.left_out(&others).len(), 3);
    tail.settle(&other, LogId::new(3, 3));
    assert_eq!(tail.left_out(&others), [LogId::new(3, 4)]);
    tail.forget_folded(LogId::new(3, 4));
    assert!(!tail.leaves_out(&other, 3));
}
