//! The addresses of services: their own, and those that the operator configured instead.
use domain::Source;
use std::collections::BTreeMap;
use std::str::FromStr as _;

/// The address of a service. No other host is ever called.
pub(crate) const fn base_url(source: Source) -> &'static str {
    match source {
        Source::Tibber => "https://api.tibber.com",
        Source::Awattar => "https://api.awattar.de",
        Source::EnergyCharts => "https://api.energy-charts.info",
        Source::Entsoe => "https://web-api.tp.entsoe.eu",
        Source::OpenMeteo => "https://api.open-meteo.com",
        Source::ForecastSolar => "https://api.forecast.solar",
    }
}

/// aWATTar's separate host for Austria.
pub(crate) const AWATTAR_AT: &str = "https://api.awattar.at";

/// Addresses that the operator configured instead, for a service of their own or for tests:
/// `energy_charts=http://127.0.0.1:9000`.
#[derive(Clone, Debug, Default)]
pub struct Addresses(BTreeMap<Source, String>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidAddress;

impl std::fmt::Display for InvalidAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a source's address must look like energy_charts=https://host")
    }
}

impl std::error::Error for InvalidAddress {}

impl Addresses {
    /// Parses one `name=address`.
    pub fn add_override(&mut self, text: &str) -> Result<(), InvalidAddress> {
        let (source, address) = text.split_once('=').ok_or(InvalidAddress)?;
        let source = Source::from_str(source).map_err(|_| InvalidAddress)?;
        let parsed = reqwest::Url::parse(address).map_err(|_| InvalidAddress)?;
        let plain = matches!(parsed.scheme(), "http" | "https") && parsed.query().is_none();
        if !plain || !parsed.username().is_empty() || parsed.fragment().is_some() {
            return Err(InvalidAddress);
        }
        let address = address.trim_end_matches('/').to_owned();
        self.0.insert(source, address);
        Ok(())
    }

    pub(crate) fn of(&self, source: Source) -> Option<&str> {
        self.0.get(&source).map(String::as_str)
    }

    /// Sets this address for every source that has none yet.
    #[must_use]
    pub fn or_all(mut self, address: &str) -> Self {
        for source in Source::ALL {
            let named = self.0.entry(*source);
            named.or_insert_with(|| address.trim_end_matches('/').to_owned());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_names_addresses_by_source() {
        let named = |text: &str| Addresses::default().add_override(text);
        assert_eq!(named("energy_charts=http://127.0.0.1:9000"), Ok(()));
        for wrong in [
            "energy_charts",
            "weather=http://a",
            "tibber=ftp://a",
            "tibber=a",
            "tibber=https://user@a",
            "tibber=https://a?x=1",
        ] {
            assert_eq!(named(wrong), Err(InvalidAddress), "{wrong}");
        }
    }
}
