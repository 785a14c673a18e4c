//! The flag sets of a sample, bit 0 first, under their names in the API.

pub const MESSAGE1: &[&str] = &["sm2", "wait60", "sm_test"];
pub const MESSAGE2: &[&str] = &[
    "m",
    "sm1",
    "i2",
    "i1",
    "i",
    "relay",
    "bat",
    "u",
    "hw",
    "sv",
    "ein",
    "aus",
    "na_schutz",
];
pub const MESSAGE3: &[&str] = &[
    "m3_slave",
    "m3_gateway",
    "m3_rotation",
    "m3_volt_balanc",
    "m3_BMS",
    "m3_passiv_balanc",
    "m3_ethernet_off",
    "m3_black_start",
];
pub const MESSAGE5: &[&str] = &[
    "m5_ups_enable",
    "m5_plugin",
    "m5_ups_flag",
    "m5_sm_test",
    "m5_harmonic_ctrl",
];
pub const MESSAGE6: &[&str] = &[
    "m6_power_mang",
    "m6_sm_rs485_tcp",
    "m6_p_soll_tcp",
    "m6_evu_rs485_tcp",
    "m6_sunspec_set",
    "m6_q_ctrl",
];

/// The five sets as a battery sends them, each an integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags {
    pub message1: u16,
    pub message2: u16,
    pub message3: u16,
    pub message5: u16,
    pub message6: u16,
}

impl Flags {
    /// Whether the main switch is on. A battery that reports neither `ein` nor `aus` counts as on.
    pub fn switched_on(&self) -> bool {
        !is_set(self.message2, MESSAGE2, "aus")
    }
}

/// Whether the flag `name` is set; never for an unknown name.
pub fn is_set(bits: u16, names: &[&str], name: &str) -> bool {
    let index = names.iter().position(|known| *known == name);
    index.is_some_and(|index| bits >> index & 1 == 1)
}

/// The bit mask of the flag `name`; 0 for an unknown name.
pub fn bit(names: &[&str], name: &str) -> u16 {
    names
        .iter()
        .position(|known| *known == name)
        .map_or(0, |index| 1 << index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_zero_comes_first() {
        assert!(is_set(0b1, MESSAGE2, "m"));
        assert!(is_set(1 << 12, MESSAGE2, "na_schutz"));
        assert!(!is_set(u16::MAX, MESSAGE2, "unknown"));
        assert_eq!(bit(MESSAGE1, "wait60"), 0b10);
    }

    #[test]
    fn the_main_switch_is_off_only_when_the_battery_says_so() {
        let off = Flags {
            message2: bit(MESSAGE2, "aus"),
            ..Flags::default()
        };
        assert!(!off.switched_on());
        assert!(Flags::default().switched_on());
    }
}
