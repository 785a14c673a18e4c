//! Journal entries as sentences, with values in the notation of the language.
use crate::plan_text;
use domain::alarm::AlarmKind;
use domain::command::AnswerCode;
use domain::event::EventCode;
use domain::firmware::Fault;
use domain::message::{event_text, text, text_with};
use domain::setting::{Field, FieldKind, SettingRefusal, Value};
use domain::{Currency, Lang};
use serde_json::Value as Json;

/// The sentence for an event.
pub(crate) fn describe(event: &str, detail: &Json, lang: Lang) -> String {
    match event {
        "battery" => battery(detail, lang),
        "setting_changed" => describe_setting_change(detail, lang),
        "tariff_set" if detail.is_null() => fill("setting_changed_plain", lang, &[]),
        "tariff_set" => {
            let price = |name: &str| {
                let price = detail["to"][name].as_str().unwrap_or_default();
                with_unit(price, FieldKind::Price.unit(), lang)
            };
            let (import, feed_in) = (price("import_price"), price("feed_in_price"));
            fill(
                "tariff_set",
                lang,
                &[("import", &import), ("feed_in", &feed_in)],
            )
        }
        "setting_refused" => {
            let why = detail["code"].as_str().map(SettingRefusal::of);
            let why = why.unwrap_or(SettingRefusal::Refused).text(lang);
            fill(
                "setting_refused",
                lang,
                &[("field", &field_name(detail, lang)), ("why", why)],
            )
        }
        "update_started" => fill("update_started", lang, &[("parts", &parts(detail))]),
        "update_done" => {
            let version = |name: &str| detail[name].as_str().unwrap_or_default();
            fill(
                "update_done",
                lang,
                &[
                    ("part", &part(&detail["part"])),
                    ("from", version("from")),
                    ("to", version("to")),
                ],
            )
        }
        "update_failed" => {
            let why = Fault::of(detail["code"].as_str().unwrap_or_default());
            let version = detail["version"].as_str().unwrap_or_default();
            fill(
                "update_failed",
                lang,
                &[
                    ("part", &part(&detail["part"])),
                    ("version", version),
                    ("why", why.text(lang)),
                ],
            )
        }
        "plan_done" => plan_done(detail, lang),
        "plan_wished" => {
            let soc = detail["soc"].as_i64().unwrap_or_default().to_string();
            let at = detail["at"].as_str().unwrap_or_default();
            let soc = with_unit(&soc, Some("%"), lang);
            fill("plan_wished", lang, &[("soc", &soc), ("at", at)])
        }
        "plan_turned_off" => {
            let lost = amount(detail, detail["lost"].as_i64(), lang);
            fill("plan_turned_off", lang, &[("lost", &lost)])
        }
        "weather_warned" | "weather_came" | "weather_withdrawn" => {
            let count = |name: &str| detail[name].as_i64().unwrap_or(0);
            let (hits, wrong) = (count("hits"), count("false_alarms"));
            let name = match hits + wrong {
                0 => "weather_warned_first",
                _ => event,
            };
            fill(
                name,
                lang,
                &[
                    ("hits", &hits.to_string()),
                    ("all", &(hits + wrong).to_string()),
                ],
            )
        }
        "alarm_acknowledged" => {
            let kind = detail["alarm"].as_str().and_then(|kind| kind.parse().ok());
            let what = kind.map_or("", |kind: AlarmKind| kind.text(lang));
            fill("alarm_acknowledged", lang, &[("what", what)])
        }
        "end_user_named" => {
            let name = |name: &str| detail[name].as_str();
            match name("from").zip(name("to")) {
                Some((from, to)) => fill("end_user_named", lang, &[("from", from), ("to", to)]),
                None => fill("end_user_named_plain", lang, &[]),
            }
        }
        "unit_replaced" => {
            let unit = |name: &str| detail[name].as_str().unwrap_or_default();
            let units = [("old", unit("old")), ("new", unit("new"))];
            fill("unit_replaced", lang, &units)
        }
        event if event.starts_with("grant_") => {
            let scope = text(lang, "scope", detail["scope"].as_str().unwrap_or_default());
            let until = detail["until"].as_str().and_then(|day| day.parse().ok());
            let until = until.map(|day| lang.day(day));
            let until = until.unwrap_or_else(|| text(lang, "word", "no_end").to_owned());
            fill(event, lang, &[("scope", scope), ("until", &until)])
        }
        event => {
            let command = detail["command"].as_str().unwrap_or_default();
            let command = text(lang, "command", command);
            let why = detail["code"].as_str().unwrap_or_default();
            let why = AnswerCode::of(why, event == "command_done").text(lang);
            fill(event, lang, &[("command", command), ("why", why)])
        }
    }
}

