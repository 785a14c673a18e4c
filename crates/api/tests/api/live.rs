//! Live data: every field with its meaning, all systems combined, and nothing of anyone else.
#![allow(clippy::unwrap_used)]
use domain::EventCode;
use domain::clock::{DAY, HOUR, MINUTE, SECOND};
use domain::flags::{self, Flags};
use domain::sample::BatteryStatus;
use serde_json::{Value, json};
use testkit::{NOON, Person, TestApp, eventually, with_app};

async fn data(app: &TestApp, person: &Person) -> Value {
    let call = app.get("/api/auth/data/").bearer(&person.access);
    call.send().await.expect(200).json()
}

/// The entry of one serial number, or of `-1`.
fn entry(data: &Value, sn: &str) -> Value {
    let entries = data["data"].as_array().unwrap();
    let found = entries.iter().find_map(|entry| entry.get(sn));
    found.unwrap_or_else(|| panic!("no {sn} in {data}")).clone()
}

with_app!(every_live_field_has_its_meaning, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    battery.hello(|hello| hello.phase = 2).await;
    app.clock.advance(20 * SECOND);
    battery
        .sample(|sample| {
            sample.flags = Flags {
                message1: flags::bit(flags::MESSAGE1, "wait60"),
                message2: flags::bit(flags::MESSAGE2, "na_schutz"),
                message3: flags::bit(flags::MESSAGE3, "m3_BMS"),
                message5: flags::bit(flags::MESSAGE5, "m5_plugin"),
                message6: flags::bit(flags::MESSAGE6, "m6_q_ctrl"),
            };
        })
        .await;
    let data = data(app, &anna).await;
    assert_eq!(data["data"].as_array().unwrap().len(), 1);
    let entry = entry(&data, "SC000001");
    let off = json!({ "sm2": false, "wait60": true, "sm_test": false });
    assert_eq!(entry["message1"], off);
    assert_eq!(entry["message2"].as_object().unwrap().len(), 13);
    assert_eq!(entry["message2"]["na_schutz"], true);
    assert_eq!(entry["message2"]["relay"], false);
    assert_eq!(data["message3"]["SC000001"]["m3_BMS"], true);
    assert_eq!(data["message5"]["SC000001"]["m5_plugin"], true);
    assert_eq!(data["message6"]["SC000001"]["m6_q_ctrl"], true);
    let want = json!({
        "battery_status": "charging", "last_messages": [],
        "grid_voltage": 231.2, "grid_voltages": [230.1, 231.2, 232.3],
        "grid_power": -150, "PV_power": 400, "battery_power": -50, "SOC": 55.5, "m8": 200,
        "energy_forecast": null, "load_forecast": null,
        "time": "2026-11-15 12:00:20", "time_zone": "Europe/Berlin", "time_zone_offset": 60,
        "measured_at": NOON + 20 * SECOND, "received_at": NOON + 20 * SECOND,
        "online": true, "last_online_from": "2026-11-15 12:00:00", "state_since_at": NOON,
        "isActive": true, "calibration_days": null, "updatable": false, "avalable_updates": null,
        "total_updates": null, "update_started": false, "update_progress": null, "update_type": null,
        "lang": "de",
    });
    for (name, value) in want.as_object().unwrap() {
        assert_eq!(&entry[name], value, "{name}");
    }
});

