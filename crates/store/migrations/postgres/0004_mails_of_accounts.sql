-- Whose mail it is. A mail can go to another address than the account's (the old one, or one to be confirmed),
-- and has to disappear with the account all the same.
ALTER TABLE mails ADD COLUMN account_id BIGINT REFERENCES accounts (id) ON DELETE CASCADE;
CREATE INDEX mails_account ON mails (account_id);