/// The outcome of a plan's block, from measurements.
fn plan_done(detail: &Json, lang: Lang) -> String {
    let unknown = || text(lang, "word", "unknown").to_owned();
    let number = |name: &str| detail[name].as_i64();
    let word = |name: &str| detail[name].as_str().unwrap_or_default();
    let name = match word("mode") {
        "charge" => "plan_done_charge",
        _ => "plan_done_hold",
    };
    let energy = |name: &str| number(name).map_or_else(unknown, |wh| plan_text::energy(wh, lang));
    let soc = number("soc").map(|soc| with_unit(&soc.to_string(), Some("%"), lang));
    // No saving was promised if the block served a charge target or was only a precaution.
    let expected = number("expected").map(plan_text::cents);
    let expected = expected.filter(|cents| *cents > 0).map(|cents| {
        let amount = amount(detail, Some(cents), lang);
        format!(
            " {}",
            fill("plan_done_expected", lang, &[("expected", &amount)])
        )
    });
    let done = fill(
        name,
        lang,
        &[
            ("from", word("from")),
            ("to", word("to")),
            ("charged", &energy("charged")),
            ("imported", &energy("imported")),
            (
                "price",
                &plan_text::price(number("price").unwrap_or(0), lang),
            ),
            ("soc", &soc.unwrap_or_else(unknown)),
        ],
    );
    done + expected.as_deref().unwrap_or_default()
}

/// An amount of cents in the currency of the entry.
fn amount(detail: &Json, cents: Option<i64>, lang: Lang) -> String {
    let currency = detail["currency"]
        .as_str()
        .and_then(|code| code.parse().ok());
    let currency: Currency = currency.unwrap_or(Currency::Eur);
    match cents {
        Some(cents) => currency.amount(cents, lang),
        None => text(lang, "word", "unknown").to_owned(),
    }
}

fn fill(name: &str, lang: Lang, values: &[(&str, &str)]) -> String {
    text_with(lang, "journal", name, values.iter().copied())
}

/// Parts have the same names in every language.
fn part(name: &Json) -> String {
    let mut letters = name.as_str().unwrap_or_default().chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// "Gateway 1.15, Master 2.7".
fn parts(detail: &Json) -> String {
    let named = detail["parts"].as_array().into_iter().flatten().map(|one| {
        let version = one["to"].as_str().unwrap_or_default();
        format!("{} {version}", part(&one["part"]))
    });
    named.collect::<Vec<_>>().join(", ")
}

fn field_name(detail: &Json, lang: Lang) -> String {
    let name = detail["field"].as_str().unwrap_or_default();
    text(lang, "setting", name).to_owned()
}

fn describe_setting_change(detail: &Json, lang: Lang) -> String {
    let field = detail["field"]
        .as_str()
        .and_then(|name| name.parse::<Field>().ok());
    let Some(field) = field else {
        return fill("setting_changed_plain", lang, &[]);
    };
    if field.kind() == FieldKind::Token {
        let name = match detail["to"].as_bool() {
            Some(true) => "token_set",
            _ => "token_erased",
        };
        return fill(name, lang, &[]);
    }
    let value = |name: &str| {
        field
            .from_json(&detail[name])
            .map(|value| format_value(field, value, lang))
    };
    let (from, to) = (
        value("from").unwrap_or_default(),
        value("to").unwrap_or_default(),
    );
    fill(
        "setting_changed",
        lang,
        &[
            ("field", &field_name(detail, lang)),
            ("from", &from),
            ("to", &to),
        ],
    )
}

/// A value with its unit, in the language.
pub(crate) fn format_value(field: Field, value: Value, lang: Lang) -> String {
    match value {
        Value::Unknown => text(lang, "word", "unknown").to_owned(),
        Value::Switch(on) => text(lang, "word", if on { "on" } else { "off" }).to_owned(),
        Value::Choice(choice) => match text(lang, "word", choice) {
            "" => proper_name(choice).to_owned(),
            word => word.to_owned(),
        },
        Value::Time(_) => value.text(field),
        Value::Whole(_) | Value::Decimal(_) => {
            with_unit(&value.text(field), field.kind().unit(), lang)
        }
    }
}

/// Names are the same in every language.
fn proper_name(choice: &str) -> &str {
    match choice {
        "tibber" => "Tibber",
        "awattar" => "aWATTar",
        "energy_charts" => "Energy-Charts",
        "entsoe" => "ENTSO-E",
        "adl400" => "ADL400",
        "adw300" => "ADW300",
        "sdm630" => "SDM630",
        "em24" => "EM24",
        "umg604" => "UMG604",
        "dtsu666" => "DTSU666",
        "shelly3em" => "Shelly 3EM",
        "rs485" => "RS485",
        "tcp" => "TCP",
        other => other,
    }
}

/// `4200` with `W` is "4.200 W" in German; the narrow space is non-breaking.
pub(crate) fn with_unit(digits: &str, unit: Option<&str>, lang: Lang) -> String {
    let (thousands, point) = match lang {
        Lang::De | Lang::Hr => (".", ","),
        Lang::En => (",", "."),
        Lang::Pl | Lang::Fr => ("\u{202f}", ","),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut number = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            number.push_str(thousands);
        }
        number.push(digit);
    }
    if !fraction.is_empty() {
        number.push_str(point);
        number.push_str(fraction);
    }
    match unit {
        Some(unit) => format!("{number}\u{a0}{unit}"),
        None => number,
    }
}

