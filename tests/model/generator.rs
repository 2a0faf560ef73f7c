//! The generator of random bytes, written from its documentation.

use hardware_aes_gcm::rng::CHUNK;

/// The generator over the book's AES.
pub(crate) struct Reference {
    next: [u8; 32],
    pool: Vec<u8>,
}

impl Reference {
    pub(crate) fn seeded(seed: [u8; 32]) -> Self {
        let mut reference = Self { next: [0; 32], pool: Vec::new() };
        reference.seed(seed);
        reference
    }

    pub(crate) fn seed(&mut self, seed: [u8; 32]) {
        self.next = super::book::xor(self.next, seed);
        self.refill();
    }

    fn refill(&mut self) {
        let stream = Self::chunk(&self.next, 0, 4096);
        let (next, pool) = stream.split_at(32);
        self.next = next.try_into().unwrap();
        self.pool = pool.to_vec();
    }

    /// The next `length` bytes.
    pub(crate) fn give(&mut self, length: usize) -> Vec<u8> {
        if length > 1024 {
            let chunks = 1..=length.div_ceil(CHUNK);
            let mut all: Vec<u8> =
                chunks.flat_map(|i| Self::chunk(&self.next, i as u64, CHUNK)).collect();
            all.truncate(length);
            self.next = Self::chunk(&self.next, 0, 32).try_into().unwrap();
            return all;
        }
        let mut given = Vec::new();
        while given.len() < length {
            if self.pool.is_empty() {
                self.refill();
            }
            let some = self.pool.len().min(length - given.len());
            given.extend(self.pool.drain(..some));
        }
        given
    }

    /// AES-256 of `le96(i) ‖ be32(2), be32(3), …`.
    fn chunk(key: &[u8; 32], i: u64, length: usize) -> Vec<u8> {
        let round_keys = super::book::expand(key);
        let blocks = (2_u32..).map(|counter| {
            let mut block = [0; 16];
            block[..8].copy_from_slice(&i.to_le_bytes());
            block[12..].copy_from_slice(&counter.to_be_bytes());
            super::book::encrypt(&round_keys, block)
        });
        blocks.take(length.div_ceil(16)).flatten().take(length).collect()
    }
}
