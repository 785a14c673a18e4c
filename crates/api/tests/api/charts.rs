//! Charts and energies: exact to the Wh, on days of 23, 24 and 25 hours, for the caller's own systems only.
#![allow(clippy::unwrap_used)]
use domain::Sample;
use domain::clock::{HOUR, MINUTE};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::home::{home, start_of};
use testkit::{NOON, Person, TestApp, sample, with_app};

async fn get(app: &TestApp, person: &Person, path: &str) -> Value {
    let call = app.get(path).bearer(&person.access);
    call.send().await.expect(200).json()
}

const CODES: [&str; 5] = ["m2", "m2N", "m4", "m5N", "m5"];

fn sum(values: &Value) -> i64 {
    let values = values.as_array().unwrap().iter();
    values.filter_map(Value::as_i64).sum()
}

with_app!(
    quarters_and_what_has_no_place_are_the_day_and_days_are_the_month_and_the_year,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        // Includes the night when clocks go back; hours of the second day are lost for good.
        let (first, last) = (start_of("2026-10-24"), start_of("2026-10-28"));
        let lost = start_of("2026-10-25") + 5 * HOUR..start_of("2026-10-25") + 8 * HOUR;
        let samples = home(first..last, 5 * MINUTE, lost);
        app.feed("SC000001", &samples).await;
        let days = "/api/auth/energy_chart/?sn=SC000001&days=2026-10-24_2026-10-28";
        let days = get(app, &anna, days).await;
        let rows = days[0]["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 5);
        let series = CODES.join(",");
        for row in rows {
            let day = row["de_time"].as_str().unwrap();
            let path = format!(
                "/api/auth/graph/?sn=SC000001&interval=Day&from_date={day}&series={series}"
            );
            let chart = get(app, &anna, &path).await;
            for code in CODES {
                let quarters = sum(&chart["series"][code]);
                let unplaced = row["unplaced"][code].as_i64().unwrap();
                assert_eq!(
                    quarters + unplaced,
                    row[code].as_i64().unwrap_or(0),
                    "{code} of {day}"
                );
                assert_eq!(unplaced != 0, day == "2026-10-25", "{code} of {day}");
            }
        }
        let month = get(
            app,
            &anna,
            "/api/auth/energy_chart/?sn=SC000001&days=month_2026-10-01",
        )
        .await;
        let year = get(
            app,
            &anna,
            "/api/auth/energy_chart/?sn=SC000001&days=year_2026-05-05",
        )
        .await;
        let total = get(
            app,
            &anna,
            "/api/auth/energy_chart/?sn=SC000001&days=total_2026-05-05",
        )
        .await;
        let chart = format!(
            "/api/auth/graph/?sn=SC000001&interval=Year&from_date=2026-01-01&resolution=month&series={series}"
        );
        let chart = get(app, &anna, &chart).await;
        for (place, code) in CODES.into_iter().enumerate() {
            let sign = if code.ends_with('N') { -1 } else { 1 };
            let counters = [samples.first(), samples.last()].map(|sample| sample.unwrap().counters);
            let place = [0, 1, 2, 3, 4][place];
            let counted = sign * (counters[1][place].unwrap() - counters[0][place].unwrap());
            let rows = month[0]["rows"].as_array().unwrap();
            let of_days: i64 = rows.iter().filter_map(|row| row[code].as_i64()).sum();
            assert_eq!(of_days, counted, "{code}");
            let name = format!("total_{code}");
            assert_eq!(days[0][&name], counted, "{code}");
            assert_eq!(month[0][&name], counted, "{code}");
            assert_eq!(year[0]["rows"][9][code], counted, "{code}");
            assert_eq!(year[0]["rows"][9]["me_time"], "2026-10");
            assert_eq!(year[0]["rows"][8][code], Value::Null);
            assert_eq!(year[0][&name], counted, "{code}");
            assert_eq!(total[0]["rows"][0][code], counted, "{code}");
            assert_eq!(chart["series"][code][9], counted, "{code}");
        }
        assert_eq!(total[0]["rows"], json!([total[0]["rows"][0]]));
        assert_eq!(total[0]["rows"][0]["year"], 2026);
    }
);