/// The battery's event, with the number that it contains.
fn battery(detail: &Json, lang: Lang) -> String {
    let code = detail["code"]
        .as_str()
        .and_then(|code| code.parse::<EventCode>().ok());
    let Some(code) = code else {
        return text(lang, "word", "battery").to_owned();
    };
    let said = event_text(code, detail["on"].as_bool().unwrap_or(true), lang);
    let args = &detail["args"];
    let number = |name: &str, unit: &'static str| {
        let number = args[name].as_number()?;
        Some(with_unit(&number.to_string(), Some(unit), lang))
    };
    let named = match code {
        EventCode::ReserveHeld => number("soc", "%"),
        EventCode::GridLimit => number("limit", "W"),
        EventCode::PriceCharge => number("price", "ct/kWh"),
        _ => None,
    };
    match named {
        Some(number) => format!("{said} ({number})"),
        None => said.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use store::journal::PageActor;

    #[test]
    fn a_changed_setting_is_a_sentence_with_its_values() {
        let said = |detail: Json, lang| describe("setting_changed", &detail, lang);
        let limit = json!({"version": 2, "field": "charge_limit", "from": 2500, "to": 4600});
        assert_eq!(
            said(limit.clone(), Lang::De),
            "Die Einstellung „Höchste Ladeleistung“ wurde von 2.500\u{a0}W auf 4.600\u{a0}W geändert."
        );
        assert_eq!(
            said(limit, Lang::En),
            "The setting “Highest charging power” was changed from 2,500\u{a0}W to 4,600\u{a0}W."
        );
        let price = json!({"field": "charge_price", "from": 1.5, "to": 28.53});
        assert!(said(price, Lang::Fr).contains("de 1,5\u{a0}ct/kWh à 28,53\u{a0}ct/kWh"));
        let meter = json!({"field": "meter_type", "from": "none", "to": "sdm630"});
        assert!(said(meter, Lang::Pl).contains("z brak na SDM630"));
        let token = json!({"field": "provider_token", "from": null, "to": true});
        assert!(said(token, Lang::De).contains("hinterlegt"));
        assert!(!said(Json::Null, Lang::Hr).contains("{{"));
    }

    #[test]
    fn a_battery_says_why_it_acted_with_the_number_that_it_named() {
        let said = |detail: Json| describe("battery", &detail, Lang::De);
        let limited = json!({"code": "grid_limit", "on": true, "args": {"limit": 4200}});
        assert!(said(limited).ends_with("(4.200\u{a0}W)"));
        let reserve = json!({"code": "reserve_held", "on": true, "args": {"soc": 30}});
        assert!(said(reserve).ends_with("(30\u{a0}%)"));
        let over = json!({"code": "na_u_low", "on": false, "args": null});
        assert_eq!(said(over), event_text(EventCode::NaULow, false, Lang::De));
    }

    #[test]
    fn every_line_of_the_journal_has_its_sentence_in_every_language() {
        for event in store::journal::event_names() {
            let detail = json!({
                "field": "reserve_soc", "from": 10, "to": 20, "command": "auto", "code": "refused",
            });
            for lang in Lang::ALL {
                let said = describe(event, &detail, lang);
                assert!(!said.is_empty() && !said.contains("{{"), "{event}: {said}");
            }
        }
    }

    #[test]
    fn every_setting_command_and_actor_has_its_words_in_every_language() {
        for lang in Lang::ALL {
            for field in Field::all() {
                assert!(
                    !text(lang, "setting", field.name()).is_empty(),
                    "{}",
                    field.name()
                );
            }
            for command in domain::Command::NAMES {
                assert!(!text(lang, "command", command).is_empty(), "{command}");
            }
            for who in PageActor::ALL {
                assert!(!text(lang, "word", who.as_str()).is_empty(), "{who:?}");
            }
        }
    }
}
