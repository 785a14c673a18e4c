-- What the forecasts of a home are computed with.
CREATE TABLE forecast_models (
    sn           TEXT    NOT NULL PRIMARY KEY REFERENCES systems (sn) ON DELETE CASCADE,
    trained_at   BIGINT  NOT NULL,
    -- The start of the household that they belong to.
    history_from BIGINT  NOT NULL,
    -- The yield of a usual day, in Wh.
    usual_pv     BIGINT  NOT NULL,
    -- Quarter-hours of measurements that they are trained with.
    measured     BIGINT  NOT NULL,
    knows_site   BOOLEAN NOT NULL,
    body         BLOB    NOT NULL
);
