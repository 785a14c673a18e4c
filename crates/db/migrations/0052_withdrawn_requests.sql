-- A request that its author has taken back is hidden but stays until it would have expired: otherwise asking again would forget
-- that the owner was told, or has refused.
ALTER TABLE grants ADD COLUMN withdrawn_at BIGINT;
