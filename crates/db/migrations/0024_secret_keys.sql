-- The keys that tokens, codes and secrets are hashed and sealed with, each wrapped with the operator's secret.
-- Moments are BIGINT milliseconds since 1970 in UTC.
CREATE TABLE secret_keys (
    version        BIGINT NOT NULL PRIMARY KEY,
    wrapped        BLOB   NOT NULL,
    created_at     BIGINT NOT NULL,
    active_from    BIGINT NOT NULL, -- every process has read it before it is used
    accepted_until BIGINT,          -- tokens signed with it end here; NULL: it has no successor
    resealed_at    BIGINT           -- since then everything sealed is sealed with it or a newer one
);
