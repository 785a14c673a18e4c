//! Batteries that behave like real ones: physics, homes, weather, faults, and the device link from their side.
