-- What acts on a battery otherwise than its settings: begun by a command that it carried out, or by its own word.
CREATE TABLE effects (
    sn         TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    kind       TEXT   NOT NULL, -- pause, charge, calibration or reserve
    at         BIGINT NOT NULL, -- when it began, or ended
    args       TEXT,            -- a JSON object while it is in force; NULL when it is over
    account_id BIGINT REFERENCES accounts (id) ON DELETE SET NULL,
    PRIMARY KEY (sn, kind)
);