with_app!(a_days_energy_balance_closes, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let day = start_of("2026-10-20");
    app.feed("SC000001", &home(day - HOUR..day + 25 * HOUR, MINUTE, 0..0))
        .await;
    let path = "/api/auth/graph/?sn=SC000001&interval=Day&from_date=2026-10-20";
    let chart = get(app, &anna, path).await;
    let house: f64 = chart["series"]["m8"]
        .as_array()
        .unwrap()
        .iter()
        .map(|watt| watt.as_f64().unwrap() / 4.0)
        .sum();
    let of = |code: &str| sum(&chart["series"][code]);
    // Values of N codes are already negative.
    let flowed = of("m2") + of("m2N") + of("m4") + of("m5") + of("m5N");
    let off = (house - flowed as f64).abs() / house;
    assert!(off < 0.01, "{house} Wh by power, {flowed} Wh by counters");
});

with_app!(
    a_day_has_23_24_or_25_hours_and_every_one_its_values,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        for (day, hours) in [("2026-03-29", 23), ("2026-06-01", 24), ("2026-10-25", 25)] {
            let start = start_of(day);
            app.feed(
                "SC000001",
                &home(start..start + hours * HOUR, 10 * MINUTE, 0..0),
            )
            .await;
            let points = |interval: &str| {
                format!(
                    "/api/auth/graph/?sn=SC000001&interval={interval}&from_date={day}&series=m0,m4"
                )
            };
            let chart = get(app, &anna, &points("Hour")).await;
            assert_eq!(chart["resolution"], "hour");
            assert_eq!(chart["interval"], "Day");
            let time: Vec<i64> = chart["time"]
                .as_array()
                .unwrap()
                .iter()
                .map(|at| at.as_i64().unwrap())
                .collect();
            let want: Vec<i64> = (0..hours).map(|n| start + n * HOUR).collect();
            assert_eq!(time, want, "{day}");
            for code in ["m0", "m4"] {
                let values = chart["series"][code].as_array().unwrap();
                assert_eq!(values.len(), want.len());
                assert!(
                    values.iter().all(|value| !value.is_null()),
                    "{code} of {day}"
                );
            }
            let minutes = get(app, &anna, &points("minute")).await;
            assert_eq!(minutes["time"].as_array().unwrap().len() as i64, hours * 60);
        }
    }
);

with_app!(what_was_not_measured_is_null, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let path = "/api/auth/graph/?sn=SC000001&from_date=2026-11-01&series=m0,m3,m4,ef,lf";
    let chart = get(app, &anna, path).await;
    assert_eq!(chart["time_zone"], "Europe/Berlin");
    assert_eq!(chart["method"], "mean");
    assert_eq!(chart["resolution"], "quarter");
    assert_eq!(
        (&chart["reporting"], &chart["systems"]),
        (&json!(0), &json!(1))
    );
    for code in ["m0", "m3", "m4", "ef", "lf"] {
        assert_eq!(
            chart["series"][code],
            json!(vec![Value::Null; 96]),
            "{code}"
        );
    }
});

with_app!(the_method_chooses_the_number_of_a_point, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let at = |n: i64, power, soc| Sample {
        grid_power: Some(power),
        soc: Some(soc),
        ..sample(NOON + n * MINUTE, n as u32)
    };
    app.feed(
        "SC000001",
        &[at(0, -300, 500), at(1, 100, 501), at(2, 500, 510)],
    )
    .await;
    for (method, power, soc) in [
        ("mean", 100.0, 50.4),
        ("min", -300.0, 50.0),
        ("Max", 500.0, 51.0),
        ("sum", 300.0, 151.1),
    ] {
        let path =
            format!("/api/auth/graph/?sn=SC000001&interval=Hour&series=m0,m3&method={method}");
        let chart = get(app, &anna, &path).await;
        assert_eq!(chart["series"]["m0"][12].as_f64(), Some(power), "{method}");
        assert_eq!(chart["series"]["m3"][12].as_f64(), Some(soc), "{method}");
    }
});

