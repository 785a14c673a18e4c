-- Certificates that the portal gets by ACME. All processes share them: one asks, the others use what it got.
CREATE TABLE acme_secrets (
    kind    TEXT NOT NULL PRIMARY KEY CHECK (kind IN ('account', 'certificate')),
    -- The directory of an account, the names of a certificate.
    subject TEXT NOT NULL,
    body    BLOB NOT NULL
);

CREATE TABLE acme_schedule (
    id              BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    renew_at        BIGINT NOT NULL,
    failures        BIGINT NOT NULL,
    next_attempt_at BIGINT NOT NULL
);
INSERT INTO acme_schedule (id, renew_at, failures, next_attempt_at) VALUES (1, 0, 0, 0);

-- What the authority asks for during an order.
CREATE TABLE acme_challenges (
    domain            TEXT NOT NULL PRIMARY KEY,
    token             TEXT NOT NULL,
    key_authorization TEXT NOT NULL
);
