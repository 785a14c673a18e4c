-- What somebody who asks for access writes to the owner; erased with the answer.
ALTER TABLE grants ADD COLUMN message TEXT;
-- Whether the electrician reads the phone number and the postal address of the owner's account: only with the owner's consent.
ALTER TABLE grants ADD COLUMN shares_contact BOOLEAN NOT NULL DEFAULT FALSE;
