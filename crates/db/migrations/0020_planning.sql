-- How planning stands at a system: one row from its first forecast on.
CREATE TABLE planning (
    sn                   TEXT   NOT NULL PRIMARY KEY REFERENCES systems (sn) ON DELETE CASCADE,
    forecast_at          BIGINT,          -- the newest issue
    since                BIGINT,          -- the plan is on since then, as far as somebody plans
    planned_at           BIGINT,          -- the plan was last reckoned
    adopted_at           BIGINT,          -- what it does next last changed
    plan                 TEXT,            -- JSON
    running              TEXT,            -- JSON: the block that is being carried out
    wish_soc             BIGINT,          -- % …
    wish_by              BIGINT,          -- … at this moment
    weather_since        BIGINT,          -- the bad-weather notice is up
    weather_disagreed    BIGINT NOT NULL DEFAULT 0,
    weather_hits         BIGINT NOT NULL DEFAULT 0,
    weather_false_alarms BIGINT NOT NULL DEFAULT 0
);

-- Forecasts as they were issued, so that they can be held against what came.
CREATE TABLE forecasts (
    sn        TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    issued_at BIGINT NOT NULL,
    body      BLOB   NOT NULL, -- P10, P50 and P90 of load and sun by quarter-hours, packed
    PRIMARY KEY (sn, issued_at)
);
CREATE INDEX forecasts_issued ON forecasts (issued_at);

-- What a planned day came to, in cents: as it was, without the plan, without the battery.
CREATE TABLE plan_days (
    sn              TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    day             BIGINT NOT NULL,
    actual          BIGINT NOT NULL,
    without_plan    BIGINT NOT NULL,
    without_battery BIGINT NOT NULL,
    counted         BOOLEAN NOT NULL, -- enough of it was measured and priced
    stored          BIGINT NOT NULL, -- Wh that would be in the battery after it, had nobody planned
    PRIMARY KEY (sn, day)
);
