-- Which unit stands at a system's place: 0 until one was exchanged. Boots of samples and events have it above their 32 bits.
ALTER TABLE systems ADD COLUMN unit       BIGINT NOT NULL DEFAULT 0;
-- When another unit took its place: nobody gets it by a key again before the operator has issued a new code for it.
ALTER TABLE systems ADD COLUMN retired_at BIGINT;

-- Units that were exchanged, the old and the new ones: what a unit measured from one moment on until another belongs to
-- the site, whichever serial number that has by now. A system whose unit was never exchanged has no row.
CREATE TABLE units (
-- [SQLite]
    id       INTEGER PRIMARY KEY,
-- [PostgreSQL]
    id       BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
-- [both]
    sn       TEXT    NOT NULL REFERENCES systems (sn) ON DELETE CASCADE, -- the one that the unit logs in with
    site     TEXT    NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    number   BIGINT  NOT NULL, -- counts the units of the site
    from_at  BIGINT  NOT NULL,
    until_at BIGINT  -- NULL: it stands there now
);
CREATE INDEX units_sn ON units (sn);
CREATE UNIQUE INDEX units_number ON units (site, number);

-- A protocol goes on to name the unit that was checked, when another one stands in its place.
ALTER TABLE commissioning_units ADD COLUMN named TEXT;
