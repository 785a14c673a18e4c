-- From which day on samples are kept in full resolution, for all systems: the first of a month, 0 before the first time. Of earlier
-- days only totals are left. `deleted_to` follows when everything before that day is deleted.
CREATE TABLE sample_retention (
    first_kept_day BIGINT NOT NULL,
    deleted_to     BIGINT NOT NULL
);
INSERT INTO sample_retention (first_kept_day, deleted_to) VALUES (0, 0);

-- What was measured before `erased_to` is gone, as in `sealing`. It stands here, too, so that an index finds the few systems whose
-- former household has to be erased. Processes of the release before write only the other one; then it is erased once more.
ALTER TABLE systems ADD COLUMN erased_to BIGINT NOT NULL DEFAULT 0;
UPDATE systems SET erased_to = history_from WHERE history_from > 0
    AND EXISTS (SELECT 1 FROM sealing k WHERE k.sn = systems.sn AND k.erased_to >= systems.history_from);
CREATE INDEX systems_to_erase ON systems (sn) WHERE history_from > erased_to;
-- [SQLite]
-- To delete old days without reading all. PostgreSQL drops whole months.
CREATE INDEX sealed_days_old ON sealed_days (day);
-- [PostgreSQL]

-- The next steps make a partition per month of `sealed_days`. The present rows stay where they are: the table becomes the partition
-- of everything up to this month. That is checked beforehand, here for new rows and in the next step for the present ones, so that
-- nobody waits while all of it is read.
DO $$
DECLARE
    last_month BIGINT := to_char(now() AT TIME ZONE 'UTC', 'YYYYMM');
BEGIN
    -- A wrong clock may have sealed days of the future.
    SELECT GREATEST(last_month, max(month)) INTO last_month FROM sealed_months;
    EXECUTE format('ALTER TABLE sealed_days ADD CONSTRAINT sealed_days_up_to_%s CHECK (day < %s) NOT VALID',
        last_month, last_month * 100 + 100);
END $$;
