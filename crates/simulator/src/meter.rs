//! The smart meter at the house's connection. A battery that asks at the wrong address hears nothing and is blind.

pub const DEFAULT_ADDRESS: u8 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    /// What is set on the meter itself, 1 to 250.
    pub address: u8,
    /// A meter that has failed, or whose wire is cut, answers nobody.
    pub alive: bool,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            address: DEFAULT_ADDRESS,
            alive: true,
        }
    }
}

impl Meter {
    /// Whether a battery that asks at `address` hears it.
    pub fn answers(self, address: u8) -> bool {
        self.alive && self.address == address
    }
}