with_app!(only_set_flags_are_named_where_that_is_asked_for, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    battery.hello(|_| {}).await;
    let flags = Flags {
        message2: flags::bit(flags::MESSAGE2, "relay"),
        message5: flags::bit(flags::MESSAGE5, "m5_plugin"),
        ..Flags::default()
    };
    battery.sample(|sample| sample.flags = flags).await;
    let call = app.get("/api/auth/data/?flags=set").bearer(&anna.access);
    let brief = call.send().await.expect(200).json();
    // An empty set is still present, to show that no flag is set.
    let flags_of = |data: &Value| {
        let entry = entry(data, "SC000001");
        let of = |set: &str| data[set]["SC000001"].clone();
        [
            entry["message1"].clone(),
            entry["message2"].clone(),
            of("message3"),
            of("message5"),
            of("message6"),
        ]
    };
    let want = [
        json!({}),
        json!({ "relay": true }),
        json!({}),
        json!({ "m5_plugin": true }),
        json!({}),
    ];
    assert_eq!(flags_of(&brief), want);
    let stream = app.get("/api/auth/stream/?flags=set");
    let mut stream = stream.bearer(&anna.access).open().await;
    let event = stream.event().await.unwrap();
    let (_, told) = event.split_once("\ndata: ").unwrap();
    assert_eq!(flags_of(&serde_json::from_str(told).unwrap()), want);

    let named = app.get("/api/auth/data/?flags=all").bearer(&anna.access);
    let named = named.send().await.expect(200).json();
    assert_eq!(flags_of(&named), flags_of(&data(app, &anna).await));
    let neither = app.get("/api/auth/data/?flags=some").bearer(&anna.access);
    neither.send().await.expect(400);
});

with_app!(energies_are_those_of_the_sites_day, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    battery.hello(|_| {}).await;
    for n in 0..3_i64 {
        battery
            .sample(|sample| sample.counters = [100, 200, 300, 400, 500].map(|wh| Some(wh * n)))
            .await;
        app.clock.advance(30 * SECOND);
    }
    // The start of the day is read separately from the reports.
    eventually("today's energy is counted", async || {
        entry(&data(app, &anna).await, "SC000001")["import_energy"] == 200
    })
    .await;
    let today = entry(&data(app, &anna).await, "SC000001");
    let want = [
        ("import_energy", 200),
        ("feed_in_energy", 400),
        ("PV_energy", 600),
        ("charge_energy", 800),
        ("discharge_energy", 1_000),
        ("house_energy", 600),
    ];
    for (name, wh) in want {
        assert_eq!(today[name], wh, "{name}");
    }
    // Midnight passes without a report, so nothing is known about the new day.
    app.clock.advance(13 * HOUR);
    let anna = app.log_in(&anna.email, false).await;
    let tomorrow = entry(&data(app, &anna).await, "SC000001");
    assert!(want.iter().all(|(name, _)| tomorrow[name] == Value::Null));
});

with_app!(
    a_system_that_never_reported_has_no_values_and_no_flags,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let data = data(app, &anna).await;
        let entry = entry(&data, "SC000001");
        for name in [
            "grid_power",
            "SOC",
            "m8",
            "time",
            "measured_at",
            "battery_status",
            "charge_energy",
        ] {
            assert_eq!(entry[name], Value::Null, "{name}");
        }
        assert_eq!(entry["online"], false);
        assert_eq!(entry["isActive"], false);
        assert_eq!(
            entry["message1"],
            json!({ "sm2": false, "wait60": false, "sm_test": false })
        );
        let flags = data["message3"]["SC000001"].as_object().unwrap();
        assert!(flags.values().all(|flag| flag == false));
    }
);

with_app!(
    an_old_value_is_given_with_its_time_and_is_not_online,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let battery = app.battery("SC000001");
        battery.hello(|_| {}).await;
        battery.sample(|_| {}).await;
        app.clock.advance(2 * MINUTE);
        // A battery is offline after 90 s of silence; the bus checks once a second.
        eventually("the battery is offline", async || {
            entry(&data(app, &anna).await, "SC000001")["online"] == false
        })
        .await;
        let entry = entry(&data(app, &anna).await, "SC000001");
        assert_eq!(entry["grid_power"], -150);
        assert_eq!(entry["time"], "2026-11-15 12:00:00");
        assert_eq!(entry["measured_at"], NOON);
        assert_eq!(entry["last_online_from"], "2026-11-15 12:00:00");
        assert_eq!(entry["isActive"], false);
    }
);

