//! The units of the caller's systems, for warranty and stock: model, place, time and exchanges.
use crate::Portal;
use crate::caller_systems::Systems;
use crate::csv::{self, CsvStyle, CsvTable};
use crate::error::{Error, Problem, Result, language};
use crate::form::Query;
use crate::parameter::FileFormat;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use domain::Lang;
use domain::clock::Millis;
use domain::message::text;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::Access;
use store::system::System;
use store::unit_list::{ExchangedUnit, UnitProtocol};
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
pub(crate) struct UnitQuery {
    /// `json` (default) or `csv`. `Accept-Language` sets the number format of the CSV.
    #[serde(default)]
    #[param(value_type = FileFormat)]
    format: String,
}

/// The present unit of a system, or a former one that was exchanged.
#[derive(Serialize, ToSchema)]
pub(crate) struct UnitEntry {
    /// The unit's serial number.
    sn: String,
    /// The present serial number of the system. For its present unit, the same as `sn`.
    system: String,
    /// The phase of the unit, 1 to 3.
    phase: u8,
    #[schema(required)]
    hardware: Option<String>,
    /// Usable capacity in Wh.
    #[schema(required)]
    capacity: Option<i64>,
    /// The first name of the person who lives with the system.
    #[schema(required)]
    first_name: Option<String>,
    #[schema(required)]
    last_name: Option<String>,
    /// The town.
    #[schema(required)]
    place: Option<String>,
    /// When the unit was last commissioned; Unix time in milliseconds. Null if never.
    #[schema(required)]
    commissioned_at: Option<Millis>,
    /// The number of that commissioning's protocol.
    #[schema(required)]
    protocol: Option<String>,
    /// When the unit replaced another one; Unix time in milliseconds. Null if it did not.
    #[schema(required)]
    since: Option<Millis>,
    /// When the unit was replaced by another one; Unix time in milliseconds. Null if it was not.
    #[schema(required)]
    until: Option<Millis>,
}

/// List the units of the caller's systems, by system and oldest first. Former units are listed only for the present household.
#[utoipa::path(get, path = "/api/auth/unit/", operation_id = "list_units", tag = "systems", params(UnitQuery),
    responses((status = 200, content((Vec<UnitEntry> = "application/json"), (String = "text/csv"))), (status = 400, body = Problem)))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<UnitQuery>,
) -> Result<Response> {
    let csv = csv::is_wanted(&query.format).map_err(|message| Error::field("format", message))?;
    let (allowed, store) = (&systems.allowed, &portal.store);
    let rows = store.systems(allowed).await?;
    let mut exchanged: HashMap<String, Vec<ExchangedUnit>> = HashMap::new();
    for unit in store.exchanged_units(allowed).await? {
        exchanged.entry(unit.site.clone()).or_default().push(unit);
    }
    let protocols = store.unit_protocols(allowed).await?;
    let mut units = Vec::with_capacity(rows.len());
    for (access, system) in allowed.iter().zip(rows) {
        let known = exchanged.remove(access.sn().as_str()).unwrap_or_default();
        let of_household = |unit: &ExchangedUnit| {
            unit.until_at
                .is_none_or(|until| until > access.history_from())
        };
        let known: Vec<ExchangedUnit> = known.into_iter().filter(of_household).collect();
        let entries = entries(access, &system, known, &protocols);
        units.extend(entries.into_iter().map(|entry| (entry, access)));
    }
    if csv {
        let table = table(&units, language(&headers), CsvStyle::for_caller(&headers));
        return Ok(csv::file("suncellar_units.csv", table));
    }
    let units: Vec<UnitEntry> = units.into_iter().map(|(entry, _)| entry).collect();
    Ok(Json(units).into_response())
}

/// The units of one system. One that was never exchanged is known by the system alone.
fn entries(
    access: &Access,
    system: &System,
    mut known: Vec<ExchangedUnit>,
    protocols: &HashMap<String, UnitProtocol>,
) -> Vec<UnitEntry> {
    if !known.iter().any(|unit| unit.until_at.is_none()) {
        known.push(ExchangedUnit {
            site: system.sn.clone(),
            sn: system.sn.clone(),
            hardware: system.hardware.clone(),
            capacity: system.capacity,
            from_at: 0,
            until_at: None,
        });
    }
    let entry = |unit: ExchangedUnit| {
        let commissioned = protocols.get(&unit.sn);
        UnitEntry {
            system: system.sn.clone(),
            phase: access.phase(),
            hardware: unit.hardware,
            capacity: unit.capacity,
            first_name: system.first_name.clone(),
            last_name: system.last_name.clone(),
            place: system.place.clone(),
            commissioned_at: commissioned.map(|it| it.finished_at),
            protocol: commissioned.map(|it| it.protocol.to_string()),
            since: Some(unit.from_at).filter(|from| *from > 0),
            until: unit.until_at,
            sn: unit.sn,
        }
    };
    known.into_iter().map(entry).collect()
}

fn table(units: &[(UnitEntry, &Access)], lang: Lang, style: CsvStyle) -> Vec<u8> {
    let mut table = CsvTable::new(style);
    for (section, name) in [
        ("csv", "sn"),
        ("protocol", "model"),
        ("csv", "capacity"),
        ("protocol", "phase"),
        ("csv", "customer"),
        ("csv", "place"),
        ("csv", "commissioned"),
        ("csv", "protocol"),
        ("csv", "unit_since"),
        ("csv", "unit_until"),
        ("csv", "unit_now"),
    ] {
        table.text(text(lang, section, name));
    }
    table.end_row();
    for (unit, access) in units {
        let day = |at: Option<Millis>| {
            let day = at.map(|at| access.zone().day_of(at).to_string());
            day.unwrap_or_default()
        };
        let names = [&unit.first_name, &unit.last_name].into_iter().flatten();
        let names: Vec<&str> = names.map(String::as_str).collect();
        table.text(&unit.sn);
        table.text(unit.hardware.as_deref().unwrap_or_default());
        table.number(unit.capacity, 3);
        table.text(&format!("L{}", unit.phase));
        table.text(names.join(" ").trim());
        table.text(unit.place.as_deref().unwrap_or_default());
        table.text(&day(unit.commissioned_at));
        table.text(unit.protocol.as_deref().unwrap_or_default());
        table.text(&day(unit.since));
        table.text(&day(unit.until));
        table.text(if unit.until.is_some() {
            &unit.system
        } else {
            ""
        });
        table.end_row();
    }
    table.into_bytes()
}
