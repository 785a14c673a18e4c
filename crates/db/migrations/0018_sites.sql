-- Where a system stands, and which modules are on its roof. Coordinates are hundredths of a degree, about a kilometre.
ALTER TABLE systems ADD COLUMN place     TEXT;
ALTER TABLE systems ADD COLUMN latitude  BIGINT;
ALTER TABLE systems ADD COLUMN longitude BIGINT;
ALTER TABLE systems ADD COLUMN planes    TEXT NOT NULL DEFAULT ''; -- kWp/tilt/azimuth, separated by commas
-- Whether a person said the time zone; what the battery says of it in its hello does not count then.
ALTER TABLE systems ADD COLUMN zone_said BOOLEAN NOT NULL DEFAULT FALSE;

-- Which words somebody agreed to when they let a partner app in, as accounts have it of the terms.
ALTER TABLE partner_consents ADD COLUMN version TEXT NOT NULL DEFAULT '2026-11';
