//! How often a measurement is repeated, and what is taken of it.

use drystone::Result;
use std::time::{Duration, Instant};

/// Repetitions of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Effort {
    /// At least so many.
    least: usize,
    /// And more until so long.
    budget: Duration,
}

impl Effort {
    pub(super) const FULL: Self = Self {
        least: 5,
        budget: Duration::from_millis(1_000),
    };
    pub(super) const QUICK: Self = Self {
        least: 3,
        budget: Duration::from_millis(150),
    };

    /// Median of the times that a call reports, after one call that does not count.
    ///
    /// # Errors
    /// The first that a call returns.
    pub(super) fn median(self, mut call: impl FnMut() -> Result<Duration>) -> Result<Duration> {
        call()?;
        let start = Instant::now();
        let mut times = Vec::new();
        while times.len() < self.least || start.elapsed() < self.budget {
            times.push(call()?);
        }
        times.sort_unstable();
        Ok(times[times.len() / 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone::Error;

    #[test]
    fn the_median_leaves_out_the_first_call_and_outliers() {
        let effort = Effort {
            least: 5,
            budget: Duration::ZERO,
        };
        let mut times = [999, 3, 1, 500, 2, 4].into_iter();
        let mut next = || {
            let time = times.next().map(Duration::from_secs);
            time.ok_or_else(|| Error::invalid("times", "used up"))
        };
        let found = effort.median(&mut next);
        assert!(matches!(found, Ok(time) if time == Duration::from_secs(3)));
        assert!(next().is_err(), "six calls");
        assert!(effort.median(next).is_err());
    }
}
