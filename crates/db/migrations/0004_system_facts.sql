-- What a system says about itself in its hello, and from when on its present owner may look back.
ALTER TABLE systems ADD COLUMN time_zone     TEXT NOT NULL DEFAULT 'Europe/Berlin';
ALTER TABLE systems ADD COLUMN hardware      TEXT;
ALTER TABLE systems ADD COLUMN capacity      BIGINT; -- usable Wh
ALTER TABLE systems ADD COLUMN charge_max    BIGINT; -- rated W
ALTER TABLE systems ADD COLUMN discharge_max BIGINT; -- rated W
-- Set when an ownership ends: what was measured before belongs to the household that left.
ALTER TABLE systems ADD COLUMN history_from  BIGINT NOT NULL DEFAULT 0;
