//! How work is cut into shares of threads.

use std::time::Duration;

/// Least number of blocks handed to one thread; below it, waking a thread costs more than it saves.
///
/// A block takes some 50 ns. On two cores the Brazil nut, whose colours have about 350 blocks, took 20 %
/// less time with 64 than with 256, and 1,000 boxes 8 % less.
pub(crate) const MIN_BLOCKS_PER_THREAD: usize = 64;

/// Contacts packed by one thread at least: some 20 ns each.
pub(crate) const PACKED_CONTACTS_PER_THREAD: usize = 1024;

/// Pairs or contacts that one thread counts and sorts at least: 1 to 2 ns each.
pub(crate) const SORTED_PAIRS_PER_THREAD: usize = 16_384;

/// Joint rows packed by one thread at least: some 50 ns each.
pub(crate) const PACKED_ROWS_PER_THREAD: usize = 512;

/// Bodies that one thread handles at least in a stage of a step: some 20 ns each.
pub(crate) const BODIES_PER_THREAD: usize = 1024;

/// Contacts that one thread handles at least in a stage of a step: some 20 ns each.
pub(crate) const CONTACTS_PER_THREAD: usize = 1024;

/// Joint rows that one thread handles at least in a stage of a step: some 20 ns each.
pub(crate) const ROWS_PER_THREAD: usize = 1024;

/// Numbers of a solution that one thread looks at, at least: some 0.2 ns each.
pub(crate) const CHECKED_NUMBERS_PER_THREAD: usize = 65_536;

/// Impulses that one thread copies at least: about 1 ns each.
pub(crate) const PACKED_IMPULSES_PER_THREAD: usize = 8192;

/// Bodies that one thread copies at least: about 2 ns each.
pub(crate) const PACKED_BODIES_PER_THREAD: usize = 8192;

/// Bodies whose solution one thread copies at least: about 2 ns each.
pub(crate) const TAKEN_BODIES_PER_THREAD: usize = 8192;

/// Joint rows that one thread solves at once at least: about 1 us each.
pub(crate) const SOLVED_ROWS_PER_THREAD: usize = 32;

/// How many bodies before it is needed a body is fetched: some 30 ns each, against some 100 ns of a miss.
pub(crate) const BODIES_AHEAD: usize = 8;

/// Records of a problem that one thread checks at least: 2 to 3 ns each.
pub(crate) const CHECKED_RECORDS_PER_THREAD: usize = 16_384;

/// Lane groups of sixteen contacts, least number handed to one thread: some 200 ns of work, about what
/// it takes two threads to tell each other that they are done.
pub(crate) const MIN_LANE_GROUPS_PER_THREAD: usize = 2;

/// Most domains into which the bodies of a problem are cut for threads: sets of domains are the bits of a
/// word.
pub(crate) const MAX_TEAM_DOMAINS: usize = 64;

/// Work of reading and writing the bodies of a pair, in work of a point.
pub(crate) const PAIR_WORK: u32 = 2;

/// Pairs a domain that are looked at, at least, to tell where bodies are cut.
pub(crate) const PAIRS_PER_CUT: usize = 256;

/// Points of a pair by which pairs are sorted into lanes; pairs with more are as if they had so many.
/// Boxes have up to eight.
pub(crate) const POINTS_SORTED_BY: usize = 15;

/// Blocks of a problem below which one thread solves it: calling another takes some 10 us.
pub const MIN_BLOCKS_OF_A_TEAM: usize = 512;

/// Most chunks into which a thread's share of a loop is cut, for others to take when it is late.
pub(crate) const TEAM_CHUNKS_PER_THREAD: usize = 4;

/// How much more work it takes for a thread to be worth waking than for one of a team, which is there already, to be
/// worth its while.
pub(crate) const WAKING_PER_TEAM_GRAIN: usize = 8;

/// Looks at whether there is something to do before a waiting thread lets others of the machine go first: some
/// tens of microseconds.
pub(crate) const TEAM_SPINS: u32 = 2000;

/// Looks after these before a thread of a team that has nothing to do sleeps between looks: about a millisecond. Loops of a small
/// world follow each other in less.
pub(crate) const TEAM_YIELDS: u32 = 2000;

/// How long it sleeps first, to which systems add; later up to twenty times as long. It comes so much too late to the next loop, which the others do meanwhile.
pub(crate) const TEAM_NAP: Duration = Duration::from_micros(50);

/// Looks before a waiting thread takes another's domain on: a late thread is worth waiting for some
/// microseconds, because what it works on is in its cache.
pub(crate) const TEAM_SPINS_BEFORE_HELPING: u32 = 100;

/// Pairs from which on they are looked at by several threads.
///
/// 1,000 boxes in motion have 5,600, whose contacts took two threads 0.45 ms and one 0.75 ms.
pub(crate) const PARALLEL_PAIRS: usize = 2_048;
