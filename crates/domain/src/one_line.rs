//! Short texts that people type and others read, such as names: one line of visible characters.
use crate::Message;

/// Any white space, line breaks too, becomes one space. Characters are left out that nobody sees but that change what others see:
/// control characters, marks of the direction of writing, and letters without a shape. The joiners of scripts and emoji stay.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let visible = word
            .chars()
            .filter(|c| !c.is_control() && !is_direction(*c) && !is_shapeless(*c));
        visible.collect::<String>()
    });
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The same for a required line of at most this many characters.
pub(crate) fn required_line(text: &str, max_length: usize) -> Result<String, Message> {
    let line = one_line(text);
    match line.chars().count() {
        0 => Err(Message::Required),
        length if length > max_length => Err(Message::TooLong),
        _ => Ok(line),
    }
}

/// The same name without web addresses that a mail program would turn into a link: a dot within a word becomes the end of the
/// word.
pub fn without_links(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        text.push(letter);
        if is_dot(letter) && letters.peek().is_some_and(|next| next.is_alphabetic()) {
            text.push(' ');
        }
    }
    text.replace("://", ": ")
}

/// Whether the text contains a web or e-mail address that a mail program would turn into a link.
pub(crate) fn has_address(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["://", "www.", "@"].iter().any(|mark| lower.contains(mark))
}

/// Domain names may be written with dots of other scripts.
fn is_dot(c: char) -> bool {
    matches!(c, '.' | '\u{3002}' | '\u{ff0e}' | '\u{ff61}')
}

/// Marks, embeddings, overrides and isolates of the Unicode bidirectional algorithm.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Soft hyphen, spaces of no width, word joiner, byte order mark, invisible operators, and the fillers of Hangul.
fn is_shapeless(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{2060}'
            ..='\u{2064}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_nobody_sees_is_left_out_and_the_rest_stays() {
        assert_eq!(one_line("  Anna\r\n\tMaria\u{a0}Berg "), "Anna Maria Berg");
        assert_eq!(
            one_line("A\u{1b}[31mB\u{7}\u{202e}C \u{200f} D"),
            "A[31mBC D"
        );
        assert_eq!(one_line("Łukasz Đurić 👩‍🔧"), "Łukasz Đurić 👩‍🔧");
        assert_eq!(one_line(" \n\u{202e} "), "");
        assert_eq!(one_line("\u{3164}\u{200b} \u{feff}\u{ad}"), "");
        assert_eq!(one_line("Elektro\u{2060}Berg"), "ElektroBerg");
    }

    #[test]
    fn a_name_in_a_mail_has_nothing_to_press() {
        for (name, shown) in [
            (
                "Elektro Müller GmbH & Co. KG",
                "Elektro Müller GmbH & Co. KG",
            ),
            ("Fa.Müller e.K.", "Fa. Müller e. K."),
            ("Technik 2.0", "Technik 2.0"),
            ("https://evil.example/login", "https: evil. example/login"),
            ("www.evil.example", "www. evil. example"),
            ("evil\u{3002}example", "evil\u{3002} example"),
        ] {
            assert_eq!(without_links(name), shown);
            assert_eq!(without_links(shown), shown);
        }
    }

    proptest! {
        #[test]
        fn the_result_is_one_line_and_stays_as_it_is(text in ".*") {
            let line = one_line(&text);
            prop_assert!(line.chars().all(|c| !c.is_control() && !is_direction(c) && !is_shapeless(c)));
            prop_assert_eq!(line.trim(), &line[..]);
            prop_assert_eq!(one_line(&line), line);
        }
    }
}
