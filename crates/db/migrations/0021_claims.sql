-- How the owner came to a system: 'code', 'switch' or 'handover'; NULL while nobody owns it. Whoever owns one already counts
-- as having had the code.
ALTER TABLE systems ADD COLUMN linked_by TEXT CHECK (linked_by IN ('code', 'switch', 'handover'));
UPDATE systems SET linked_by = 'code' WHERE owner_id IS NOT NULL;

-- A claim looks the same whether there is such a unit or not, so that nobody learns which serial numbers exist: without a
-- reference to systems.
-- [SQLite]
CREATE TABLE claims_new (
    account_id BIGINT  NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    sn         TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL,
    PRIMARY KEY (account_id, sn)
);
INSERT INTO claims_new SELECT account_id, sn, state, created_at, expires_at FROM claims;
DROP TABLE claims;
ALTER TABLE claims_new RENAME TO claims;
CREATE INDEX claims_sn ON claims (sn);
-- [PostgreSQL]
ALTER TABLE claims DROP CONSTRAINT claims_sn_fkey;
-- [both]

-- A refresh token counts until its successor was used, however long that takes.
ALTER TABLE sessions DROP COLUMN rotated_at;
