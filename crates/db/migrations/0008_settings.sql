-- What is set on a system. Its people count `version` up with every save; the battery takes only a newer one, and says
-- which it holds. Documents are JSON objects by the fields' names.
CREATE TABLE settings (
    sn               TEXT    NOT NULL PRIMARY KEY REFERENCES systems (sn) ON DELETE CASCADE,
    version          BIGINT  NOT NULL DEFAULT 0,
    desired          TEXT,               -- NULL: nobody has saved anything, the battery's own count
    changed_at       BIGINT,
    changed_by       BIGINT  REFERENCES accounts (id) ON DELETE SET NULL,
    held_version     BIGINT  NOT NULL DEFAULT 0, -- by the battery's newest word, hello or report
    reported_version BIGINT  NOT NULL DEFAULT 0, -- of the newest report, as the four below
    reported         TEXT,
    refused          TEXT,
    reported_at      BIGINT,
    boot             BIGINT  NOT NULL DEFAULT 0,
    seq              BIGINT  NOT NULL DEFAULT 0,
    provider_token   BLOB,               -- sealed with the configured key
    acknowledged_at  BIGINT,             -- the notice under §14a, while charging above 4.2 kW is set
    grid_limit       BIGINT,             -- what the grid operator allows right now, in W
    grid_limit_at    BIGINT
);
CREATE INDEX settings_waiting ON settings (sn) WHERE held_version < version;
