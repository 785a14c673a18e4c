-- A hello that names another phase counts once a day: each change seals the history again.
ALTER TABLE presence ADD COLUMN hello_at BIGINT NOT NULL DEFAULT 0; -- when the newest hello came
ALTER TABLE systems ADD COLUMN phase_changed_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE systems ADD COLUMN phase_ignored_at BIGINT NOT NULL DEFAULT 0;
