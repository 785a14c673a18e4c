-- Who may look at somebody else's system, how far and until when: asked for, offered, given. The serial number refers to
-- nothing, as one can ask for a system that does not exist and must not see a difference.
CREATE TABLE grants (
    id          INTEGER PRIMARY KEY,
    sn          TEXT    NOT NULL,
    account_id  BIGINT  REFERENCES accounts (id) ON DELETE CASCADE, -- NULL: invited, and nobody has accepted
    email       TEXT,   -- of somebody invited, until they accept
    code_hash   BLOB,   -- of the mailed code with which somebody of the household accepts
    scope       TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    origin      TEXT    NOT NULL,
    created_at  BIGINT  NOT NULL,
    since       BIGINT, -- when both sides had agreed
    until       BIGINT, -- the first moment without it; NULL: no end
    told_at     BIGINT, -- when the owner was told that there is something to decide
    reminded_at BIGINT  -- when both sides were told that it ends
);
CREATE INDEX grants_sn ON grants (sn);
CREATE INDEX grants_account ON grants (account_id);
CREATE INDEX grants_email ON grants (email) WHERE email IS NOT NULL;
CREATE INDEX grants_code ON grants (code_hash) WHERE code_hash IS NOT NULL;
-- A person holds one grant of a system at most, has asked for one at most, and is invited to one at most.
CREATE UNIQUE INDEX grants_held ON grants (sn, account_id) WHERE state IN ('active', 'unconfirmed', 'ended');
CREATE UNIQUE INDEX grants_asked ON grants (sn, account_id) WHERE state IN ('asked', 'refused');
CREATE UNIQUE INDEX grants_invited ON grants (sn, email) WHERE state = 'invited';

-- A system whose owner sells the house: whoever enters the mailed code is the next one.
CREATE TABLE handovers (
    id         INTEGER PRIMARY KEY,
    sn         TEXT    NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    account_id BIGINT  NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- the owner who offers it
    email      TEXT    NOT NULL,
    code_hash  BLOB    NOT NULL,
    created_at BIGINT  NOT NULL,
    until      BIGINT  NOT NULL,
    CONSTRAINT handovers_sn_key UNIQUE (sn),
    CONSTRAINT handovers_code_hash_key UNIQUE (code_hash)
);
CREATE INDEX handovers_account ON handovers (account_id);
