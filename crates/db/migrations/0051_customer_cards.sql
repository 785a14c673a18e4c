-- The owner's postal address, for electricians whom the owner lets read it.
ALTER TABLE accounts ADD COLUMN address TEXT;

-- What a company writes down about a customer, for its own people.
CREATE TABLE customer_notes (
    company_id BIGINT NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    sn         TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    text       TEXT   NOT NULL,
    changed_at BIGINT NOT NULL,
    changed_by BIGINT REFERENCES accounts (id) ON DELETE SET NULL,
    CONSTRAINT customer_notes_key UNIQUE (company_id, sn)
);
CREATE INDEX customer_notes_sn ON customer_notes (sn);
CREATE INDEX customer_notes_changed_by ON customer_notes (changed_by) WHERE changed_by IS NOT NULL;

-- Photos of a customer's installation, as JPEG without metadata.
CREATE TABLE customer_photos (
    id         INTEGER PRIMARY KEY,
    company_id BIGINT NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    sn         TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    added_at   BIGINT NOT NULL,
    jpeg       BLOB   NOT NULL
);
CREATE INDEX customer_photos_company ON customer_photos (company_id, sn, id);
CREATE INDEX customer_photos_sn ON customer_photos (sn);
