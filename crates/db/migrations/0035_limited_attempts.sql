-- Attempts that are limited across processes: logins, codes, second factors, mails.
CREATE TABLE limited_attempts (
    kind    TEXT   NOT NULL, -- which limit
    name    BLOB   NOT NULL, -- a hash of who tries
    times   TEXT   NOT NULL, -- of the attempts, separated by commas, oldest first
    last_at BIGINT NOT NULL,
    PRIMARY KEY (kind, name)
);
CREATE INDEX limited_attempts_last_at ON limited_attempts (last_at);
