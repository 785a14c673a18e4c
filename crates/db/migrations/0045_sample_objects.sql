-- Bodies of sealed days that are in the sample store (`--sample-store`): one object holds a month of a system. Its row is written before
-- the upload, with the time when it would be deleted, and stays only if it is in use by then. `delete_at` is NULL while it is in use,
-- and 0 while it is being deleted.
CREATE TABLE sample_objects (
    id        INTEGER PRIMARY KEY,
    sn        TEXT   NOT NULL,
    month     BIGINT NOT NULL,
    name      TEXT   NOT NULL UNIQUE,
    delete_at BIGINT
);
CREATE INDEX sample_objects_month ON sample_objects (sn, month);
CREATE INDEX sample_objects_to_delete ON sample_objects (delete_at) WHERE delete_at IS NOT NULL;

-- Then `body` is empty.
ALTER TABLE sealed_days ADD COLUMN object_id    BIGINT;
ALTER TABLE sealed_days ADD COLUMN object_at    BIGINT; -- the first byte
ALTER TABLE sealed_days ADD COLUMN object_bytes BIGINT;

-- Whether all bodies of the month are in one object, as they are now.
ALTER TABLE sealed_months ADD COLUMN in_store BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX sealed_months_to_store ON sealed_months (month, sn) WHERE NOT in_store;
