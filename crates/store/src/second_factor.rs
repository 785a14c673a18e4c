//! What counts as a second factor of an account: TOTP, or a passkey.

/// Whether the account `a` of a query has a second factor.
macro_rules! has_second_factor {
    () => {
        "(EXISTS (SELECT 1 FROM totp t WHERE t.account_id = a.id AND t.since IS NOT NULL)
             OR EXISTS (SELECT 1 FROM passkeys k WHERE k.account_id = a.id))"
    };
}
pub(crate) use has_second_factor;
