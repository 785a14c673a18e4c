-- Faults that somebody is told of: one row per fault, however long it lasts.
CREATE TABLE alarms (
    id              INTEGER PRIMARY KEY,
    sn              TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    kind            TEXT   NOT NULL,
    counter         TEXT,   -- which one stands still
    since           BIGINT NOT NULL, -- when it began to be wrong
    opened_at       BIGINT NOT NULL,
    acknowledged_at BIGINT,
    acknowledged_by BIGINT REFERENCES accounts (id) ON DELETE SET NULL,
    closed_at       BIGINT
);
-- Two processes that see the same fault open one alarm.
CREATE UNIQUE INDEX alarms_open ON alarms (sn, kind) WHERE closed_at IS NULL;
CREATE INDEX alarms_sn ON alarms (sn, opened_at);
CREATE INDEX alarms_closed ON alarms (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX alarms_acknowledged ON alarms (acknowledged_by) WHERE acknowledged_by IS NOT NULL;

-- Who still has to hear how an alarm stands. Gathered into one mail, whose time their choice says.
CREATE TABLE alarm_news (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    alarm_id   BIGINT NOT NULL REFERENCES alarms (id) ON DELETE CASCADE,
    at         BIGINT NOT NULL,
    PRIMARY KEY (account_id, alarm_id)
);
CREATE INDEX alarm_news_alarm ON alarm_news (alarm_id);
ALTER TABLE accounts ADD COLUMN alarm_mail    TEXT NOT NULL DEFAULT 'at_once';
ALTER TABLE accounts ADD COLUMN alarm_told_at BIGINT; -- the last mail about alarms

-- Since when a battery has been at its floor: that takes a day to become an alarm, which a restart must not begin anew.
CREATE TABLE alarm_signs (
    sn    TEXT   NOT NULL PRIMARY KEY REFERENCES systems (sn) ON DELETE CASCADE,
    since BIGINT NOT NULL
);

-- Since when batteries can reach us without a break, and when that was last known: one row.
CREATE TABLE link_pulse (
    id    BIGINT NOT NULL PRIMARY KEY,
    since BIGINT NOT NULL,
    at    BIGINT NOT NULL
);
