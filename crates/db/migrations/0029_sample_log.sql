-- What batteries measured in the last minutes, as it arrived: one row per commit, so that a commit writes little more than what
-- it contains. Every process appends to a log of its own. The id is the writer's number, shifted left by 40 bits, plus the
-- position in its log, in order of commit. `newest` is the time of the newest sample; the body has a checksum.
-- [SQLite]
CREATE TABLE sample_log (
    id     INTEGER PRIMARY KEY,
    newest BIGINT NOT NULL,
    body   BLOB   NOT NULL
);
-- [PostgreSQL]
CREATE TABLE sample_log (
    id     BIGINT PRIMARY KEY,
    newest BIGINT NOT NULL,
    body   BYTEA  NOT NULL
);
-- Compression by the database gains nothing worth its time.
ALTER TABLE sample_log ALTER COLUMN body SET STORAGE EXTERNAL;
-- [both]

-- The processes that append. Everything up to the position `folded` is in chunks, and its rows are deleted.
CREATE TABLE sample_log_writers (
    writer  INTEGER PRIMARY KEY,
    folded  BIGINT NOT NULL DEFAULT 0,
    seen_at BIGINT NOT NULL
);

-- Samples of a system, up to a position of a log, that were put into chunks before their turn, because its history was about to
-- be moved or erased. In the log they no longer count. The id never repeats: readers remember the last one they have seen.
-- [SQLite]
CREATE TABLE sample_log_settled (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    sn     TEXT   NOT NULL,
    writer BIGINT NOT NULL,
    upto   BIGINT NOT NULL
);
-- [PostgreSQL]
CREATE TABLE sample_log_settled (
    id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sn     TEXT   NOT NULL,
    writer BIGINT NOT NULL,
    upto   BIGINT NOT NULL
);
-- [both]

-- Samples of a system that came out of the log together, as compressed columns, until their day is sealed. The key is the time
-- and the message of the first sample; `ends_at` is the time of the last one.
CREATE TABLE sample_chunks (
    sn        TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    starts_at BIGINT NOT NULL,
    boot      BIGINT NOT NULL,
    seq       BIGINT NOT NULL,
    ends_at   BIGINT NOT NULL,
    samples   BIGINT NOT NULL,
    body      BLOB   NOT NULL
);
CREATE UNIQUE INDEX sample_chunks_start ON sample_chunks (sn, starts_at, boot, seq);
-- [PostgreSQL]
ALTER TABLE sample_chunks ALTER COLUMN body SET STORAGE EXTERNAL;
-- [both]

-- Which messages are in chunks or sealed days, or were deleted from there, so that a repeat counts once.
ALTER TABLE sealed_messages RENAME TO message_ranges;

-- Whether anything was measured: from then on the time zone is fixed.
ALTER TABLE systems ADD COLUMN measured BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE systems SET measured = TRUE WHERE EXISTS (SELECT 1 FROM samples WHERE samples.sn = systems.sn)
    OR EXISTS (SELECT 1 FROM sealed_months WHERE sealed_months.sn = systems.sn);
-- The rows of `samples` become chunks at the first start after this step; the empty table goes with a later release.
