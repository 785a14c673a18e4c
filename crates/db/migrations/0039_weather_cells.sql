-- The weather of cells of a tenth of a degree, as Open-Meteo said it at a time: JSON lists of W/m² on horizontal ground by
-- quarter-hours. weather_forecasts has the yield of single roofs, from the time before and from forecast.solar.
CREATE TABLE cell_weather (
    cell      TEXT   NOT NULL, -- latitude and longitude of its middle
    issued_at BIGINT NOT NULL,
    starts_at BIGINT NOT NULL,
    direct    TEXT   NOT NULL,
    diffuse   TEXT   NOT NULL,
    PRIMARY KEY (cell, issued_at)
);
CREATE INDEX cell_weather_issued_at ON cell_weather (issued_at);

-- Which requests are due, and which roofs are in a cell.
CREATE INDEX source_states_next_at ON source_states (source, next_at);
CREATE INDEX systems_coordinates ON systems (latitude, longitude);
