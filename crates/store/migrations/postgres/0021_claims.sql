-- How the owner came to a system: 'code', 'switch' or 'handover'; NULL while nobody owns it. Whoever owns one already counts
-- as having had the code.
ALTER TABLE systems ADD COLUMN linked_by TEXT CHECK (linked_by IN ('code', 'switch', 'handover'));
UPDATE systems SET linked_by = 'code' WHERE owner_id IS NOT NULL;

-- A claim looks the same whether there is such a unit or not, so that nobody learns which serial numbers exist: without a
-- reference to systems.
ALTER TABLE claims DROP CONSTRAINT claims_sn_fkey;

-- A refresh token counts until its successor was used, however long that takes.
ALTER TABLE sessions DROP COLUMN rotated_at;
