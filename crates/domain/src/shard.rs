//! Shards: equal parts of all systems, by site id. Each process that runs jobs holds some of them.

/// The number of shards: more than the processes of any installation, so that each gets a fair share. SQL uses this number too:
/// the rows of `job_leases`, and `in_shards!`.
pub const SHARDS: i64 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard(u8);

impl Shard {
    /// Its holder also runs jobs that belong to no system.
    pub const FIRST: Self = Self(0);

    pub fn of_site(site_id: i64) -> Self {
        Self::wrapping(site_id)
    }

    /// `None` if there is no shard with this number.
    pub fn from_number(number: i64) -> Option<Self> {
        (0..SHARDS)
            .contains(&number)
            .then(|| Self::wrapping(number))
    }

    pub fn number(self) -> i64 {
        self.0.into()
    }

    pub fn each() -> impl Iterator<Item = Self> {
        (0..SHARDS).map(Self::wrapping)
    }

    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 256")]
    fn wrapping(number: i64) -> Self {
        Self(number.rem_euclid(SHARDS) as u8)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShardSet(u32);

impl ShardSet {
    pub const ALL: Self = Self(u32::MAX);

    pub fn contains(self, shard: Shard) -> bool {
        self.0 >> shard.0 & 1 == 1
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// One bit per shard, the lowest for the first.
    pub fn bits(self) -> i64 {
        self.0.into()
    }
}

impl FromIterator<Shard> for ShardSet {
    fn from_iter<I: IntoIterator<Item = Shard>>(shards: I) -> Self {
        let with = |bits, shard: Shard| bits | 1 << shard.0;
        Self(shards.into_iter().fold(0, with))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_site_is_in_one_shard_and_neighbours_are_spread() {
        let mut systems = [0; SHARDS as usize];
        for site in 1..=320 {
            systems[Shard::of_site(site).number() as usize] += 1;
        }
        assert_eq!(systems, [10; SHARDS as usize]);
        assert_eq!(Shard::from_number(SHARDS), None);
        assert_eq!(Shard::from_number(-1), None);
    }

    #[test]
    fn a_set_has_what_was_put_into_it() {
        let odd: ShardSet = Shard::each().filter(|shard| shard.0 % 2 == 1).collect();
        assert_eq!(odd.bits(), 0xaaaa_aaaa);
        assert!(odd.contains(Shard::of_site(33)) && !odd.contains(Shard::FIRST));
        assert_eq!(Shard::each().collect::<ShardSet>(), ShardSet::ALL);
        assert!(ShardSet::default().is_empty());
    }
}