with_app!(a_missing_part_makes_the_house_missing, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    battery.hello(|_| {}).await;
    battery.sample(|sample| sample.grid_power = None).await;
    let entry = entry(&data(app, &anna).await, "SC000001");
    assert_eq!(
        (&entry["m8"], &entry["grid_power"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(entry["PV_power"], 400);
});

with_app!(
    a_battery_that_is_switched_off_is_online_but_not_active,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let battery = app.battery("SC000001");
        battery.hello(|_| {}).await;
        battery
            .sample(|sample| {
                sample.status = BatteryStatus::Off;
                sample.flags.message2 = flags::bit(flags::MESSAGE2, "aus");
            })
            .await;
        let entry = entry(&data(app, &anna).await, "SC000001");
        assert_eq!(entry["battery_status"], "off");
        assert_eq!(entry["online"], true);
        assert_eq!(entry["isActive"], false);
    }
);

with_app!(
    messages_are_newest_first_in_the_callers_language_and_site_time,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let battery = app.battery("SC000001");
        battery.hello(|_| {}).await;
        battery
            .event(Some(NOON - HOUR), EventCode::MeterLost, true, None)
            .await;
        battery
            .event(Some(NOON - MINUTE), EventCode::MeterLost, false, None)
            .await;
        battery
            .event(Some(NOON - 2 * HOUR), EventCode::NaUHigh, true, None)
            .await;
        // The time of this event is unknown, so it is not shown to anyone.
        battery.event(None, EventCode::HwFault, true, None).await;
        let call = app.get("/api/auth/data/").bearer(&anna.access);
        let answer = call
            .header("accept-language", "en")
            .send()
            .await
            .expect(200);
        let entry = entry(&answer.json(), "SC000001");
        let texts: Vec<(&str, &str)> = entry["last_messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["time"].as_str().unwrap(), one["text"].as_str().unwrap()))
            .collect();
        assert_eq!(
            texts,
            [
                ("2026-11-15 11:59:00", "The smart meter answers again."),
                (
                    "2026-11-15 11:00:00",
                    "The smart meter does not answer. Please check its connection."
                ),
                (
                    "2026-11-15 10:00:00",
                    "Grid voltage too high: grid and system protection disconnected the battery from the grid."
                ),
            ]
        );
        assert_eq!(entry["last_messages"][1]["code"], "meter_lost");
        assert_eq!(entry["lang"], "en");
    }
);

with_app!(the_days_until_the_calibration_count_down, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    battery.hello(|_| {}).await;
    let due = Some(r#"{"days":14}"#);
    battery
        .event(Some(NOON - 4 * DAY), EventCode::CalibrationDue, true, due)
        .await;
    let days = |data: &Value| entry(data, "SC000001")["calibration_days"].clone();
    assert_eq!(days(&data(app, &anna).await), 10);
    battery
        .event(Some(NOON), EventCode::CalibrationDone, true, None)
        .await;
    assert_eq!(days(&data(app, &anna).await), Value::Null);
});

with_app!(
    errors_that_go_on_and_the_calibration_are_not_pushed_out_by_other_messages,
    |app| {
        let anna = family(app).await;
        let battery = app.battery("SC000001");
        battery.hello(|_| {}).await;
        let due = Some(r#"{"days":14}"#);
        let day = |n: i64| Some(NOON - n * DAY);
        for (at, code, args) in [
            (day(4), EventCode::CalibrationDue, due),
            (day(3), EventCode::BmsFault, None),
        ] {
            battery.event(at, code, true, args).await;
        }
        for n in 0..60 {
            let on = n % 2 == 0;
            let at = Some(NOON - HOUR + n * SECOND);
            battery.event(at, EventCode::NaUHigh, on, None).await;
            battery.event(at, EventCode::MeterLost, on, None).await;
        }
        let told = async || {
            let data = data(app, &anna).await;
            assert_eq!(entry(&data, "SC000001")["calibration_days"], 10);
            assert_eq!(entry(&data, "-1")["calibration_days"], 10);
            ["SC000001", "-1"].map(|sn| {
                let entry = entry(&data, sn);
                let messages = entry["last_messages"].as_array().unwrap();
                let count = |code: &str| messages.iter().filter(|one| one["code"] == code).count();
                ["na_u_high", "meter_lost", "bms_fault"].map(count)
            })
        };
        let want = [[50, 50, 1], [50, 50, 1]];
        assert_eq!(told().await, want, "as they came");
        app.bus.live.reload_all().await.unwrap();
        assert_eq!(told().await, want, "read again");
    }
);

with_app!(
    the_live_view_goes_on_at_once_when_our_clock_is_set_back,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let battery = app.battery("SC000001");
        battery.hello(|_| {}).await;
        let measure = async |pv: i32, import: i64| {
            let change = |sample: &mut domain::Sample| {
                sample.pv_power = Some(pv);
                sample.counters = [Some(import), None, None, None, None];
            };
            battery.sample(change).await;
            let entry = entry(&data(app, &anna).await, "SC000001");
            ["PV_power", "measured_at", "received_at"].map(|field| entry[field].clone())
        };
        measure(100, 1_000).await;
        // An operator sets the clock wrong, then right again.
        app.clock.advance(10 * MINUTE);
        let now = app.clock.now();
        assert_eq!(
            measure(200, 1_010).await,
            [json!(200), json!(now), json!(now)]
        );
        app.clock.advance(-9 * MINUTE);
        let now = app.clock.now();
        assert_eq!(
            measure(300, 1_020).await,
            [json!(300), json!(now), json!(now)]
        );
        app.clock.advance(MINUTE);
        measure(300, 1_030).await;
        eventually("the day's energy goes on", async || {
            entry(&data(app, &anna).await, "SC000001")["import_energy"] == 30
        })
        .await;
        // The same after a restart: samples with a future time are not the newest.
        app.bus.live.reload_all().await.unwrap();
        app.clock.advance(MINUTE);
        let now = app.clock.now();
        assert_eq!(
            measure(400, 1_040).await,
            [json!(400), json!(now), json!(now)]
        );
    }
);

with_app!(
    what_a_unit_says_of_itself_counts_at_the_next_request,
    |app| {
        let anna = family(app).await;
        let order = async |person: &Person| -> Vec<String> {
            let data = data(app, person).await;
            let entries = data["data"].as_array().unwrap().iter();
            let named = entries.flat_map(|entry| entry.as_object().unwrap().keys().cloned());
            named.filter(|name| name.starts_with("SC")).collect()
        };
        assert_eq!(order(&anna).await, ["SC000001", "SC000002", "SC000003"]);
        // Systems are ordered by phase. The clock is stopped, so no cached session expires by age.
        let moved = app.battery("SC000001");
        moved.hello(|hello| hello.phase = 3).await;
        assert_eq!(order(&anna).await, ["SC000002", "SC000003", "SC000001"]);
    }
);

with_app!(all_systems_add_weigh_and_say_how_many_report, |app| {
    let anna = family(app).await;
    let [one, two, three] = ["SC000001", "SC000002", "SC000003"].map(|sn| app.battery(sn));
    for (battery, phase, capacity) in [(&one, 1, 5_000), (&two, 2, 15_000), (&three, 3, 10_000)] {
        battery
            .hello(|hello| (hello.phase, hello.capacity) = (phase, capacity))
            .await;
    }
    one.sample(|sample| (sample.soc, sample.grid_power) = (Some(200), Some(700)))
        .await;
    two.sample(|sample| sample.soc = Some(600)).await;
    three.sample(|_| {}).await;
    three.goes_offline().await;
    two.event(Some(NOON), EventCode::FloatCharge, true, None)
        .await;
    let data = data(app, &anna).await;
    let entries = data["data"].as_array().unwrap();
    assert_eq!(entries.len(), 4);
    let all = entry(&data, "-1");
    assert_eq!((&all["reporting"], &all["systems"]), (&json!(2), &json!(3)));
    assert_eq!(all["grid_power"], 550);
    assert_eq!(all["PV_power"], 800);
    assert_eq!(all["battery_power"], -100);
    assert_eq!(all["m8"], 1_250);
    assert_eq!(all["SOC"], 50.0);
    // The own phase of each unit: 230.1 V and 231.2 V.
    assert_eq!(all["grid_voltage"], 230.7);
    assert_eq!(all["battery_status"], "charging");
    assert_eq!(all["last_messages"][0]["sn"], "SC000002");
    assert_eq!(data["message3"]["-1"]["m3_BMS"], false);
    assert_eq!(entry(&data, "SC000003")["online"], false);
    assert_eq!(entry(&data, "SC000001").get("reporting"), None);
});

with_app!(a_single_system_has_no_entry_for_all, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let data = data(app, &anna).await;
    assert_eq!(data["data"].as_array().unwrap().len(), 1);
    assert_eq!(data["message6"].as_object().unwrap().len(), 1);
});

