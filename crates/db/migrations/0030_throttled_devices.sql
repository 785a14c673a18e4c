-- Batteries that lately sent more than their quota, for the operator.
CREATE TABLE throttled_devices (
    sn    TEXT   NOT NULL PRIMARY KEY REFERENCES systems (sn) ON DELETE CASCADE,
    kind  TEXT   NOT NULL, -- of the messages that were too many: live, history or other
    since BIGINT NOT NULL,
    at    BIGINT NOT NULL  -- the last time, to the minute
);
