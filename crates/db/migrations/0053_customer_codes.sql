-- The code by which a customer becomes the owner at the end of a commissioning. One for each protocol.
CREATE TABLE customer_codes (
    commissioning_id BIGINT NOT NULL PRIMARY KEY REFERENCES commissionings (id) ON DELETE CASCADE,
    company_id       BIGINT NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    hash             BLOB   NOT NULL UNIQUE,
    created_at       BIGINT NOT NULL,
    until            BIGINT NOT NULL
);
CREATE INDEX customer_codes_company ON customer_codes (company_id);

-- Owners may come by such a code.
-- [SQLite]
ALTER TABLE systems ADD COLUMN linked_how TEXT CHECK (linked_how IN ('code', 'switch', 'handover', 'customer_code'));
UPDATE systems SET linked_how = linked_by WHERE linked_by IS NOT NULL;
ALTER TABLE systems DROP COLUMN linked_by;
ALTER TABLE systems RENAME COLUMN linked_how TO linked_by;
-- [PostgreSQL]
ALTER TABLE systems DROP CONSTRAINT systems_linked_by_check;
ALTER TABLE systems ADD CONSTRAINT systems_linked_by_check
    CHECK (linked_by IN ('code', 'switch', 'handover', 'customer_code'));
-- [both]
