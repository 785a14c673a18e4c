//! The device endpoint. The only crate that knows MQTT.
