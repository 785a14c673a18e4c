-- [PostgreSQL]
-- One partition of `sealed_days` per month, which is dropped as a whole. Nothing is copied: the present table, if it has rows, becomes
-- the partition of everything up to the month in its name. The following months are there before anybody writes into them.
DO $$
DECLARE
    name TEXT;
    last_month BIGINT;
    old TEXT;
    next_month DATE;
    month BIGINT;
BEGIN
    SELECT conname INTO name FROM pg_constraint
        WHERE conrelid = 'sealed_days'::regclass AND conname LIKE 'sealed\_days\_up\_to\_%';
    last_month := right(name, 6);
    old := 'sealed_days_until_' || last_month;
    LOCK TABLE sealed_days IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('ALTER TABLE sealed_days RENAME TO %I', old);
    EXECUTE format('ALTER INDEX sealed_days_day RENAME TO %I', old || '_day');
    EXECUTE format('CREATE TABLE sealed_days (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY RANGE (day)', old);
    ALTER TABLE sealed_days ADD FOREIGN KEY (sn) REFERENCES systems (sn) ON DELETE CASCADE;
    CREATE UNIQUE INDEX sealed_days_day ON sealed_days (sn, day);
    next_month := to_date(last_month::TEXT, 'YYYYMM') + INTERVAL '1 month';
    EXECUTE format('SELECT 1 FROM %I LIMIT 1', old) INTO month;
    IF month IS NULL THEN
        EXECUTE format('DROP TABLE %I', old);
        next_month := to_date(last_month::TEXT, 'YYYYMM') - INTERVAL '1 month';
    ELSE
        EXECUTE format('ALTER TABLE sealed_days ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)', old, last_month * 100 + 100);
        EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', old, name);
    END IF;
    WHILE next_month <= date_trunc('month', now() AT TIME ZONE 'UTC') + INTERVAL '3 months' LOOP
        month := to_char(next_month, 'YYYYMM');
        EXECUTE format('CREATE TABLE sealed_days_%s PARTITION OF sealed_days FOR VALUES FROM (%s) TO (%s)',
            month, month * 100, month * 100 + 100);
        EXECUTE format('ALTER TABLE sealed_days_%s ALTER COLUMN quarters SET STORAGE EXTERNAL, ALTER COLUMN body SET STORAGE EXTERNAL', month);
        next_month := next_month + INTERVAL '1 month';
    END LOOP;
END $$;
