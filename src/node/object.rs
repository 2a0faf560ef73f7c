//! The kinds of native objects, among them the arenas of callers.

use super::table::Table;
use crate::error::Error;
use crate::key::any::AnyKey;
use crate::key::arena::Arena;
use crate::protocol::chunks::Chunks;
use crate::protocol::packet::Protection;

/// A kind of object: a type whose values JavaScript holds by handle.
pub(super) trait ObjectKind: Sized {
    fn into_object(self) -> Object;

    /// The object as one of this kind, if it is one.
    fn of(object: &mut Object) -> Option<&mut Self>;
}

/// A row `Kind keeps function`: a kind of object, and the function that returns the bytes of native
/// memory of an object.
macro_rules! kinds {
    ($($kind:ident keeps $bytes:path,)+) => {
        /// An object of any kind.
        pub(super) enum Object { $($kind($kind)),+ }

        impl Object {
            /// Bytes of native memory that the object keeps, for V8's collector.
            pub(super) fn bytes(&self) -> usize {
                match self { $(Self::$kind(object) => $bytes(object)),+ }
            }
        }

        $(impl ObjectKind for $kind {
            fn into_object(self) -> Object {
                Object::$kind(self)
            }

            // Inlined, because every encryption and decryption looks up its key here.
            #[inline(always)]
            fn of(object: &mut Object) -> Option<&mut Self> {
                if let Object::$kind(object) = object { Some(object) } else { None }
            }
        })+
    };
}

// A new kind of object needs a row, a `HandleOf` constant in `scalars`, and functions for `init`.
kinds! {
    AnyKey keeps AnyKey::state_bytes,
    OwnArena keeps OwnArena::bytes,
    Chunks keeps Chunks::state_bytes,
    Protection keeps Protection::state_bytes,
}

impl Object {
    /// Whether the object has its key in `arena`.
    pub(super) fn lives_in(&self, arena: &Arena) -> bool {
        match self {
            Self::AnyKey(key) => key.lives_in(arena),
            Self::Chunks(chunks) => chunks.lives_in(arena),
            Self::Protection(packets) => packets.lives_in(arena),
            Self::OwnArena(_) => false,
        }
    }

    /// Wipes the object's key, and returns the bytes that the object kept for it.
    pub(super) fn destroy(&mut self) -> usize {
        let bytes = self.bytes();
        match self {
            Self::AnyKey(key) => key.destroy(),
            Self::Chunks(chunks) => chunks.destroy(),
            Self::Protection(packets) => packets.destroy(),
            Self::OwnArena(arena) => arena.arena.destroy(),
        }
        bytes
    }
}

/// A caller's arena, and the handles of the objects with keys in it. Destroying it sees no others.
pub(super) struct OwnArena {
    pub(super) arena: Arena,
    /// Every object whose key lies in the arena; others stay until a new handle finds no room.
    objects: Vec<usize>,
}

impl OwnArena {
    pub(super) fn new(arena: Arena) -> Self {
        Self { arena, objects: Vec::new() }
    }

    /// Bytes of memory that the arena keeps.
    fn bytes(&self) -> usize {
        self.arena.bytes()
    }

    /// Adds an object to the list.
    pub(super) fn list(&mut self, handle: usize, all: &mut Table<Object>) -> Result<(), Error> {
        let Self { arena, objects } = self;
        if objects.len() == objects.capacity() {
            objects.retain(|listed| all.get(*listed).is_some_and(|object| object.lives_in(arena)));
            // Room for as many as there are objects: each object is seen a few times at most.
            objects.try_reserve(objects.len().max(4)).map_err(|_| Error::NoMemory)?;
        }
        objects.push(handle);
        Ok(())
    }

    /// Destroys the arena and the objects with keys in it, and returns the bytes they kept.
    pub(super) fn destroy(&mut self, all: &mut Table<Object>) -> usize {
        let mut bytes = self.bytes();
        for handle in core::mem::take(&mut self.objects) {
            let object = all.get(handle).filter(|object| object.lives_in(&self.arena));
            bytes += object.map_or(0, Object::destroy);
        }
        self.arena.destroy();
        bytes
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
    use super::*;
    use crate::backend::Cpu;
    use crate::key::Options;
    use crate::key::any::AnyKey;
    use crate::rng::shared::SharedGenerator;
    use crate::secret::SecretKey;
    use core::cell::Cell;

    /// A key in `own`, listed there or not.
    fn key_in(own: &mut OwnArena, all: &mut Table<Object>, listed: bool) -> usize {
        let secret = SecretKey::copy(&[const { Cell::new(7) }; 32]).unwrap();
        let (options, generator) = (Options::default(), SharedGenerator::default());
        let cpu = Cpu::best().unwrap();
        let key = AnyKey::new(0, cpu, &secret, options, &mut own.arena, &generator);
        let handle = all.insert(Object::AnyKey(key.unwrap().unwrap())).ok().unwrap();
        if listed {
            own.list(handle, all).unwrap();
        }
        handle
    }

    fn is_destroyed(handle: usize, all: &mut Table<Object>) -> bool {
        matches!(all.get(handle), Some(Object::AnyKey(key)) if key.is_destroyed())
    }

    /// Once, destroying looked at every object of the environment; an unlisted key shows it.
    #[test]
    fn destroying_an_arena_looks_at_its_own_objects_alone() {
        let mut all = Table::new();
        let mut own = OwnArena::new(Arena::fixed(10).unwrap());
        let mut other = OwnArena::new(Arena::fixed(1).unwrap());
        let listed = [(); 9].map(|()| key_in(&mut own, &mut all, true));
        let unlisted = key_in(&mut own, &mut all, false);
        let elsewhere = key_in(&mut other, &mut all, true);
        // In both lists, but in the other arena alone.
        own.list(elsewhere, &mut all).unwrap();
        let kept = own.bytes() + 9 * all.get(unlisted).map_or(0, |key| key.bytes());
        assert_eq!(own.destroy(&mut all), kept);
        assert!(own.arena.is_destroyed());
        assert!(listed.iter().all(|handle| is_destroyed(*handle, &mut all)));
        assert!(![unlisted, elsewhere].iter().any(|handle| is_destroyed(*handle, &mut all)));
    }

    #[test]
    fn the_list_of_an_arena_stays_as_short_as_its_keys_are_few() {
        let mut all = Table::new();
        let mut own = OwnArena::new(Arena::fixed(10).unwrap());
        let kept = [(); 5].map(|()| key_in(&mut own, &mut all, true));
        for round in 0..10_000 {
            let handle = key_in(&mut own, &mut all, true);
            // One in two is destroyed, and its object stays.
            let gone = all.get(handle).map(Object::destroy);
            assert!(gone.is_some_and(|bytes| bytes > 0));
            if round % 2 == 0 {
                all.remove(handle);
            }
        }
        assert!(own.objects.capacity() <= 32, "{}", own.objects.capacity());
        assert!(own.destroy(&mut all) > 0);
        assert!(kept.iter().all(|handle| is_destroyed(*handle, &mut all)));
    }
}
