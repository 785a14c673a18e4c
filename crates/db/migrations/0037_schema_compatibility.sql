-- The oldest version of the program (by its last schema step) that works with this schema, so that processes of the previous
-- release go on while a database is migrated. A step that they cannot work with inserts a row.
CREATE TABLE schema_compatibility (
    oldest_program BIGINT NOT NULL
);
INSERT INTO schema_compatibility (oldest_program) VALUES (37);