with_app!(a_new_owner_sees_nothing_of_the_household_before, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    battery.hello(|_| {}).await;
    battery.sample(|_| {}).await;
    battery
        .event(Some(NOON), EventCode::FloatCharge, true, None)
        .await;
    app.clock.advance(MINUTE);
    let call = app.call("DELETE", "/api/auth/usr_sn/SC000001/");
    let call = call.form(&[("password", testkit::PASSWORD)]);
    call.bearer(&anna.access).send().await.expect(204);
    let code = app.code(&[&battery.sn]).await;
    let form = app.owner_form("ben@example.com", &code);
    app.post("/api/auth/register/", &form)
        .send()
        .await
        .expect(201);
    let ben = app.log_in("ben@example.com", false).await;
    let before = entry(&data(app, &ben).await, "SC000001");
    for name in ["grid_power", "SOC", "time", "charge_energy", "measured_at"] {
        assert_eq!(before[name], Value::Null, "{name}");
    }
    assert_eq!(before["last_messages"], json!([]));
    battery.sample(|_| {}).await;
    let after = entry(&data(app, &ben).await, "SC000001");
    assert_eq!(after["grid_power"], -150);
    // Part of today's energy belongs to the other household.
    assert_eq!(after["charge_energy"], Value::Null);
});

with_app!(the_list_of_systems_has_what_hello_brought, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    battery.hello(|hello| hello.phase = 3).await;
    let call = app.get("/api/auth/usr_sn/").bearer(&anna.access);
    let list = call.send().await.expect(200).json();
    let want = json!({
        "sn": "SC000001", "phase": 3, "master_version": "4.12", "gateway_version": "2.7", "slave_version": null,
        "hardware": "SC-10", "capacity": 10_000, "charge_max": 4_600, "discharge_max": 5_000,
        "time_zone": "Europe/Berlin", "isActive": true, "access": "owner",
    });
    for (name, value) in want.as_object().unwrap() {
        assert_eq!(&list[0][name], value, "{name}");
    }
});

with_app!(an_electrician_without_a_grant_gets_an_empty_list, |app| {
    app.owner("anna", "SC000001").await;
    let eva = app.electrician("eva").await;
    let want = json!({ "data": [], "message3": {}, "message5": {}, "message6": {} });
    assert_eq!(data(app, &eva).await, want);
});

/// Anna with three systems.
async fn family(app: &TestApp) -> Person {
    let mut units = Vec::new();
    for sn in ["SC000001", "SC000002", "SC000003"] {
        units.push(app.device(sn).await);
    }
    let code = app.code(&units.iter().collect::<Vec<_>>()).await;
    let form = app.owner_form("anna@example.com", &code);
    app.post("/api/auth/register/", &form)
        .send()
        .await
        .expect(201);
    app.log_in("anna@example.com", false).await
}
