//! The order of the blocks: colour after colour, the remainder last.

use crate::problem::coloring::Group;
use std::ops::Range;

/// Where contacts or joint rows go.
pub(super) struct Order {
    /// Their old indices in the new order.
    pub(super) source: Vec<u32>,
    /// First place of each group, the remainder's last, and one past the last of all.
    pub(super) group_starts: Vec<u32>,
    /// Range of groups of each colour.
    pub(super) colors: Vec<Range<u32>>,
}

impl Order {
    /// A stable counting sort by colour of the groups of `count` items.
    pub(super) fn by_color(groups: &[Group], count: usize) -> Self {
        let color_count = groups
            .iter()
            .filter_map(|g| g.color)
            .max()
            .map_or(0, |c| c as usize + 1);
        let bucket = |group: &Group| group.color.map_or(color_count, usize::from);
        let mut group_counts = vec![0_u32; color_count + 1];
        let mut item_counts = vec![0_u32; color_count + 1];
        for group in groups {
            group_counts[bucket(group)] += 1;
            item_counts[bucket(group)] += group.members.len() as u32;
        }
        let mut next_group = exclusive_sum(&group_counts);
        let mut next_item = exclusive_sum(&item_counts);
        let colors = (0..color_count)
            .map(|c| next_group[c]..next_group[c] + group_counts[c])
            .collect();
        let mut source = vec![0_u32; count];
        let mut group_starts = vec![count as u32; groups.len() + 1];
        for group in groups {
            let at = bucket(group);
            group_starts[next_group[at] as usize] = next_item[at];
            next_group[at] += 1;
            for item in group.members.clone() {
                source[next_item[at] as usize] = item;
                next_item[at] += 1;
            }
        }
        Self {
            source,
            group_starts,
            colors,
        }
    }

    /// Number of groups with a colour.
    pub(super) fn colored_groups(&self) -> u32 {
        self.colors.last().map_or(0, |color| color.end)
    }
}

/// The sum of all counts before each one.
pub(super) fn exclusive_sum(counts: &[u32]) -> Vec<u32> {
    counts
        .iter()
        .scan(0, |sum, &count| {
            let before = *sum;
            *sum += count;
            Some(before)
        })
        .collect()
}
