-- By how much the server's clock is ahead of its batteries' clocks, in ms, and when that was found out: one row.
CREATE TABLE server_clock (
    id         BIGINT NOT NULL PRIMARY KEY,
    ahead      BIGINT NOT NULL,
    checked_at BIGINT NOT NULL
);
