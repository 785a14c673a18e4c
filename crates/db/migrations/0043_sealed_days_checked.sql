-- [PostgreSQL]
-- Reads every row, but not what is stored beside them (TOAST), while others read and write.
DO $$
DECLARE
    name TEXT;
BEGIN
    SELECT conname INTO name FROM pg_constraint
        WHERE conrelid = 'sealed_days'::regclass AND conname LIKE 'sealed\_days\_up\_to\_%';
    EXECUTE format('ALTER TABLE sealed_days VALIDATE CONSTRAINT %I', name);
END $$;
