-- Whether a battery updates only with its main switch off. One that has not said so is of that kind, as the specification has it.
ALTER TABLE systems ADD COLUMN update_needs_off BOOLEAN NOT NULL DEFAULT TRUE;
