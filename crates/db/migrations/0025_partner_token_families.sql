-- A refresh token or a code that is presented again ends everything that came of the same code.
ALTER TABLE partner_codes ADD COLUMN used_at BIGINT;
ALTER TABLE partner_tokens ADD COLUMN used_at BIGINT;
ALTER TABLE partner_tokens ADD COLUMN family BLOB; -- the hash of the code that it came of; NULL: from before there were families
