//! Short texts that people type and others read, such as names: one line of visible characters.

/// Any white space, line breaks too, becomes one space. Characters are left out that nobody sees but that change what others see:
/// control characters, and marks of the direction of writing.
pub fn one_line(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let visible = word
            .chars()
            .filter(|c| !c.is_control() && !is_direction(*c));
        visible.collect::<String>()
    });
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Marks, embeddings, overrides and isolates of the Unicode bidirectional algorithm.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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
    }

    proptest! {
        #[test]
        fn the_result_is_one_line_and_stays_as_it_is(text in ".*") {
            let line = one_line(&text);
            prop_assert!(line.chars().all(|c| !c.is_control() && !is_direction(c)));
            prop_assert_eq!(line.trim(), &line[..]);
            prop_assert_eq!(one_line(&line), line);
        }
    }
}
