-- Prices as a source published them, in thousandths of a cent a kWh. `area` is a bidding zone, where they are the exchange's
-- without adder and tax, or the serial number of a system, where they are what its household pays.
CREATE TABLE prices (
    source     TEXT   NOT NULL,
    area      TEXT   NOT NULL,
    starts_at  BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL,
    price      BIGINT NOT NULL,
    fetched_at BIGINT NOT NULL,
    PRIMARY KEY (source, area, starts_at)
);
CREATE INDEX prices_area ON prices (area, starts_at);

-- How asking a source about an area stands.
CREATE TABLE source_states (
    source        TEXT   NOT NULL,
    area         TEXT   NOT NULL,
    success_at    BIGINT,
    error         TEXT,
    failing_since BIGINT,
    tries         BIGINT NOT NULL,
    next_at       BIGINT NOT NULL,
    PRIMARY KEY (source, area)
);
CREATE INDEX source_states_area ON source_states (area);

-- What the weather would let the panels of a site yield, as a source said it at a time: a JSON list of W by quarter-hours.
CREATE TABLE weather_forecasts (
    sn        TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    issued_at BIGINT NOT NULL,
    source    TEXT   NOT NULL,
    starts_at BIGINT NOT NULL,
    watts     TEXT   NOT NULL,
    PRIMARY KEY (sn, issued_at)
);

-- Prices by the time of day, typed in by hand, in hundredths of a cent. The next owner has prices of their own.
CREATE TABLE time_of_use (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    sn         TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    days       TEXT   NOT NULL,
    minute     BIGINT NOT NULL,
    price      BIGINT NOT NULL,
    PRIMARY KEY (account_id, sn, days, minute)
);
CREATE INDEX time_of_use_sn ON time_of_use (sn);
