//! What a certificate says: from when until when it is valid, and for which names.
use anyhow::{Context as _, bail};
use domain::clock::{DAY, Millis, SECOND};
use domain::{SiteDay, Zone};
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::server::ParsedCertificate;
use std::ops::RangeInclusive;

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// Before it ends this early, somebody or something has forgotten to renew it.
const RENEWED_BEFORE: Millis = 14 * DAY;

/// Checks that it is valid now, for a while, and for this host, if it is known.
pub(crate) fn check(
    certificate: &CertificateDer<'_>,
    host: Option<&str>,
    now: Millis,
) -> anyhow::Result<String> {
    let valid = validity(certificate).context("it has no validity that can be read")?;
    if now < *valid.start() {
        bail!("it is not valid yet, or the clock of this machine is wrong");
    }
    let left = *valid.end() - now;
    if left < 0 {
        bail!("it has expired: renew it");
    }
    if let Some(host) = host {
        let parsed = ParsedCertificate::try_from(certificate)?;
        let name = ServerName::try_from(host.to_owned());
        let name = name.context("the public address has no name")?;
        if verify_server_name(&parsed, &name).is_err() {
            bail!("it is not for {host}, the name in public-url");
        }
    }
    let days = left / DAY;
    if left < RENEWED_BEFORE {
        bail!("it expires in {days} days: renew it");
    }
    Ok(format!("{days} days left"))
}

pub(crate) fn valid_until(certificate: &CertificateDer<'_>) -> Option<Millis> {
    validity(certificate).map(|valid| *valid.end())
}

/// From when until when it is valid, as RFC 5280 has it: the fifth field of what is signed, or the fourth without a version.
pub(crate) fn validity(certificate: &[u8]) -> Option<RangeInclusive<Millis>> {
    let (whole, _) = element(certificate, SEQUENCE)?;
    let (signed, _) = element(whole, SEQUENCE)?;
    let rest = element(signed, VERSION).map_or(signed, |(_, rest)| rest);
    let (_, rest) = element(rest, INTEGER)?;
    let (_, rest) = element(rest, SEQUENCE)?; // the algorithm
    let (_, rest) = element(rest, SEQUENCE)?; // who issued it
    let (validity, _) = element(rest, SEQUENCE)?;
    let (from, rest) = time(validity)?;
    let (until, _) = time(rest)?;
    Some(from..=until)
}

/// The content of a DER element of this kind, and what follows it.
fn element(bytes: &[u8], kind: u8) -> Option<(&[u8], &[u8])> {
    let (found, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(*first), rest),
        // More than four bytes of length are no certificate.
        0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let length = length
                .iter()
                .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            (length, rest)
        }
        _ => return None,
    };
    (*found == kind).then(|| rest.split_at_checked(length))?
}

fn time(bytes: &[u8]) -> Option<(Millis, &[u8])> {
    let (text, rest, century) = match element(bytes, GENERALIZED_TIME) {
        Some((text, rest)) => (text, rest, ""),
        None => {
            let (text, rest) = element(bytes, UTC_TIME)?;
            (text, rest, if text.first()? < &b'5' { "20" } else { "19" })
        }
    };
    let text = format!("{century}{}", std::str::from_utf8(text).ok()?);
    let part = |range: std::ops::Range<usize>| text.get(range);
    let number = |range| part(range)?.parse::<Millis>().ok();
    let day: SiteDay = format!("{}-{}-{}", part(0..4)?, part(4..6)?, part(6..8)?)
        .parse()
        .ok()?;
    let utc: Zone = "UTC".parse().ok()?;
    let seconds = number(8..10)? * 3_600 + number(10..12)? * 60 + number(12..14)?;
    Some((utc.start_of(day) + seconds * SECOND, rest))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    #[test]
    fn a_certificate_must_be_valid_for_a_while_and_for_the_name() {
        let mut params = CertificateParams::new(["portal.example.com".to_owned()]).unwrap();
        params.not_before = date_time_ymd(2026, 11, 1);
        params.not_after = date_time_ymd(2051, 2, 1); // a time of the other kind
        let key = KeyPair::generate().unwrap();
        let long = params.clone().self_signed(&key).unwrap();
        params.not_after = date_time_ymd(2026, 12, 1);
        let short = params.self_signed(&key).unwrap();
        let utc: Zone = "UTC".parse().unwrap();
        let at = |day: &str| utc.start_of(day.parse().unwrap());
        let check =
            |host, day| check(short.der(), Some(host), at(day)).map_err(|error| error.to_string());
        assert_eq!(
            check("portal.example.com", "2026-11-02"),
            Ok("29 days left".to_owned())
        );
        for (host, day, problem) in [
            ("portal.example.com", "2026-10-31", "not valid yet"),
            ("portal.example.com", "2026-11-20", "expires in 11 days"),
            ("portal.example.com", "2026-12-02", "has expired"),
            (
                "other.example.com",
                "2026-11-02",
                "not for other.example.com",
            ),
        ] {
            let said = check(host, day).unwrap_err();
            assert!(said.contains(problem), "{said}");
        }
        assert_eq!(*validity(long.der()).unwrap().end(), at("2051-02-01"));
        assert_eq!(validity(&short.der()[..40]), None);
    }
}
