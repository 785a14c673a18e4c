-- The end user's names that a commissioning in progress has changed at this unit, as JSON {from, to}: set back when it is abandoned.
ALTER TABLE commissioning_units ADD COLUMN names TEXT;

-- Prices are the household's alone. Batches and templates, which only electricians have, keep none any more.
DELETE FROM setting_batch_systems WHERE changes LIKE '%"charge_price"%' OR changes LIKE '%"import_price"%' OR changes LIKE '%"import_adder"%' OR changes LIKE '%"vat"%' OR changes LIKE '%"feed_in_price"%';
-- [SQLite]
UPDATE setting_templates SET fields = json_remove(fields, '$.charge_price', '$.import_price', '$.import_adder', '$.vat', '$.feed_in_price');
-- [PostgreSQL]
UPDATE setting_templates SET fields = (fields::jsonb - 'charge_price' - 'import_price' - 'import_adder' - 'vat' - 'feed_in_price')::text;
