-- Options that all processes on this database share.
CREATE TABLE shared_options (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
