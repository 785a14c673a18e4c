//! A unit's report about itself: the sample with status and flags.
use crate::battery::FULL_SOC;
use crate::meter::Wire;
use crate::settings::Control;
use crate::unit::Unit;
use domain::Sample;
use domain::flags::{self, Flags, MESSAGE1, MESSAGE2, MESSAGE3, MESSAGE5, MESSAGE6};
use domain::sample::{BatteryStatus, Counter, MessageId};
use std::sync::LazyLock;

impl Unit {
    /// The sample of the step that just ended. Metered values are missing while the meter is silent.
    pub fn sample(&self, id: MessageId) -> Sample {
        let metered = |value: i32| self.hears_meter.then_some(value);
        let mut counters = self.counters.readings().map(Some);
        if !self.hears_meter {
            counters[Counter::Import as usize] = None;
            counters[Counter::FeedIn as usize] = None;
        }
        Sample {
            at: self.at,
            id,
            voltage: self.conditions.voltage.map(Some),
            frequency: Some(self.conditions.frequency),
            meter_power: self.flows.phases.map(|power| power.and_then(metered)),
            grid_power: metered(self.flows.grid),
            pv_power: Some(self.flows.pv),
            battery_power: Some(self.flows.battery),
            soc: i32::try_from(self.battery.soc()).ok(),
            counters,
            status: self.status(),
            flags: self.flags(),
        }
    }

    pub fn status(&self) -> BatteryStatus {
        let reserve = i64::from(self.settings.reserve_soc) * 10;
        match self.flows.battery {
            _ if !self.switched_on => BatteryStatus::Off,
            _ if self.faulty => BatteryStatus::Fault,
            _ if self.calibrating => BatteryStatus::Calibrating,
            power if power < 0 => BatteryStatus::Charging,
            power if power > 0 => BatteryStatus::Discharging,
            _ if self.battery.soc() >= FULL_SOC - 5 => BatteryStatus::Full,
            _ if self.battery.soc() <= reserve + 5 => BatteryStatus::Empty,
            _ => BatteryStatus::Standby,
        }
    }

    fn flags(&self) -> Flags {
        let bits = &*BITS;
        let when = |set: bool, bit: u16| if set { bit } else { 0 };
        let tripped = !self.protection.connected();
        let settings = &self.settings;
        let tcp = settings.wire == Wire::Tcp;
        let balancing = self.battery.soc() >= FULL_SOC - 20 && self.flows.battery < 0;
        Flags {
            message1: when(self.protection.waiting(), bits.wait60)
                | when(self.testing_meter, bits.testing_meter),
            message2: when(self.switched_on, bits.ein)
                | when(!self.switched_on, bits.aus)
                | when(!self.hears_meter, bits.sm1)
                | when(self.faulty, bits.bat)
                | when(self.calibrating, bits.sv)
                | when(tripped || !self.switched_on, bits.relay)
                | when(tripped, bits.na_schutz),
            message3: bits.present
                | when(self.faulty, bits.bms)
                | when(balancing, bits.balancing)
                | when(self.islanded && !settings.ups, bits.black_start),
            message5: when(self.hears_meter, bits.meter_passed)
                | when(settings.ups, bits.ups_enabled)
                | when(settings.plugin, bits.plugin)
                | when(self.islanded, bits.ups_runs),
            message6: bits.power_management
                | when(tcp && settings.control == Control::Meter, bits.meter_tcp)
                | when(
                    tcp && settings.control == Control::GridOperator,
                    bits.evu_tcp,
                )
                | when(settings.p_limit_tcp, bits.limit_tcp),
        }
    }
}

struct Bits {
    wait60: u16,
    testing_meter: u16,
    ein: u16,
    aus: u16,
    sm1: u16,
    bat: u16,
    sv: u16,
    relay: u16,
    na_schutz: u16,
    present: u16,
    bms: u16,
    balancing: u16,
    black_start: u16,
    meter_passed: u16,
    ups_enabled: u16,
    plugin: u16,
    ups_runs: u16,
    power_management: u16,
    meter_tcp: u16,
    evu_tcp: u16,
    limit_tcp: u16,
}

/// Looked up only once, because a year has many samples.
static BITS: LazyLock<Bits> = LazyLock::new(|| {
    let two = |name| flags::bit(MESSAGE2, name);
    let three = |name| flags::bit(MESSAGE3, name);
    let five = |name| flags::bit(MESSAGE5, name);
    let six = |name| flags::bit(MESSAGE6, name);
    Bits {
        wait60: flags::bit(MESSAGE1, "wait60"),
        testing_meter: flags::bit(MESSAGE1, "sm_test"),
        ein: two("ein"),
        aus: two("aus"),
        sm1: two("sm1"),
        bat: two("bat"),
        sv: two("sv"),
        relay: two("relay"),
        na_schutz: two("na_schutz"),
        present: three("m3_slave") | three("m3_gateway"),
        bms: three("m3_BMS"),
        balancing: three("m3_volt_balanc"),
        black_start: three("m3_black_start"),
        meter_passed: five("m5_sm_test"),
        ups_enabled: five("m5_ups_enable"),
        plugin: five("m5_plugin"),
        ups_runs: five("m5_ups_flag"),
        power_management: six("m6_power_mang"),
        meter_tcp: six("m6_sm_rs485_tcp"),
        evu_tcp: six("m6_evu_rs485_tcp"),
        limit_tcp: six("m6_p_soll_tcp"),
    }
});
