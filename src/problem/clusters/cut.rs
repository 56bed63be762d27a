//! Which link belongs to which cluster.

use super::curve;
use super::links::Links;
use super::local::Members;
use super::place::places;
use crate::constants::{CLUSTER_BLOCKS, CLUSTER_BODIES, CLUSTER_COPIES, CLUSTER_DEGREE};
use crate::problem::ProblemRef;

/// The links of every cluster, joints first. One cluster has them all if it can.
pub(super) fn cut(problem: &ProblemRef<'_>, links: &Links) -> Vec<Vec<u32>> {
    let all: Vec<u32> = (0..links.list.len() as u32).collect();
    if all.is_empty() {
        return Vec::new();
    }
    if links.bodies(problem).count() <= CLUSTER_COPIES as usize
        && Members::of(problem, links, &all).fit(CLUSTER_BLOCKS)
    {
        return vec![all];
    }
    let mut places = places(problem, links);
    curve::sort(&mut places);
    let count = places.len().div_ceil(CLUSTER_BODIES as usize).max(1);
    let mut cluster_of = vec![0_u32; problem.bodies.len()];
    for (index, place) in places.iter().enumerate() {
        cluster_of[place.body as usize] = (index * count / places.len()) as u32;
    }
    let mut clusters = vec![Vec::new(); count];
    for link in all {
        let cluster = cluster_of_link(problem, links, link as usize, &cluster_of);
        clusters[cluster as usize].push(link);
    }
    clusters.retain(|links| !links.is_empty());
    clusters
}

/// The cluster of a link: that of its bodies, or of its only movable one.
///
/// Between two clusters a hub's link goes with the other body, so that many clusters share its links.
/// All others between the same two clusters go to one of them: then only one of them needs copies of
/// the other's bodies.
fn cluster_of_link(
    problem: &ProblemRef<'_>,
    links: &Links,
    link: usize,
    cluster_of: &[u32],
) -> u32 {
    let link = &links.list[link];
    let [a, b] = link.bodies.map(|body| body as usize);
    let (of_a, of_b) = (cluster_of[a], cluster_of[b]);
    let movable = |body: usize| problem.bodies[body].is_movable();
    match (movable(a), movable(b)) {
        (_, false) => return of_a,
        (false, true) => return of_b,
        (true, true) => {}
    }
    let is_hub = |body: usize| links.degrees[body] > CLUSTER_DEGREE;
    match (is_hub(a), is_hub(b)) {
        (true, false) => of_b,
        (false, true) => of_a,
        _ if (of_a + of_b).is_multiple_of(2) => of_a.min(of_b),
        _ => of_a.max(of_b),
    }
}