with_app!(switches_choose_the_energies, |app| {
    let anna = app.owner("anna", "SC000001").await;
    app.feed("SC000001", &home(NOON - HOUR..NOON, 5 * MINUTE, 0..0))
        .await;
    let fields = |answer: &Value| -> BTreeSet<String> {
        let row = answer[0]["rows"][0].as_object().unwrap();
        row.keys().cloned().collect()
    };
    let set = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<BTreeSet<_>>()
    };
    let all = get(
        app,
        &anna,
        "/api/auth/energy_chart/?sn=SC000001&days=week_2026-11-15",
    )
    .await;
    assert_eq!(
        fields(&all),
        set(&["de_time", "m2", "m2N", "m4", "m5", "m5N", "unplaced"])
    );
    let grid = get(
        app,
        &anna,
        "/api/auth/energy_chart/?sn=SC000001&m2=1&m4=0&days=week_2026-11-15",
    )
    .await;
    assert_eq!(fields(&grid), set(&["de_time", "m2", "m2N", "unplaced"]));
    assert_eq!(grid[0].get("total_m4"), None);
    assert!(grid[0]["total_m2N"].as_i64().unwrap() <= 0);
    assert_eq!(grid[0]["rows"].as_array().unwrap().len(), 7);
});

/// Anna has two systems, Ben has one; all of them report.
async fn neighbours(app: &TestApp) -> (Person, Person) {
    let units = [app.device("SC000001").await, app.device("SC000002").await];
    let code = app.code(&units.each_ref()).await;
    let form = app.owner_form("anna@example.com", &code);
    app.post("/api/auth/register/", &form)
        .send()
        .await
        .expect(201);
    let anna = app.log_in("anna@example.com", false).await;
    let ben = app.owner("ben", "SC000003").await;
    for sn in ["SC000001", "SC000002", "SC000003"] {
        app.battery(sn).hello(|_| {}).await;
    }
    (anna, ben)
}

with_app!(all_systems_are_the_own_ones_and_no_others, |app| {
    let (anna, ben) = neighbours(app).await;
    let mut chance = 42_u64;
    let mut random = |limit: i64| {
        chance = chance
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((chance >> 33) as i64) % limit
    };
    for round in 0..8 {
        let at = NOON - 7 * HOUR + round * HOUR;
        let mut seen = Vec::new();
        for sn in ["SC000001", "SC000002", "SC000003"] {
            let report = Sample {
                grid_power: Some((random(9_000) - 4_500) as i32),
                pv_power: Some(random(9_000) as i32),
                soc: Some(random(1_000) as i32),
                ..sample(at, 100 + round as u32)
            };
            app.feed(sn, &[report]).await;
            seen.push(report);
        }
        let [one, two, three] = [0, 1, 2].map(|n: usize| seen[n]);
        let point = usize::try_from((at - start_of("2026-11-15")) / HOUR).unwrap();
        let path = "/api/auth/graph/?sn=-1&interval=Hour&from_date=2026-11-15&series=m0,m6,m3,m7";
        let chart = get(app, &anna, path).await;
        let value = |chart: &Value, code: &str| chart["series"][code][point].as_f64().unwrap();
        let add =
            |part: fn(&Sample) -> Option<i32>| f64::from(part(&one).unwrap() + part(&two).unwrap());
        assert_eq!(value(&chart, "m0"), add(|s| s.grid_power));
        assert_eq!(value(&chart, "m6"), add(|s| s.pv_power));
        // With equal capacities this is the plain mean, to a tenth.
        let mean = add(|s| s.soc) / 20.0;
        assert!(
            (value(&chart, "m3") - mean).abs() <= 0.051,
            "{} {mean}",
            value(&chart, "m3")
        );
        assert_eq!(value(&chart, "m7"), 230.1);
        assert_eq!(
            (&chart["sn"], &chart["reporting"], &chart["systems"]),
            (&json!("-1"), &json!(2), &json!(2))
        );
        let chart = get(app, &ben, path).await;
        assert_eq!(value(&chart, "m0"), f64::from(three.grid_power.unwrap()));
        assert_eq!(chart["systems"], 1);
    }
});

with_app!(
    energies_of_all_systems_add_and_a_list_gives_each_its_own,
    |app| {
        let (anna, _) = neighbours(app).await;
        for (sn, step) in [
            ("SC000001", 5 * MINUTE),
            ("SC000002", 10 * MINUTE),
            ("SC000003", MINUTE),
        ] {
            app.feed(sn, &home(NOON - 6 * HOUR..NOON, step, 0..0)).await;
        }
        let of = |sn: &str| format!("/api/auth/energy_chart/?sn={sn}&days=2026-11-15_2026-11-15");
        let each = get(app, &anna, &of("SC000001,SC000002")).await;
        let all = get(app, &anna, &of("-1")).await;
        assert_eq!(each.as_array().unwrap().len(), 2);
        assert_eq!(
            (&each[0]["sn"], &each[1]["sn"]),
            (&json!("SC000001"), &json!("SC000002"))
        );
        assert_eq!(all.as_array().unwrap().len(), 1);
        for code in CODES {
            let name = format!("total_{code}");
            let of = |chart: &Value| chart[&name].as_i64().unwrap();
            assert_eq!(of(&all[0]), of(&each[0]) + of(&each[1]), "{code}");
        }
    }
);

