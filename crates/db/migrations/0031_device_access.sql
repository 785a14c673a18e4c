-- What the operator decided about a device: blocked or not, and how often its connections were to end.
CREATE TABLE device_access (
    sn          TEXT   NOT NULL PRIMARY KEY REFERENCES systems (sn) ON DELETE CASCADE,
    blocked_at  BIGINT,          -- NULL: not blocked
    revocations BIGINT NOT NULL  -- counted, so that no clocks are compared: a connection that logged in at a lower count ends
);

-- Of the old secret while it is being changed; the new one has none.
ALTER TABLE device_secrets ADD COLUMN expires_at BIGINT;
CREATE INDEX device_secrets_expiring ON device_secrets (expires_at) WHERE expires_at IS NOT NULL;
