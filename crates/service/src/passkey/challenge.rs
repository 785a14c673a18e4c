//! Challenges for passkeys. A challenge carries its time and a MAC, so issuing it writes nothing and any process can verify it;
//! otherwise guests could fill a table. Only answered challenges are recorded, so that each works only once.
use crate::Service;
use domain::AccountId;
use domain::clock::Millis;
use domain::passkey::CHALLENGE_TTL;
use store::Purpose;
use store::session::SessionId;

const NONCE_LENGTH: usize = 16;
const TIME_LENGTH: usize = 8;

/// The purpose of a challenge.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChallengeUse<'a> {
    /// To use a passkey of any account.
    Show,
    /// To add a passkey to this account, in the session that has proven the person's identity.
    Make(AccountId, &'a SessionId),
}

impl ChallengeUse<'_> {
    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Show => vec![0],
            Self::Make(account, session) => {
                [&[1], account.0.to_be_bytes().as_slice(), session].concat()
            }
        }
    }
}

/// A valid challenge that may still be answered.
pub(super) struct OpenChallenge {
    pub(super) nonce: [u8; NONCE_LENGTH],
    pub(super) expires_at: Millis,
}

impl Service {
    pub(super) fn issue_challenge(&self, purpose: ChallengeUse<'_>) -> Vec<u8> {
        let nonce = self.random.bytes::<NONCE_LENGTH>();
        let head = [nonce.as_slice(), &self.now().to_be_bytes()].concat();
        let tag = self.store.keyring().hash(
            Purpose::PasskeyChallenge,
            &[head.as_slice(), &purpose.bytes()].concat(),
        );
        [head, tag].concat()
    }

    /// `None` if the challenge is not valid, was issued for another purpose, or is too old.
    pub(super) fn open_challenge(
        &self,
        challenge: &[u8],
        purpose: ChallengeUse<'_>,
    ) -> Option<OpenChallenge> {
        let (head, tag) = challenge.split_at_checked(NONCE_LENGTH + TIME_LENGTH)?;
        let (nonce, issued_at) = head.split_first_chunk::<NONCE_LENGTH>()?;
        let message = [head, &purpose.bytes()].concat();
        let keyring = self.store.keyring();
        if !keyring.verify(Purpose::PasskeyChallenge, &message, tag) {
            return None;
        }
        let expires_at = Millis::from_be_bytes(issued_at.try_into().ok()?) + CHALLENGE_TTL;
        (self.now() <= expires_at).then_some(OpenChallenge {
            nonce: *nonce,
            expires_at,
        })
    }
}
