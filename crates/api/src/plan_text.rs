//! Reasons of a plan as sentences, and what came of it.
use crate::sentence::with_unit;
use domain::clock::Millis;
use domain::message::text;
use domain::{Currency, Lang, Zone};
use store::planning::{Block, Instead, Mode, Reason};

/// In whose words.
pub(crate) struct Words<'a> {
    pub(crate) lang: Lang,
    pub(crate) currency: Currency,
    pub(crate) zone: &'a Zone,
}

/// Why a block does what it does.
pub(crate) fn reason(block: &Block, words: &Words<'_>) -> String {
    let Words {
        lang,
        currency,
        zone,
    } = words;
    let clock = |at: Millis| {
        zone.clock_text(at)
            .get(11..16)
            .unwrap_or_default()
            .to_owned()
    };
    let span = [("from", clock(block.start)), ("to", clock(block.end))];
    let facts = |name: &str, facts: &Instead| {
        // What is next may be worth it only for what may come: then nothing is promised.
        if cents(facts.saving) < 1 || tenths(facts.energy) == 0 {
            let price = [("price", price(facts.price, *lang))];
            return fill(&format!("{name}_perhaps"), *lang, span.iter().chain(&price));
        }
        let instead = facts.price_instead.zip(facts.at);
        let name = match instead {
            Some(_) => format!("{name}_instead"),
            None => name.to_owned(),
        };
        let (price_instead, at) = instead.unwrap_or_default();
        let values = [
            ("energy", energy(facts.energy, *lang)),
            ("price", price(facts.price, *lang)),
            ("instead", price(price_instead, *lang)),
            ("at", clock(at)),
            ("saving", currency.amount(cents(facts.saving), *lang)),
        ];
        fill(&name, *lang, span.iter().chain(&values))
    };
    match &block.reason {
        Reason::FollowsMeter => text(*lang, "plan", "follows_meter").to_owned(),
        Reason::Buys(it) => facts("buys", it),
        Reason::Keeps(it) => facts("keeps", it),
        Reason::Wish { energy: wh, cost } => {
            let name = match block.mode {
                Mode::Hold => "wish_keeps",
                Mode::SelfUse | Mode::Charge => "wish",
            };
            let values = [
                ("energy", energy(*wh, *lang)),
                ("cost", currency.amount(cents(*cost).max(0), *lang)),
            ];
            fill(name, *lang, span.iter().chain(&values))
        }
    }
}

fn fill<'v>(name: &str, lang: Lang, values: impl Iterator<Item = &'v (&'v str, String)>) -> String {
    let template = text(lang, "plan", name).to_owned();
    values.fold(template, |sentence, (name, value)| {
        sentence.replace(&format!("{{{{{name}}}}}"), value)
    })
}

/// Of a kWh.
fn tenths(wh: i64) -> i64 {
    (wh.max(0) + 50) / 100
}

/// "2,3 kWh".
pub(crate) fn energy(wh: i64, lang: Lang) -> String {
    let tenths = tenths(wh);
    with_unit(
        &format!("{}.{}", tenths / 10, tenths % 10),
        Some("kWh"),
        lang,
    )
}

/// Of a kWh: "24 ct", or "24,5 ct" where it is not a whole one.
pub(crate) fn price(hundredths: i64, lang: Lang) -> String {
    let tenths = (hundredths.abs() + 5) / 10;
    let digits = match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    };
    let minus = if hundredths < 0 && tenths > 0 {
        "−"
    } else {
        ""
    };
    format!("{minus}{}", with_unit(&digits, Some("ct"), lang))
}

/// Whole cents from hundredths, half away from zero.
pub(crate) fn cents(hundredths: i64) -> i64 {
    (hundredths + hundredths.signum() * 50) / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-16 at 02:00 in Berlin.
    const TWO: Millis = 1_794_790_800_000;

    fn block(reason: Reason) -> Block {
        Block {
            start: TWO,
            end: TWO + 2 * domain::clock::HOUR,
            mode: Mode::Charge,
            power: 1_150,
            price: 2_400,
            stored: 5_000,
            reason,
        }
    }

    fn said(reason_of: Reason, lang: Lang) -> String {
        let zone = Zone::default();
        let words = Words {
            lang,
            currency: Currency::Eur,
            zone: &zone,
        };
        reason(&block(reason_of), &words)
    }

    #[test]
    fn a_block_that_buys_says_what_it_saves() {
        let facts = Instead {
            energy: 2_310,
            price: 2_400,
            price_instead: Some(3_300),
            at: Some(TWO + 16 * domain::clock::HOUR),
            saving: 1_690,
        };
        assert_eq!(
            said(Reason::Buys(facts), Lang::De).replace('\u{a0}', " "),
            "Lädt 2,3 kWh von 02:00 bis 04:00 für 24 ct statt 33 ct um 18:00: spart voraussichtlich 0,17 €."
        );
        let unused = Instead {
            price_instead: None,
            at: None,
            ..facts
        };
        for lang in Lang::ALL {
            for reason in [
                Reason::FollowsMeter,
                Reason::Buys(facts),
                Reason::Keeps(facts),
                Reason::Buys(unused),
                Reason::Keeps(unused),
                Reason::Wish {
                    energy: 1_000,
                    cost: 500,
                },
            ] {
                let said = said(reason, lang);
                assert!(!said.is_empty() && !said.contains("{{"), "{lang:?}: {said}");
            }
        }
    }

    #[test]
    fn a_block_that_gains_nothing_promises_nothing() {
        let facts = |saving: i64, energy: i64| Instead {
            energy,
            price: 2_400,
            price_instead: Some(3_300),
            at: Some(TWO + domain::clock::HOUR),
            saving,
        };
        for lang in Lang::ALL {
            for nothing in [facts(-600, 2_000), facts(49, 2_000), facts(900, 49)] {
                for reason in [Reason::Buys(nothing), Reason::Keeps(nothing)] {
                    let said = said(reason, lang);
                    assert!(!said.contains('€') && !said.contains("{{"), "{said}");
                }
            }
            assert!(said(Reason::Keeps(facts(50, 50)), lang).contains('€'));
        }
    }

    #[test]
    fn prices_and_energies_are_written_as_people_write_them() {
        assert_eq!(price(2_449, Lang::De), "24,5\u{a0}ct");
        assert_eq!(price(-310, Lang::En), "−3.1\u{a0}ct");
        assert_eq!(price(-4, Lang::En), "0\u{a0}ct");
        assert_eq!(energy(12_345, Lang::Fr), "12,3\u{a0}kWh");
        assert_eq!((cents(149), cents(150), cents(-150)), (1, 2, -2));
    }
}
