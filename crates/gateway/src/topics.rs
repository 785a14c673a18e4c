//! Which topics a battery may use: its own, and nothing else.
use domain::Serial;

/// What a battery publishes, by the end of its topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Up {
    Hello,
    Sample,
    History,
    Event,
    Presence,
    Settings,
    Answer,
    Firmware,
    Unknown,
}

/// What a battery can listen to.
pub(crate) const DOWN: [&str; 6] = ["time", "watch", "des", "cmd", "fw", "plan"];

/// MQTT 3.1.1 forbids U+0000 in any text, and wants a connection closed that sends it; other control characters may be treated
/// the same way (1.5.3). No topic of ours has any, and a database may refuse them.
pub(crate) fn has_control_character(topic: &str) -> bool {
    topic.chars().any(char::is_control)
}

/// `None` for a topic of somebody else.
pub(crate) fn up(sn: &Serial, topic: &str) -> Option<Up> {
    let own = own(sn, topic)?.strip_prefix("up/")?;
    Some(match own {
        "hello" => Up::Hello,
        "tele" => Up::Sample,
        "hist" => Up::History,
        "ev" => Up::Event,
        "pres" => Up::Presence,
        "rep" => Up::Settings,
        "res" => Up::Answer,
        "fw" => Up::Firmware,
        _ => Up::Unknown,
    })
}

/// The topics of [`DOWN`] that a filter covers, a bit for each; `None` when it covers anything else.
pub(crate) fn subscribed(sn: &Serial, filter: &str) -> Option<u8> {
    let own = own(sn, filter)?.strip_prefix("down/")?;
    if matches!(own, "#" | "+") {
        return Some((1 << DOWN.len()) - 1);
    }
    let place = DOWN.iter().position(|topic| *topic == own)?;
    Some(1 << place)
}

pub(crate) fn bit(topic: &str) -> u8 {
    let place = DOWN.iter().position(|known| *known == topic);
    place.map_or(0, |place| 1 << place)
}

pub(crate) fn down(sn: &Serial, topic: &str) -> String {
    format!("v1/d/{sn}/down/{topic}")
}

fn own<'a>(sn: &Serial, topic: &'a str) -> Option<&'a str> {
    let rest = topic.strip_prefix("v1/d/")?;
    rest.strip_prefix(sn.as_str())?.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_its_own_topics_are_a_batterys_to_publish() {
        let sn: Serial = "SC000001".parse().unwrap();
        assert_eq!(up(&sn, "v1/d/SC000001/up/tele"), Some(Up::Sample));
        assert_eq!(up(&sn, "v1/d/SC000001/up/fw"), Some(Up::Firmware));
        assert_eq!(up(&sn, "v1/d/SC000001/up/news"), Some(Up::Unknown));
        for foreign in [
            "v1/d/SC000002/up/tele",
            "v1/d/SC0000011/up/tele",
            "v1/d/SC000001/down/cmd",
            "v1/d/SC000001",
            "$SYS/broker",
            "",
        ] {
            assert_eq!(up(&sn, foreign), None, "{foreign}");
        }
    }

    #[test]
    fn a_filter_is_granted_when_it_covers_nothing_but_its_own() {
        let sn: Serial = "SC000001".parse().unwrap();
        assert_eq!(subscribed(&sn, "v1/d/SC000001/down/#"), Some(0b11_1111));
        assert_eq!(subscribed(&sn, "v1/d/SC000001/down/+"), Some(0b11_1111));
        assert_eq!(
            subscribed(&sn, "v1/d/SC000001/down/watch"),
            Some(bit("watch"))
        );
        for foreign in [
            "#",
            "v1/d/+/down/#",
            "v1/d/SC000001/#",
            "v1/d/SC000001/up/#",
            "v1/d/SC000002/down/#",
            "v1/d/SC000001/down/other",
        ] {
            assert_eq!(subscribed(&sn, foreign), None, "{foreign}");
        }
    }
}
