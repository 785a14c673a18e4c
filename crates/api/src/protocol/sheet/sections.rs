//! The sections of a protocol, one for each step and some more.
use super::{NONE, Row, Section, Table, Writer};
use domain::commissioning::CommissioningStep;
use domain::quantity::with_unit;
use domain::setting::Field;
use serde_json::Value;

impl Writer<'_> {
    pub(super) fn sections(&self) -> Vec<Section> {
        vec![
            self.system(),
            self.customer(),
            self.units(),
            self.meter(),
            self.phases(),
            self.limits(),
            self.export_limit(),
            self.per_unit(
                CommissioningStep::Ups,
                &[Field::EmergencyPower, Field::Ups, Field::Plugin],
                self.ups_row(),
            ),
            self.firmware(),
            self.steps(),
            self.instruction(),
        ]
    }

    fn system(&self) -> Section {
        let protocol = self.protocol;
        let units: Vec<&str> = protocol.units.iter().map(|sn| sn.as_str()).collect();
        Section {
            title: self.word("system").to_owned(),
            rows: vec![
                self.row("serial", units.join(", ")),
                self.row("installer", self.company(protocol.company.as_ref())),
                self.row("started", self.time(protocol.started_at)),
                self.row(
                    "finished",
                    self.time(protocol.finished_at.unwrap_or(protocol.started_at)),
                ),
            ],
            ..Section::default()
        }
    }

    fn customer(&self) -> Section {
        let title = self.word("customer").to_owned();
        let Some(customer) = &self.protocol.customer else {
            return Section {
                title,
                text: Some(self.word("customer_gone").to_owned()),
                ..Section::default()
            };
        };
        let name = format!("{} {}", customer.first_name, customer.last_name);
        Section {
            title,
            rows: vec![
                self.row("name", name.trim()),
                self.row("place", customer.place.as_str()),
            ],
            ..Section::default()
        }
    }

    fn units(&self) -> Section {
        let record = self.record(CommissioningStep::Units).map(|it| &it.record);
        let rows = members(record.map(|record| &record.found)).map(|unit| {
            let measured = members(record.map(|record| &record.measured));
            let voltage = measured
                .filter(|one| one["sn"] == unit["sn"])
                .find_map(|one| one["voltage"].as_i64());
            let volts = |tenths: i64| {
                let digits = format!("{}.{}", tenths / 10, tenths % 10);
                with_unit(&digits, Some("V"), self.lang)
            };
            let capacity = unit["capacity"].as_i64().map(|wh| {
                let digits = format!("{}.{}", wh / 1_000, wh % 1_000 / 100);
                with_unit(&digits, Some("kWh"), self.lang)
            });
            let rated = [&unit["charge_max"], &unit["discharge_max"]];
            vec![
                word_of(&unit["sn"]),
                format!("L{}", unit["phase"]),
                word_of(&unit["hardware"]),
                capacity.unwrap_or_else(|| NONE.to_owned()),
                rated.map(|watts| self.watts(watts)).join(" / "),
                voltage.map_or_else(|| NONE.to_owned(), volts),
            ]
        });
        let names = ["serial", "phase", "model", "capacity", "rated", "voltage"];
        Section {
            title: self.step(CommissioningStep::Units),
            table: Some(Table {
                head: self.head(&names),
                rows: rows.collect(),
            }),
            ..Section::default()
        }
    }

    fn meter(&self) -> Section {
        let fields = [Field::MeterType, Field::MeterAddress, Field::PControlVia];
        let mut section = self.per_unit(CommissioningStep::Meter, &fields, None);
        let record = self.record(CommissioningStep::Meter).map(|it| &it.record);
        let Some(table) = &mut section.table else {
            return section;
        };
        table.head.push(self.word("meter_test").to_owned());
        let tests = members(record.map(|record| &record.measured));
        for (row, test) in table.rows.iter_mut().zip(tests) {
            let at = test["tested_at"].as_i64();
            row.push(at.map_or_else(|| NONE.to_owned(), |at| self.time(at)));
        }
        section
    }

    fn phases(&self) -> Section {
        let record = self.record(CommissioningStep::Phases).map(|it| &it.record);
        let rows = (1..=3).filter_map(|phase| {
            let test = &record?.measured["tests"][phase.to_string()];
            test["rise"].as_i64()?;
            Some(vec![
                format!("L{phase}"),
                self.flow(&test["before"]),
                self.flow(&test["after"]),
                self.watts(&test["rise"]),
                self.word("passed").to_owned(),
            ])
        });
        let names = ["phase", "without_load", "with_load", "rise", "result"];
        Section {
            title: self.step(CommissioningStep::Phases),
            table: Some(Table {
                head: self.head(&names),
                rows: rows.collect(),
            }),
            text: Some(self.word("test_note").to_owned()),
            ..Section::default()
        }
    }

    fn limits(&self) -> Section {
        let record = self.record(CommissioningStep::Limits).map(|it| &it.record);
        let above = members(record.map(|record| &record.found)).any(|unit| {
            let limit = unit[Field::ChargeLimit.name()].as_i64().unwrap_or(0);
            limit > domain::setting::NOTICE_THRESHOLD_W
        });
        let notice = self.word(if above { "notice_done" } else { "notice_none" });
        let fields = [Field::ChargeLimit, Field::DischargeLimit];
        self.per_unit(
            CommissioningStep::Limits,
            &fields,
            Some(self.row("notice", notice)),
        )
    }

    fn export_limit(&self) -> Section {
        let record = self
            .record(CommissioningStep::ExportLimit)
            .map(|it| &it.record);
        let limit = record.map_or(&Value::Null, |record| &record.stated["limit"]);
        let limit = match limit.is_null() {
            true => self.word("export_none").to_owned(),
            false => self.watts(limit),
        };
        let fields = [Field::PControl, Field::PControlVia, Field::PLimitTcp];
        let row = Some(self.row("export_limit", limit));
        self.per_unit(CommissioningStep::ExportLimit, &fields, row)
    }

    fn ups_row(&self) -> Option<Row> {
        let tested = self.record(CommissioningStep::Ups)?.record.stated["tested"] == true;
        tested.then(|| self.row("ups_tested", self.word("yes")))
    }

    fn firmware(&self) -> Section {
        let record = self
            .record(CommissioningStep::Firmware)
            .map(|it| &it.record);
        let rows = members(record.map(|record| &record.found));
        let rows = rows.map(|unit| {
            ["sn", "master", "gateway", "slave"]
                .map(|name| word_of(&unit[name]))
                .to_vec()
        });
        let mut head = self.head(&["serial"]);
        // Parts have the same names in every language.
        head.extend(["Master", "Gateway", "Slave"].map(str::to_owned));
        Section {
            title: self.step(CommissioningStep::Firmware),
            table: Some(Table {
                head,
                rows: rows.collect(),
            }),
            ..Section::default()
        }
    }

    /// Settings that a step found, one row per unit.
    fn per_unit(&self, step: CommissioningStep, fields: &[Field], row: Option<Row>) -> Section {
        let record = self.record(step).map(|it| &it.record);
        let rows = members(record.map(|record| &record.found)).map(|unit| {
            let values = fields.iter().map(|field| self.setting(unit, *field));
            std::iter::once(word_of(&unit["sn"]))
                .chain(values)
                .collect()
        });
        let mut head = self.head(&["serial"]);
        let names = fields.iter();
        head.extend(names.map(|field| field.label(self.lang).to_owned()));
        Section {
            title: self.step(step),
            rows: row.into_iter().collect(),
            table: Some(Table {
                head,
                rows: rows.collect(),
            }),
            text: None,
        }
    }

    fn steps(&self) -> Section {
        let rows = self.protocol.steps.iter().map(|record| {
            vec![
                self.step(record.step),
                self.time(record.at),
                self.company(record.company.as_ref()),
            ]
        });
        Section {
            title: self.word("steps").to_owned(),
            table: Some(Table {
                head: self.head(&["step", "when", "by"]),
                rows: rows.collect(),
            }),
            ..Section::default()
        }
    }

    fn instruction(&self) -> Section {
        let customer = self.protocol.customer.as_ref();
        let note = customer.map_or("", |customer| customer.note.as_str());
        let note = Some(note).filter(|note| !note.is_empty());
        Section {
            title: self.step(CommissioningStep::Instruction),
            rows: note
                .map(|note| self.row("note", note))
                .into_iter()
                .collect(),
            text: Some(self.word("instructed").to_owned()),
            ..Section::default()
        }
    }
}

fn members(list: Option<&Value>) -> impl Iterator<Item = &Value> {
    list.and_then(Value::as_array).into_iter().flatten()
}

fn word_of(value: &Value) -> String {
    value.as_str().unwrap_or(NONE).to_owned()
}
