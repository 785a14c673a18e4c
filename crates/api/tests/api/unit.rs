//! The list of units, for warranty: what stands where since when, with its protocol, and what was exchanged.
#![allow(clippy::unwrap_used)]
use serde_json::Value;
use testkit::with_app;

with_app!(
    units_are_listed_with_their_protocol_and_what_they_were_exchanged_for,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let eva = app.electrician("eva").await;
        app.grant(&anna, &eva, "SC000001", "service").await;
        app.commission(&eva, &app.battery("SC000001")).await;
        let code = app.code(&[&app.device("SC000002").await]).await;
        app.clock.advance(60_000);
        let exchange = app.post("/api/auth/system/SC000001/replace/", &[("key", &code)]);
        exchange.bearer(&eva.access).send().await.expect(200);
        let max = app.electrician("max").await;
        let none = app.get("/api/auth/unit/").bearer(&max.access);
        assert_eq!(none.send().await.expect(200).text, "[]");

        let units = app.get("/api/auth/unit/").bearer(&eva.access);
        let units = units.send().await.expect(200).json();
        let [old, new] = units.as_array().unwrap().as_slice() else {
            panic!("{units}");
        };
        assert_eq!(
            (&old["sn"], &old["system"]),
            (&"SC000001".into(), &"SC000002".into())
        );
        assert_eq!(
            (&old["protocol"], &old["since"]),
            (&"SC000001-1".into(), &Value::Null)
        );
        assert!(
            old["commissioned_at"].is_i64() && old["until"].is_i64(),
            "{old}"
        );
        assert_eq!(
            (&new["sn"], &new["system"]),
            (&"SC000002".into(), &"SC000002".into())
        );
        assert_eq!(
            (&new["protocol"], &new["until"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(new["since"], old["until"]);

        let file = app.get("/api/auth/unit/?format=csv");
        let file = file.header("accept-language", "de").bearer(&eva.access);
        let file = file.send().await.expect(200);
        assert!(
            file.text.contains("Seriennummer;Gerätetyp;Kapazität (kWh)"),
            "{}",
            file.text
        );
        let lines: Vec<&str> = file.text.lines().collect();
        assert_eq!(lines.len(), 3, "{}", file.text);
        assert!(
            lines[1].starts_with("SC000001;") && lines[1].ends_with(";SC000002"),
            "{}",
            lines[1]
        );
        let odd = app.get("/api/auth/unit/?format=xml").bearer(&eva.access);
        odd.send().await.expect(400);
    }
);
