//! Interventions of a person at the battery, and of the grid operator.
use domain::clock::Millis;
use std::time::Duration;
use tokio::sync::mpsc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intervention {
    /// Turn the main switch in the pattern that completes a claim.
    SwitchPattern,
    /// Turn the main switch on or off, and leave it there.
    Switch(bool),
    /// Pull the plug until [`Intervention::PowerOn`].
    PowerOff,
    PowerOn,
    /// Lose power and start again.
    Reboot,
    /// Lose the network for this long.
    StayAway(Duration),
    /// Switch on an appliance that draws this many W from this phase, 1 to 3; 0 W switches it off.
    Appliance {
        phase: u8,
        power: i32,
    },
    /// The battery management system detects a bad cell, or clears the fault.
    Fault(bool),
    /// The grid operator limits the power drawn to this many W until then (§14a EnWG).
    Dim {
        limit: i32,
        until: Millis,
    },
}

/// Waits for ever if there are none.
pub(crate) async fn next_intervention(
    interventions: &mut Option<mpsc::Receiver<Intervention>>,
) -> Intervention {
    if let Some(receiver) = interventions
        && let Some(intervention) = receiver.recv().await
    {
        return intervention;
    }
    std::future::pending().await
}
