//! The spelling of public keys: letters that are not easily confused, and a checksum.

/// The bytes of a text with a checksum, as BIP 173 defines it.
pub(crate) fn bech32(kind: &str, text: &str) -> Option<Vec<u8>> {
    const ALPHABET: &[u8] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    const CHECKSUM: usize = 6;
    let data = text.strip_prefix(kind)?.strip_prefix('1')?;
    let digit = |letter: u8| ALPHABET.iter().position(|known| *known == letter);
    let digits: Vec<usize> = data.bytes().map(digit).collect::<Option<_>>()?;
    let spread = kind.bytes().map(|c| usize::from(c >> 5));
    let spread = spread
        .chain([0])
        .chain(kind.bytes().map(|c| usize::from(c & 31)));
    let all = spread.chain(digits.iter().copied());
    let checksum = all.fold(1, |sum, digit| {
        const STEPS: [usize; 5] = [
            0x3b6a_57b2,
            0x2650_8e6d,
            0x1ea1_19fa,
            0x3d42_33dd,
            0x2a14_62b3,
        ];
        let top = sum >> 25;
        let steps = STEPS.iter().enumerate();
        steps.fold((sum & 0x1ff_ffff) << 5 ^ digit, |sum, (bit, step)| {
            sum ^ if top >> bit & 1 == 1 { *step } else { 0 }
        })
    });
    if checksum != 1 || digits.len() < CHECKSUM {
        return None;
    }
    let (mut bytes, mut rest, mut bits) = (Vec::new(), 0, 0);
    for digit in &digits[..digits.len() - CHECKSUM] {
        rest = (rest << 5 | digit) & 0xfff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(rest >> bits & 0xff).ok()?);
        }
    }
    (bits < 5 && rest & ((1 << bits) - 1) == 0).then_some(bytes)
}
