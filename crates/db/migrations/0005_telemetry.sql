-- What batteries measured lately, one row per sample. The link has authenticated the serial number, so that no
-- reference is checked for each of thousands of rows a second.
CREATE TABLE samples (
    sn   TEXT   NOT NULL,
    ts   BIGINT NOT NULL,
    boot BIGINT NOT NULL,
    seq  BIGINT NOT NULL,
    body BLOB   NOT NULL,
    PRIMARY KEY (sn, ts, boot, seq)
) WITHOUT ROWID;
-- A message counts once, whatever time its repeat claims.
CREATE UNIQUE INDEX samples_message ON samples (sn, boot, seq);

-- A finished day of a site in full resolution: small aggregates of its quarter-hours, then compressed columns.
CREATE TABLE sealed_days (
    sn        TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    day       BIGINT NOT NULL,
    starts_at BIGINT NOT NULL,
    ends_at   BIGINT NOT NULL,
    quarters  BLOB   NOT NULL,
    body      BLOB   NOT NULL
);
CREATE UNIQUE INDEX sealed_days_day ON sealed_days (sn, day);

-- The totals of a month's sealed days in one row; they outlive the full resolution. Bit 1 of `sealed` and `dirty` is the
-- first of the month: a dirty day has late samples beside its columns (or around it), and is computed until sealed again.
-- `site` is the phase and time zone that the days were cut and summed for.
CREATE TABLE sealed_months (
    sn     TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    month  BIGINT NOT NULL,
    site   TEXT   NOT NULL,
    sealed BIGINT NOT NULL,
    dirty  BIGINT NOT NULL,
    totals BLOB   NOT NULL,
    PRIMARY KEY (sn, month)
) WITHOUT ROWID;
CREATE INDEX sealed_months_dirty ON sealed_months (sn, month) WHERE dirty <> 0;

-- Which messages lie in sealed days, so that their repeats are still recognised.
CREATE TABLE sealed_messages (
    sn        TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    boot      BIGINT NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq  BIGINT NOT NULL,
    PRIMARY KEY (sn, boot, first_seq)
) WITHOUT ROWID;

-- What the sealing of a system has to know. `version` counts what changed in days that are over: who seals must have seen
-- the latest. `site` is as above, full resolution begins at `kept_from`, and what was measured before `erased_to` is gone.
CREATE TABLE sealing (
    sn        TEXT   NOT NULL PRIMARY KEY REFERENCES systems (sn) ON DELETE CASCADE,
    version   BIGINT NOT NULL DEFAULT 0,
    site      TEXT   NOT NULL DEFAULT '',
    kept_from BIGINT NOT NULL DEFAULT 0,
    erased_to BIGINT NOT NULL DEFAULT 0
) WITHOUT ROWID;
-- [PostgreSQL]

-- They are compressed already.
ALTER TABLE sealed_days ALTER COLUMN quarters SET STORAGE EXTERNAL, ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE sealed_months ALTER COLUMN totals SET STORAGE EXTERNAL;
-- Samples are not partitioned by month: a unique (sn, boot, seq) would then hold within a month only, and sealing keeps
-- the table to the last days anyway.