with_app!(somebody_elses_system_does_not_exist, |app| {
    let (anna, ben) = neighbours(app).await;
    let eva = app.electrician("eva").await;
    for path in ["graph", "energy_chart", "export"] {
        let mut answers = BTreeSet::new();
        for (person, sn) in [
            (&anna, "SC000003"),
            (&ben, "SC000001"),
            (&eva, "SC000001"),
            (&anna, "SC999999"),
            (&anna, "no-serial"),
            (&anna, "sc000001"),
        ] {
            let call = app
                .get(&format!("/api/auth/{path}/?sn={sn}"))
                .bearer(&person.access);
            answers.insert(call.send().await.expect(404).text);
        }
        assert_eq!(answers.len(), 1, "{path}");
    }
    let mixed = app.get("/api/auth/energy_chart/?sn=SC000001,SC000003");
    mixed.bearer(&anna.access).send().await.expect(404);
});

with_app!(wrong_questions_are_told_what_is_wrong, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for (path, code) in [
        ("graph/?interval=Decade", "interval:choice_unknown"),
        ("graph/?from_date=15.11.2026", "from_date:date_invalid"),
        ("graph/?method=median", "method:choice_unknown"),
        ("graph/?resolution=second", "resolution:choice_unknown"),
        ("graph/?series=m0,m9", "series:choice_unknown"),
        ("graph/?series=m0,m0", "series:key_repeated"),
        ("graph/?format=xml", "format:choice_unknown"),
        (
            "graph/?interval=Year&resolution=minute",
            "resolution:too_many_points",
        ),
        ("energy_chart/?days=decade_2026", "days:date_invalid"),
        (
            "energy_chart/?days=2026-01-02_2026-01-01",
            "days:range_reversed",
        ),
        (
            "energy_chart/?days=2020-01-01_2026-01-01",
            "days:range_too_long",
        ),
        ("export/?from=2026-13-01", "from:date_invalid"),
        ("export/?from=2020-01-01&to=2026-01-01", "to:range_too_long"),
        ("graph/?sn=SC000001&sn=SC000001", "invalid_form"),
    ] {
        let call = app.get(&format!("/api/auth/{path}")).bearer(&anna.access);
        assert_eq!(call.send().await.expect(400).code(), code, "{path}");
    }
    let mut texts = BTreeSet::new();
    for lang in ["de", "en", "pl", "fr", "hr"] {
        let call = app.get("/api/auth/graph/?interval=Year&resolution=minute");
        let call = call.bearer(&anna.access).header("accept-language", lang);
        texts.insert(call.send().await.expect(400).json()["resolution"][0].to_string());
    }
    assert_eq!(texts.len(), 5);
});

