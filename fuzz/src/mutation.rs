//! Changes of texts that keep most of their meaning.

use rand::RngExt;
use rand_pcg::Pcg64;

/// Numbers at the edges of what makes sense.
const NUMBERS: [&str; 28] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "0.5",
    "1e-9",
    "-1e-9",
    "1e-300",
    "1e300",
    "-1e308",
    "1e308",
    "1e12",
    "-1e12",
    "1e6",
    "1e-6",
    "3.4e38",
    "1e39",
    "nan",
    "inf",
    "-inf",
    "true",
    "\"a\"",
    "[]",
    "{}",
    "[0, 0, 0]",
    "9223372036854775807",
    "-9223372036854775808",
    "60",
];

/// A text with one or two changes.
#[must_use]
pub fn mutated(text: &str, random: &mut Pcg64) -> String {
    let mut text = text.to_owned();
    for _ in 0..random.random_range(1..=2) {
        text = changed(&text, random);
    }
    text
}

fn changed(text: &str, random: &mut Pcg64) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return NUMBERS[random.random_range(0..NUMBERS.len())].to_owned();
    }
    let at = random.random_range(0..lines.len());
    let other = random.random_range(0..lines.len());
    let mut lines = lines;
    match random.random_range(0..10) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[other]),
        2 => lines.swap(at, other),
        3 => return with_character(text, random),
        4 => return with_word(text, random),
        _ => return with_number(text, random),
    }
    lines.join("\n") + "\n"
}

/// Another character somewhere, one more or one less.
fn with_character(text: &str, random: &mut Pcg64) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let new = char::from(random.random_range(9..127_u8));
    let at = random.random_range(0..=characters.len());
    if at == characters.len() || random.random_range(0..3) == 0 {
        characters.insert(at, new);
    } else if random.random_range(0..2) == 0 {
        characters[at] = new;
    } else {
        characters.remove(at);
    }
    characters.into_iter().collect()
}

/// Another number in place of one.
fn with_number(text: &str, random: &mut Pcg64) -> String {
    let numbers = spans(text, |c| c.is_ascii_digit() || "+-.eE_".contains(c));
    let numbers: Vec<_> = numbers
        .into_iter()
        .filter(|span| text[span.clone()].contains(|c: char| c.is_ascii_digit()))
        .collect();
    let Some(at) = pick(&numbers, random) else {
        return with_character(text, random);
    };
    let own = pick(&numbers, random).map_or("1", |span| &text[span]);
    let old = &text[at.clone()];
    let new = match random.random_range(0..8) {
        0 | 1 => own.to_owned(),
        2 => format!("-{own}"),
        3 => format!("{old}e2"),
        4 | 5 => format!("{old}e-2"),
        _ => NUMBERS[random.random_range(0..NUMBERS.len())].to_owned(),
    };
    text[..at.start].to_owned() + &new + &text[at.end..]
}

/// Another word of the text in place of one.
fn with_word(text: &str, random: &mut Pcg64) -> String {
    let words = spans(text, |c| c.is_ascii_alphabetic() || c == '_');
    let (Some(at), Some(by)) = (pick(&words, random), pick(&words, random)) else {
        return with_character(text, random);
    };
    text[..at.start].to_owned() + &text[by] + &text[at.end..]
}

fn pick(spans: &[std::ops::Range<usize>], random: &mut Pcg64) -> Option<std::ops::Range<usize>> {
    let last = spans.len().checked_sub(1)?;
    spans.get(random.random_range(0..=last)).cloned()
}

/// Byte ranges of the longest runs of some characters.
fn spans(text: &str, is_in: impl Fn(char) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut spans = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), '\0')]) {
        match (is_in(character), start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                spans.push(first..at);
                start = None;
            }
            _ => {}
        }
    }
    spans
}

/// Bytes with one to four changes.
#[must_use]
pub fn mutated_bytes(bytes: &[u8], random: &mut Pcg64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..random.random_range(1..=4) {
        let at = random.random_range(0..=bytes.len());
        match random.random_range(0..6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, random.random()),
            _ if at == bytes.len() => {}
            2 => drop(bytes.remove(at)),
            3 => bytes[at] ^= 1 << random.random_range(0..8),
            // Numbers of 32 bits, the edges of which are far from the middle.
            4 => {
                let new = [0, 1, u32::MAX, i32::MAX as u32, 0x7f80_0000, 0x7fc0_0000];
                let new = new[random.random_range(0..new.len())].to_le_bytes();
                let end = bytes.len().min(at + 4);
                bytes[at..end].copy_from_slice(&new[..end - at]);
            }
            _ => bytes[at] = random.random(),
        }
    }
    bytes
}
