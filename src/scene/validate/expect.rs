//! Expectations: numbers, and keys that belong together. Names of measures are looked up when the probes are made.

use super::number::{finite, not_negative};
use crate::error::Result;
use crate::scene::place::Place;
use crate::scene::schema::{Expect, Relation, When};

pub(super) fn expect(expect: &Expect, place: &Place<'_>) -> Result<()> {
    match (expect.value, &expect.of) {
        (Some(value), _) => finite(value, "the value", &place.key("value"))?,
        (None, None) => {
            return Err(place.error(
                "nothing to compare with",
                "expected `value = NUMBER`, or `of = \"MEASURE\"`, or both for a multiple of it",
            ));
        }
        (None, Some(_)) => {}
    }
    match (expect.is == Relation::Near, expect.tolerance) {
        (true, Some(tolerance)) => {
            not_negative(tolerance, "the tolerance", &place.key("tolerance"))?;
        }
        (true, None) => {
            return Err(place.key("is").error(
                "near without a tolerance",
                "expected `tolerance = NUMBER` beside it",
            ));
        }
        (false, Some(_)) => {
            return Err(place.name_of("tolerance").error(
                "a tolerance of a comparison that has none",
                "expected `is = \"near\"` beside it",
            ));
        }
        (false, None) => {}
    }
    for (key, time) in [("from", expect.from), ("until", expect.until)] {
        not_negative(time, "the time", &place.key(key))?;
    }
    if expect.when == When::End && expect.from.is_some() {
        return Err(place.name_of("from").error(
            "a begin of an expectation that is about one step",
            "expected `when = \"once\"`, `\"always\"` or `\"mean\"` beside it",
        ));
    }
    if let (Some(from), Some(until)) = (expect.from, expect.until)
        && from > until
    {
        return Err(place.key("until").error(
            format!("the time ends at {until} s and begins at {from} s"),
            "expected an end that is not before the begin",
        ));
    }
    Ok(())
}
