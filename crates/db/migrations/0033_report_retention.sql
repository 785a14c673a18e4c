-- To find what is old without reading everything.
CREATE INDEX events_received ON events (received_at);
CREATE INDEX hidden_samples_received ON hidden_samples (received_at);
CREATE INDEX rejects_received ON rejects (received_at);
