//! Encryption of backups in the format of age (<https://age-encryption.org/v1>), for recipients with an X25519 key. Whoever makes
//! backups has only public keys; `age --decrypt` on another machine has the private one.
use crate::Result;
use crate::bech32::bech32;
use crate::error::FileError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{EphemeralPrivateKey, UnparsedPublicKey, X25519, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::io::{self, BufRead, Read, Write};
use std::path::Path;

/// How an encrypted file begins.
pub(crate) const MAGIC: &[u8] = b"age-encryption.org/v1\n";
const CHUNK: usize = 64 * 1024;
const TAG: usize = 16;

/// A public key of X25519, written as `age1…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient([u8; 32]);

/// With which the chunks of one file are encrypted.
pub(crate) type FileKey = [u8; 16];

impl Recipient {
    /// The recipients in a file, one in each line; empty lines and those that begin with # do not count.
    pub fn read_file(file: &Path) -> Result<Vec<Self>> {
        let text = std::fs::read_to_string(file).map_err(FileError::io(file))?;
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let wrong = || FileError::NoRecipient(file.to_owned());
        let found: Vec<Self> = lines
            .map(|line| Self::parse(line).ok_or_else(wrong))
            .collect::<Result<_, _>>()?;
        match found.is_empty() {
            true => Err(wrong().into()),
            false => Ok(found),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let bytes = bech32("age", text)?;
        Some(Self(bytes.try_into().ok()?))
    }
}

/// Encrypts what is written to it. Without [`AgeWriter::finish`] the file is incomplete, and whoever reads it notices.
pub(crate) struct AgeWriter<W: Write> {
    inner: W,
    cipher: Chunks,
    chunk: Vec<u8>,
}

impl<W: Write> AgeWriter<W> {
    pub(crate) fn new(mut inner: W, recipients: &[Recipient]) -> io::Result<(Self, FileKey)> {
        let random = SystemRandom::new();
        let (mut key, mut nonce) = ([0; 16], [0; 16]);
        for bytes in [&mut key, &mut nonce] {
            random.fill(bytes).map_err(refused)?;
        }
        let mut header = MAGIC.to_vec();
        for recipient in recipients {
            header.extend_from_slice(wrapped(&key, recipient, &random)?.as_bytes());
        }
        header.extend_from_slice(b"---");
        let tag = hmac::sign(&header_key(&key)?, &header);
        inner.write_all(&header)?;
        writeln!(inner, " {}", STANDARD_NO_PAD.encode(tag))?;
        inner.write_all(&nonce)?;
        let writer = Self {
            inner,
            cipher: Chunks::new(&key, &nonce)?,
            chunk: Vec::with_capacity(CHUNK + TAG),
        };
        Ok((writer, key))
    }

    fn seal(&mut self, is_last: bool) -> io::Result<()> {
        let Chunks { key, .. } = &self.cipher;
        let nonce = self.cipher.nonce(is_last);
        let sealed = key.seal_in_place_append_tag(nonce, Aad::empty(), &mut self.chunk);
        sealed.map_err(refused)?;
        self.inner.write_all(&self.chunk)?;
        self.cipher.counter += 1;
        self.chunk.clear();
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.seal(true)?;
        Ok(self.inner)
    }
}

impl<W: Write> Write for AgeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full chunk waits: it may be the last one.
        if self.chunk.len() == CHUNK {
            self.seal(false)?;
        }
        let taken = bytes.len().min(CHUNK - self.chunk.len());
        self.chunk.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Decrypts a file whose key is known, to check what was just written.
pub(crate) struct AgeReader<R: BufRead> {
    inner: R,
    cipher: Chunks,
    chunk: Vec<u8>,
    read: usize,
    is_at_end: bool,
}

impl<R: BufRead> AgeReader<R> {
    pub(crate) fn new(mut inner: R, key: &FileKey) -> io::Result<Self> {
        let mut header = Vec::new();
        let tag = loop {
            let mut line = Vec::new();
            if inner.read_until(b'\n', &mut line)? == 0 {
                return Err(damaged());
            }
            if let Some(tag) = line.strip_prefix(b"--- ") {
                header.extend_from_slice(b"---");
                break STANDARD_NO_PAD.decode(tag.trim_ascii_end());
            }
            header.extend_from_slice(&line);
        };
        let tag = tag.map_err(|_| damaged())?;
        hmac::verify(&header_key(key)?, &header, &tag).map_err(|_| damaged())?;
        let mut nonce = [0; 16];
        inner.read_exact(&mut nonce)?;
        Ok(Self {
            inner,
            cipher: Chunks::new(key, &nonce)?,
            chunk: Vec::new(),
            read: 0,
            is_at_end: false,
        })
    }

    fn next_chunk(&mut self) -> io::Result<()> {
        self.chunk.clear();
        self.read = 0;
        let sealed = (CHUNK + TAG) as u64;
        (&mut self.inner)
            .take(sealed)
            .read_to_end(&mut self.chunk)?;
        self.is_at_end = self.inner.fill_buf()?.is_empty();
        let nonce = self.cipher.nonce(self.is_at_end);
        let opened = self
            .cipher
            .key
            .open_in_place(nonce, Aad::empty(), &mut self.chunk);
        let length = opened.map_err(|_| damaged())?.len();
        self.chunk.truncate(length);
        self.cipher.counter += 1;
        Ok(())
    }
}

impl<R: BufRead> Read for AgeReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.read == self.chunk.len() && !self.is_at_end {
            self.next_chunk()?;
        }
        let rest = &self.chunk[self.read..];
        let taken = rest.len().min(out.len());
        out[..taken].copy_from_slice(&rest[..taken]);
        self.read += taken;
        Ok(taken)
    }
}

