//! A plan's reasons and outcomes as sentences.
use domain::clock::Millis;
use domain::message::{text, text_with};
use domain::quantity::{cents, energy, price, tenths_of_kwh};
use domain::{Currency, Lang, Zone};
use store::planning::{BlockAlternative, BlockReason, ChargePlanBlock, ChargePlanMode};

/// Language, currency and time zone of the texts.
pub(crate) struct Locale<'a> {
    pub(crate) lang: Lang,
    pub(crate) currency: Currency,
    pub(crate) zone: &'a Zone,
}

/// Why a block does what it does.
pub(crate) fn reason(block: &ChargePlanBlock, locale: &Locale<'_>) -> String {
    let Locale {
        lang,
        currency,
        zone,
    } = locale;
    let clock = |at: Millis| {
        zone.clock_text(at)
            .get(11..16)
            .unwrap_or_default()
            .to_owned()
    };
    let span = [("from", clock(block.start)), ("to", clock(block.end))];
    let facts = |name: &str, facts: &BlockAlternative| {
        // A block may pay off only because of uncertainty; then the text promises no saving.
        if cents(facts.saving) < 1 || tenths_of_kwh(facts.energy) == 0 {
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
        BlockReason::FollowsMeter => text(*lang, "plan", "follows_meter").to_owned(),
        BlockReason::Buys(it) => facts("buys", it),
        BlockReason::Keeps(it) => facts("keeps", it),
        BlockReason::ChargeTarget { energy: wh, cost } => {
            let name = match block.mode {
                ChargePlanMode::Hold => "wish_keeps",
                ChargePlanMode::SelfUse | ChargePlanMode::Charge => "wish",
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
    let values = values.map(|(name, value)| (*name, value.as_str()));
    text_with(lang, "plan", name, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-16 at 02:00 in Berlin.
    const TWO: Millis = 1_794_790_800_000;

    fn block(reason: BlockReason) -> ChargePlanBlock {
        ChargePlanBlock {
            start: TWO,
            end: TWO + 2 * domain::clock::HOUR,
            mode: ChargePlanMode::Charge,
            power: 1_150,
            price: 2_400,
            stored: 5_000,
            reason,
        }
    }

    fn said(reason_of: BlockReason, lang: Lang) -> String {
        let zone = Zone::default();
        let locale = Locale {
            lang,
            currency: Currency::Eur,
            zone: &zone,
        };
        reason(&block(reason_of), &locale)
    }

    #[test]
    fn a_block_that_buys_says_what_it_saves() {
        let facts = BlockAlternative {
            energy: 2_310,
            price: 2_400,
            price_instead: Some(3_300),
            at: Some(TWO + 16 * domain::clock::HOUR),
            saving: 1_690,
        };
        assert_eq!(
            said(BlockReason::Buys(facts), Lang::De).replace('\u{a0}', " "),
            "Lädt 2,3 kWh von 02:00 bis 04:00 für 24 ct statt 33 ct um 18:00: spart voraussichtlich 0,17 €."
        );
        let unused = BlockAlternative {
            price_instead: None,
            at: None,
            ..facts
        };
        for lang in Lang::ALL {
            for reason in [
                BlockReason::FollowsMeter,
                BlockReason::Buys(facts),
                BlockReason::Keeps(facts),
                BlockReason::Buys(unused),
                BlockReason::Keeps(unused),
                BlockReason::ChargeTarget {
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
        let facts = |saving: i64, energy: i64| BlockAlternative {
            energy,
            price: 2_400,
            price_instead: Some(3_300),
            at: Some(TWO + domain::clock::HOUR),
            saving,
        };
        for lang in Lang::ALL {
            for nothing in [facts(-600, 2_000), facts(49, 2_000), facts(900, 49)] {
                for reason in [BlockReason::Buys(nothing), BlockReason::Keeps(nothing)] {
                    let said = said(reason, lang);
                    assert!(!said.contains('€') && !said.contains("{{"), "{said}");
                }
            }
            assert!(said(BlockReason::Keeps(facts(50, 50)), lang).contains('€'));
        }
    }
}
