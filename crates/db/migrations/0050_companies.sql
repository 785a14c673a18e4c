-- An electrician's company. Grants and requests of electricians are the company's; what its people may do follows from their role.
CREATE TABLE companies (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    founder_id BIGINT  -- until the end of this step
);
-- The person's own name, which others read beside the company's.
ALTER TABLE accounts ADD COLUMN name TEXT;
ALTER TABLE accounts ADD COLUMN company_id BIGINT REFERENCES companies (id);
ALTER TABLE accounts ADD COLUMN company_role TEXT;
CREATE INDEX accounts_company ON accounts (company_id) WHERE company_id IS NOT NULL;

-- Each electrician is a company of one.
INSERT INTO companies (name, created_at, founder_id)
    SELECT COALESCE(company, '–'), created_at, id FROM accounts WHERE role = 'electrician';
UPDATE accounts SET company_role = 'owner', company_id = (SELECT c.id FROM companies c WHERE c.founder_id = accounts.id)
    WHERE role = 'electrician';
ALTER TABLE companies DROP COLUMN founder_id;
ALTER TABLE accounts DROP COLUMN company;

-- A grant is held by an account (of a household) or by a company.
ALTER TABLE grants ADD COLUMN company_id BIGINT REFERENCES companies (id) ON DELETE CASCADE;
DROP INDEX grants_asked;
UPDATE grants SET company_id = (SELECT a.company_id FROM accounts a WHERE a.id = grants.account_id), account_id = NULL
    WHERE scope IN ('monitor', 'configure', 'service')
        AND account_id IN (SELECT id FROM accounts WHERE company_id IS NOT NULL);
CREATE INDEX grants_company ON grants (company_id) WHERE company_id IS NOT NULL;
CREATE UNIQUE INDEX grants_company_held ON grants (sn, company_id) WHERE state IN ('active', 'unconfirmed', 'ended');
CREATE UNIQUE INDEX grants_company_asked ON grants (sn, company_id) WHERE state IN ('asked', 'refused');

-- The grants of each account: its own, and its company's.
CREATE VIEW held_grants AS
    SELECT g.id, g.sn, g.account_id, g.scope, g.state, g.origin, g.created_at, g.since, g.until
    FROM grants g WHERE g.account_id IS NOT NULL
    UNION ALL
    SELECT g.id, g.sn, a.id AS account_id, g.scope, g.state, g.origin, g.created_at, g.since, g.until
    FROM grants g JOIN accounts a ON a.company_id = g.company_id;

-- For whom somebody did it then. It stays when they leave.
ALTER TABLE journal ADD COLUMN company_id BIGINT REFERENCES companies (id) ON DELETE SET NULL;
UPDATE journal SET company_id = (SELECT a.company_id FROM accounts a WHERE a.id = journal.account_id)
    WHERE account_id IN (SELECT id FROM accounts WHERE company_id IS NOT NULL);
CREATE INDEX journal_company ON journal (company_id, at) WHERE company_id IS NOT NULL;

-- Who may join a company: whoever has the mailed link, with an account that begins with it.
CREATE TABLE company_invitations (
    id         INTEGER PRIMARY KEY,
    company_id BIGINT  NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    invited_by BIGINT  NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    email      TEXT    NOT NULL,
    role       TEXT    NOT NULL,
    token_hash BLOB    NOT NULL UNIQUE,
    created_at BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL,
    CONSTRAINT company_invitations_email_key UNIQUE (company_id, email)
);
CREATE INDEX company_invitations_invited_by ON company_invitations (invited_by);

-- Programs from before would give grants to accounts, and register electricians without a company.
INSERT INTO schema_compatibility (oldest_program) VALUES (50);
