-- Processes that batteries connect to, by a number that each draws at its start. A heartbeat that moves no more says that one
-- has died with its connections.
CREATE TABLE gateways (
    id           BIGINT NOT NULL PRIMARY KEY,
    heartbeats   BIGINT NOT NULL, -- counted, so that nobody's clock matters
    heartbeat_at BIGINT NOT NULL
);

-- The gateway that heard of the battery last: it alone says that the battery is silent. 0 is the one process on SQLite.
ALTER TABLE presence ADD COLUMN gateway BIGINT NOT NULL DEFAULT 0;
CREATE INDEX presence_gateway ON presence (gateway, sn) WHERE online;