with_app!(the_charts_csv_has_words_units_and_both_clocks, |app| {
    let anna = app.owner("anna", "SC000001").await;
    app.feed("SC000001", &[sample(NOON, 1)]).await;
    let path = "/api/auth/graph/?sn=SC000001&interval=Hour&series=m0,m3,m7,m8&format=csv";
    let call = app
        .get(path)
        .bearer(&anna.access)
        .header("accept-language", "en");
    let answer = call.send().await.expect(200);
    assert_eq!(answer.headers["content-type"], "text/csv; charset=utf-8");
    let disposition = answer.headers["content-disposition"].to_str().unwrap();
    assert_eq!(
        disposition,
        "attachment; filename=\"suncellar_SC000001_2026-11-15.csv\""
    );
    let lines: Vec<&str> = answer.text.lines().collect();
    assert_eq!(
        lines[0],
        "\u{feff}Site time,Time (UTC),Grid import (W),Feed-in (W),State of charge (%),Grid voltage (V),House consumption (W)"
    );
    assert_eq!(lines.len(), 25);
    assert_eq!(lines[1], "2026-11-15 00:00:00,2026-11-14T23:00:00Z,,,,,");
    assert_eq!(
        lines[13],
        "2026-11-15 12:00:00,2026-11-15T11:00:00Z,0,150,55.5,230.1,200"
    );

    // German spreadsheets want semicolons and decimal commas; programs name no language.
    for (language, header, noon) in [
        (
            "de",
            "\u{feff}Ortszeit;Zeit (UTC);",
            "2026-11-15 12:00:00;2026-11-15T11:00:00Z;0;150;55,5;230,1;200",
        ),
        (
            "",
            "Ortszeit,Zeit (UTC),",
            "2026-11-15 12:00:00,2026-11-15T11:00:00Z,0,150,55.5,230.1,200",
        ),
    ] {
        let call = app.get(path).bearer(&anna.access);
        let call = match language {
            "" => call,
            language => call.header("accept-language", language),
        };
        let answer = call.send().await.expect(200);
        let lines: Vec<&str> = answer.text.lines().collect();
        assert!(lines[0].starts_with(header), "{}", lines[0]);
        assert_eq!(lines[13], noon);
    }
});

with_app!(the_export_has_every_sample_and_starts_no_formula, |app| {
    let (anna, _) = neighbours(app).await;
    let days: Vec<Sample> = home(
        start_of("2026-11-13")..start_of("2026-11-16"),
        15 * MINUTE,
        0..0,
    );
    app.feed("SC000001", &days).await;
    app.feed("SC000002", &[sample(NOON, 1)]).await;
    app.feed("SC000003", &[sample(NOON, 1)]).await;
    let path = "/api/auth/export/?sn=SC000001&from=2026-11-13&to=2026-11-14";
    let call = app
        .get(path)
        .bearer(&anna.access)
        .header("accept-language", "en");
    let answer = call.send().await.expect(200);
    let mut reader = csv::Reader::from_reader(answer.text.as_bytes());
    let header = reader.headers().unwrap().clone();
    assert_eq!(&header[0], "Serial number");
    assert_eq!(&header[9], "State of charge (%)");
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), 2 * 96);
    for (row, sample) in rows.iter().zip(&days) {
        let cell = |name: &str| {
            let place = header.iter().position(|other| other == name).unwrap();
            row[place].to_owned()
        };
        let grid = sample.grid_power.unwrap();
        assert_eq!(cell("Grid import (W)"), grid.max(0).to_string());
        assert_eq!(cell("Feed-in (W)"), (-grid).max(0).to_string());
        assert_eq!(
            cell("Grid import counter (Wh)"),
            sample.counters[0].unwrap().to_string()
        );
        assert_eq!(cell("Battery status"), "charging");
        let formula = row
            .iter()
            .find(|cell| cell.starts_with(['=', '+', '-', '@']));
        assert_eq!(formula, None);
    }
    assert_eq!(&rows[0][1], "2026-11-13 00:00:00");
    assert_eq!(&rows[0][2], "2026-11-12T23:00:00Z");
    let call = app.get("/api/auth/export/?sn=-1&from=2026-11-15&to=2026-11-15");
    let all = call.bearer(&anna.access).send().await.expect(200);
    assert_eq!(all.text.lines().count(), 1 + 96 + 1);
    assert!(!all.text.contains("SC000003"));
});

with_app!(an_export_whose_reader_left_reads_nothing_more, |app| {
    let anna = app.owner("anna", "SC000001").await;
    app.feed(
        "SC000001",
        &home(start_of("2026-11-01")..NOON, MINUTE, 0..0),
    )
    .await;
    let path = "/api/auth/export/?sn=SC000001&from=2026-11-01&to=2026-11-15";
    let flow = app.get(path).bearer(&anna.access).open().await;
    assert_eq!(flow.status, 200);
    drop(flow);
    let call = app.get("/api/auth/data/").bearer(&anna.access);
    call.send().await.expect(200);
});

with_app!(head_answers_like_get_without_a_body, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for path in ["data/", "graph/", "energy_chart/", "export/", "stream/"] {
        let call = app.call("HEAD", &format!("/api/auth/{path}"));
        let answer = call.bearer(&anna.access).send().await.expect(200);
        assert_eq!(answer.text, "", "{path}");
    }
});
