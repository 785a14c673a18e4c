//! What can be asked of a service, whichever it is, and the yield of a roof.
use domain::clock::Millis;
use domain::site::{Coordinates, Planes};
use domain::source::BiddingZone;
use domain::{SiteDay, Zone};

/// A request for the prices of today and tomorrow.
#[derive(Clone, Copy)]
pub struct PriceRequest<'a> {
    pub zone: BiddingZone,
    /// The household's token, if the source requires one.
    pub token: Option<&'a str>,
    pub now: Millis,
}

impl PriceRequest<'_> {
    /// Auctions are held for days in Central European Time, in every bidding zone.
    pub(crate) fn market() -> Zone {
        Zone::default()
    }

    pub(crate) fn today(&self) -> SiteDay {
        Self::market().day_of(self.now)
    }

    pub(crate) fn bounds(&self) -> std::ops::Range<Millis> {
        let (market, today) = (Self::market(), self.today());
        market.start_of(today)..market.start_of(today.plus(2))
    }
}

/// A request for the yield of one roof.
#[derive(Clone, Copy, Debug)]
pub struct RoofRequest<'a> {
    pub coordinates: Coordinates,
    /// No planes: a horizontal plant of 1 kWp, which the caller scales.
    pub planes: &'a Planes,
    pub now: Millis,
}

/// The yield of the panels by quarter-hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PvYield {
    pub start: Millis,
    /// In W; `None` where the service gives no value.
    pub watts: Vec<Option<i64>>,
}
