//! The device's data about itself and its user (WebAuthn, section 6.1): bytes at fixed positions.
use super::{PasskeyRefusal, PublicKey};

const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const CREATED: u8 = 1 << 6;
const EXTENSIONS: u8 = 1 << 7;

#[derive(Debug)]
pub(super) struct AuthenticatorData<'b> {
    /// SHA-256 of the relying party's id.
    pub(super) relying_party: &'b [u8],
    pub(super) user_present: bool,
    /// By fingerprint, face or PIN.
    pub(super) user_verified: bool,
    pub(super) sign_count: u32,
    pub(super) created: Option<CreatedCredential<'b>>,
}

#[derive(Debug)]
pub(super) struct CreatedCredential<'b> {
    pub(super) credential_id: &'b [u8],
    pub(super) public_key: PublicKey,
}

impl<'b> AuthenticatorData<'b> {
    pub(super) fn parse(bytes: &'b [u8]) -> Result<Self, PasskeyRefusal> {
        let mut rest = Reader(bytes);
        let relying_party = rest.take(32)?;
        let flags = rest.array::<1>()?[0];
        let sign_count = u32::from_be_bytes(rest.array()?);
        let created = match flags & CREATED {
            0 => None,
            _ => Some(CreatedCredential::read(&mut rest)?),
        };
        // No extension is requested. If a device adds one, it is signed, but not read.
        if !rest.0.is_empty() && flags & EXTENSIONS == 0 {
            return Err(PasskeyRefusal::AuthenticatorData);
        }
        Ok(Self {
            relying_party,
            user_present: flags & USER_PRESENT != 0,
            user_verified: flags & USER_VERIFIED != 0,
            sign_count,
            created,
        })
    }
}

impl<'b> CreatedCredential<'b> {
    fn read(rest: &mut Reader<'b>) -> Result<Self, PasskeyRefusal> {
        let _make_of_the_device = rest.take(16)?;
        let length = u16::from_be_bytes(rest.array()?);
        let credential_id = rest.take(usize::from(length))?;
        let (public_key, after) = PublicKey::read(rest.0)?;
        rest.0 = after;
        Ok(Self {
            credential_id,
            public_key,
        })
    }
}

/// The bytes that were not read yet.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], PasskeyRefusal> {
        let split = self.0.split_at_checked(count);
        let (taken, rest) = split.ok_or(PasskeyRefusal::AuthenticatorData)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], PasskeyRefusal> {
        let taken = self.take(N)?;
        taken
            .try_into()
            .map_err(|_| PasskeyRefusal::AuthenticatorData)
    }
}
