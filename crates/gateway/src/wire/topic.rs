//! MQTT topics, `v1/d/{sn}/up/…` and `v1/d/{sn}/down/…`. A battery may use its own and nothing else.
use domain::Serial;

/// What a battery publishes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UpTopic<'a> {
    Hello,
    Sample,
    History,
    Event,
    Presence,
    Settings,
    Answer,
    Firmware,
    /// A topic below `up/`, by its last part.
    Unknown(&'a str),
}

/// The last part of each topic.
const UP_TOPIC_NAMES: [(UpTopic<'static>, &str); 8] = [
    (UpTopic::Hello, "hello"),
    (UpTopic::Sample, "tele"),
    (UpTopic::History, "hist"),
    (UpTopic::Event, "ev"),
    (UpTopic::Presence, "pres"),
    (UpTopic::Settings, "rep"),
    (UpTopic::Answer, "res"),
    (UpTopic::Firmware, "fw"),
];

impl<'a> UpTopic<'a> {
    /// `None` for a topic that is not the battery's own.
    pub(crate) fn parse(sn: &Serial, topic: &'a str) -> Option<Self> {
        let own = strip_device_prefix(sn, topic)?.strip_prefix("up/")?;
        let known = UP_TOPIC_NAMES.into_iter().find(|(_, name)| *name == own);
        let unknown = || Self::Unknown(own.rsplit('/').next().unwrap_or(own));
        Some(known.map_or_else(unknown, |(topic, _)| topic))
    }

    /// The last part, as rejects store it.
    pub(crate) fn name(self) -> &'a str {
        if let Self::Unknown(name) = self {
            return name;
        }
        let mut names = UP_TOPIC_NAMES.into_iter();
        let known = names.find(|(topic, _)| *topic == self);
        known.map_or("", |(_, name)| name)
    }
}

/// What a battery can subscribe to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DownTopic {
    Time,
    Watch,
    Settings,
    Command,
    Firmware,
    Plan,
}

impl DownTopic {
    const ALL: [Self; 6] = [
        Self::Time,
        Self::Watch,
        Self::Settings,
        Self::Command,
        Self::Firmware,
        Self::Plan,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Watch => "watch",
            Self::Settings => "des",
            Self::Command => "cmd",
            Self::Firmware => "fw",
            Self::Plan => "plan",
        }
    }

    pub(crate) fn of_device(self, sn: &Serial) -> String {
        format!("v1/d/{sn}/down/{}", self.name())
    }
}

/// A set of topics that a battery can subscribe to, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DownTopics(u8);

impl DownTopics {
    /// The topics that a filter covers; `None` if it covers topics other than the battery's own.
    pub(crate) fn of_filter(sn: &Serial, filter: &str) -> Option<Self> {
        let own = strip_device_prefix(sn, filter)?.strip_prefix("down/")?;
        let mut topics = DownTopic::ALL.into_iter();
        match own {
            "#" | "+" => Some(topics.map(Self::from).fold(Self::default(), Self::with)),
            _ => topics.find(|topic| topic.name() == own).map(Self::from),
        }
    }

    pub(crate) const fn contains(self, topic: DownTopic) -> bool {
        self.0 & (1 << topic as u8) != 0
    }

    pub(crate) const fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    pub(crate) const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

impl From<DownTopic> for DownTopics {
    fn from(topic: DownTopic) -> Self {
        Self(1 << topic as u8)
    }
}

/// MQTT 3.1.1 (1.5.3) forbids U+0000 in any text: the connection must be closed. Other control characters may be treated the
/// same way. No topic of ours has any, and a database may refuse them.
pub(crate) fn has_control_character(topic: &str) -> bool {
    topic.chars().any(char::is_control)
}

fn strip_device_prefix<'a>(sn: &Serial, topic: &'a str) -> Option<&'a str> {
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
        for (name, topic) in [
            ("hello", UpTopic::Hello),
            ("tele", UpTopic::Sample),
            ("hist", UpTopic::History),
            ("ev", UpTopic::Event),
            ("pres", UpTopic::Presence),
            ("rep", UpTopic::Settings),
            ("res", UpTopic::Answer),
            ("fw", UpTopic::Firmware),
            ("news", UpTopic::Unknown("news")),
        ] {
            let own = format!("v1/d/SC000001/up/{name}");
            assert_eq!(UpTopic::parse(&sn, &own), Some(topic), "{name}");
            assert_eq!(topic.name(), name);
        }
        assert_eq!(
            UpTopic::parse(&sn, "v1/d/SC000001/up/old/tele"),
            Some(UpTopic::Unknown("tele"))
        );
        for foreign in [
            "v1/d/SC000002/up/tele",
            "v1/d/SC0000011/up/tele",
            "v1/d/SC000001/down/cmd",
            "v1/d/SC000001",
            "$SYS/broker",
            "",
        ] {
            assert_eq!(UpTopic::parse(&sn, foreign), None, "{foreign}");
        }
    }

    #[test]
    fn a_filter_is_granted_when_it_covers_nothing_but_its_own() {
        let sn: Serial = "SC000001".parse().unwrap();
        for topic in DownTopic::ALL {
            let own = DownTopics::of_filter(&sn, &topic.of_device(&sn)).unwrap();
            let all = DownTopics::of_filter(&sn, "v1/d/SC000001/down/#").unwrap();
            assert!(own.contains(topic) && all.contains(topic), "{topic:?}");
            assert!(!all.without(own).contains(topic), "{topic:?}");
            let others = DownTopic::ALL.into_iter().filter(|other| *other != topic);
            assert!(others.into_iter().all(|other| !own.contains(other)));
        }
        assert_eq!(
            DownTopics::of_filter(&sn, "v1/d/SC000001/down/+"),
            DownTopics::of_filter(&sn, "v1/d/SC000001/down/#")
        );
        for foreign in [
            "#",
            "v1/d/+/down/#",
            "v1/d/SC000001/#",
            "v1/d/SC000001/up/#",
            "v1/d/SC000002/down/#",
            "v1/d/SC000001/down/other",
        ] {
            assert_eq!(DownTopics::of_filter(&sn, foreign), None, "{foreign}");
        }
    }
}
