-- Systems that are brought into service, one row for all units of a site. Finished, it is a protocol: nothing in it changes
-- any more, but what names people goes when they do.
CREATE TABLE commissionings (
    id          INTEGER PRIMARY KEY,
    sn          TEXT    NOT NULL REFERENCES systems (sn) ON DELETE CASCADE, -- the first unit
    started_at  BIGINT  NOT NULL,
    finished_at BIGINT, -- NULL: in progress
    number      BIGINT, -- counts the protocols of the first unit
    account_id  BIGINT  REFERENCES accounts (id) ON DELETE SET NULL, -- who finished it
    company     TEXT,   -- theirs, as it was called then
    customer    TEXT,   -- name, place and remarks as JSON; NULL: nobody was named, or the household has left
    CONSTRAINT commissionings_number_key UNIQUE (sn, number)
);

CREATE TABLE commissioning_units (
    commissioning_id BIGINT NOT NULL REFERENCES commissionings (id) ON DELETE CASCADE,
    sn               TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    finished_at      BIGINT,
    PRIMARY KEY (commissioning_id, sn)
);
-- A unit is brought into service once at a time.
CREATE UNIQUE INDEX commissioning_units_open ON commissioning_units (sn) WHERE finished_at IS NULL;
CREATE INDEX commissioning_units_sn ON commissioning_units (sn);

-- What was found at each step, by whom and when. No names of the household in here.
CREATE TABLE commissioning_steps (
    commissioning_id BIGINT NOT NULL REFERENCES commissionings (id) ON DELETE CASCADE,
    step             TEXT   NOT NULL,
    at               BIGINT NOT NULL,
    account_id       BIGINT REFERENCES accounts (id) ON DELETE SET NULL,
    company          TEXT,
    stated           TEXT   NOT NULL, -- JSON
    found            TEXT   NOT NULL, -- JSON
    measured         TEXT   NOT NULL, -- JSON
    PRIMARY KEY (commissioning_id, step)
);
CREATE INDEX commissioning_steps_account ON commissioning_steps (account_id);
