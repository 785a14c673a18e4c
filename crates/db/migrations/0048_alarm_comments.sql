-- What people write about an alarm: who goes there, what was found, why it was dismissed.
CREATE TABLE alarm_comments (
    id         INTEGER PRIMARY KEY,
    alarm_id   BIGINT NOT NULL REFERENCES alarms (id) ON DELETE CASCADE,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    at         BIGINT NOT NULL,
    text       TEXT   NOT NULL
);
CREATE INDEX alarm_comments_alarm ON alarm_comments (alarm_id, id);
CREATE INDEX alarm_comments_account ON alarm_comments (account_id);

-- Dismissed: somebody says that the fault needs no more attention. The alarm is closed when the fault is gone.
ALTER TABLE alarms ADD COLUMN dismissed_at BIGINT;
ALTER TABLE alarms ADD COLUMN dismissed_by BIGINT REFERENCES accounts (id) ON DELETE SET NULL;
CREATE INDEX alarms_dismissed ON alarms (dismissed_by) WHERE dismissed_by IS NOT NULL;
