-- The operator's brake. While its row is there, nothing is changed at any battery, and nothing is sent to one.
CREATE TABLE fleet_brake (
-- [SQLite]
    id     INTEGER PRIMARY KEY CHECK (id = 1),
-- [PostgreSQL]
    id     BIGINT PRIMARY KEY CHECK (id = 1),
-- [both]
    since  BIGINT  NOT NULL,
    reason TEXT    NOT NULL
);
-- How many devices an account touched lately is counted from the journal.
CREATE INDEX journal_account_at ON journal (account_id, at);
DROP INDEX journal_account;