/// The key of all chunks, and which one comes next.
struct Chunks {
    key: LessSafeKey,
    counter: u64,
}

impl Chunks {
    fn new(key: &FileKey, nonce: &[u8]) -> io::Result<Self> {
        let key = derived(nonce, key, b"payload")?;
        let key = UnboundKey::new(&CHACHA20_POLY1305, &key).map_err(refused)?;
        Ok(Self {
            key: LessSafeKey::new(key),
            counter: 0,
        })
    }

    fn nonce(&self, is_last: bool) -> Nonce {
        let mut nonce = [0; NONCE_LEN];
        nonce[3..11].copy_from_slice(&self.counter.to_be_bytes());
        nonce[11] = is_last.into();
        Nonce::assume_unique_for_key(nonce)
    }
}

/// The file's key for one recipient, as lines of the header.
fn wrapped(key: &FileKey, recipient: &Recipient, random: &SystemRandom) -> io::Result<String> {
    let own = EphemeralPrivateKey::generate(&X25519, random).map_err(refused)?;
    let public = own.compute_public_key().map_err(refused)?;
    let other = UnparsedPublicKey::new(&X25519, recipient.0);
    let salt = [public.as_ref(), &recipient.0].concat();
    let wrapping = agree_ephemeral(own, &other, |shared| {
        derived(&salt, shared, b"age-encryption.org/v1/X25519")
    });
    let wrapping = wrapping.map_err(refused)??;
    let wrapping = UnboundKey::new(&CHACHA20_POLY1305, &wrapping).map_err(refused)?;
    let nonce = Nonce::assume_unique_for_key([0; NONCE_LEN]);
    let mut body = key.to_vec();
    LessSafeKey::new(wrapping)
        .seal_in_place_append_tag(nonce, Aad::empty(), &mut body)
        .map_err(refused)?;
    let [public, body] = [public.as_ref(), &body].map(|bytes| STANDARD_NO_PAD.encode(bytes));
    Ok(format!("-> X25519 {public}\n{body}\n"))
}

fn header_key(key: &FileKey) -> io::Result<hmac::Key> {
    let key = derived(&[], key, b"header")?;
    Ok(hmac::Key::new(hmac::HMAC_SHA256, &key))
}

fn derived(salt: &[u8], secret: &[u8], info: &[u8]) -> io::Result<[u8; 32]> {
    let mut out = [0; 32];
    Salt::new(HKDF_SHA256, salt)
        .extract(secret)
        .expand(&[info], HKDF_SHA256)
        .and_then(|key| key.fill(&mut out))
        .map_err(refused)?;
    Ok(out)
}

fn refused(_: ring::error::Unspecified) -> io::Error {
    io::Error::other("the encryption failed")
}

fn damaged() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "it cannot be decrypted again as it was written",
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// From the test vectors of the format's authors.
    const RECIPIENT: &str = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";

    #[test]
    fn a_recipient_is_read_and_a_misspelt_one_refused() {
        assert!(Recipient::parse(RECIPIENT).is_some());
        for wrong in [
            RECIPIENT.replace("zvky", "zvkv"),
            RECIPIENT.replace("age1", "ags1"),
            RECIPIENT[..RECIPIENT.len() - 1].to_owned(),
            "age1".to_owned(),
            "ssh-ed25519 AAAA".to_owned(),
        ] {
            assert_eq!(Recipient::parse(&wrong), None, "{wrong}");
        }
    }

    fn encrypted(plain: &[u8]) -> (Vec<u8>, FileKey) {
        let recipient = Recipient::parse(RECIPIENT).unwrap();
        let (mut writer, key) = AgeWriter::new(Vec::new(), &[recipient]).unwrap();
        writer.write_all(plain).unwrap();
        (writer.finish().unwrap(), key)
    }

    fn decrypted(file: &[u8], key: &FileKey) -> io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        AgeReader::new(file, key)?.read_to_end(&mut plain)?;
        Ok(plain)
    }

    #[test]
    fn files_of_any_length_come_back_and_a_changed_or_cut_one_does_not() {
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK] {
            let plain: Vec<u8> = (0..length).map(|n| n.to_le_bytes()[0]).collect();
            let (file, key) = encrypted(&plain);
            assert_eq!(decrypted(&file, &key).unwrap(), plain, "{length}");
            decrypted(&file[..file.len() - 1], &key).unwrap_err();
            let mut changed = file.clone();
            *changed.last_mut().unwrap() ^= 1;
            decrypted(&changed, &key).unwrap_err();
        }
        let (file, key) = encrypted(&vec![7; CHUNK + 1]);
        // Without its last chunk.
        decrypted(&file[..file.len() - 1 - TAG], &key).unwrap_err();
    }
}
