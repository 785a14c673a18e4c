-- When a mailed link or code showed that the mailbox belongs to the account; NULL: the address was only typed.
ALTER TABLE accounts ADD COLUMN email_confirmed_at BIGINT;
-- Electricians register only by a mailed link.
UPDATE accounts SET email_confirmed_at = created_at WHERE role = 'electrician';
