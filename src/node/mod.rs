//! The Node-API boundary: the only place that knows JavaScript.
//!
//! The binding is a set of functions that `lib/` calls. A refused call returns a negative number
//! (see `status`); none throws. `init` registers each by hand, because a call of a function that
//! napi-rs generates costs several times as much. napi-rs generates only the entry point.

#![expect(unsafe_code, reason = "Node-API, and JavaScript's memory behind it")]
#![cfg_attr(test, allow(dead_code, reason = "napi-rs registers nothing in a build of tests"))]

mod aead;
mod arena;
mod arguments;
mod batch;
mod bytes;
mod call;
mod chunks;
mod cpu;
#[cfg(feature = "faults")]
mod fault;
mod job_table;
mod jobs;
mod lists;
mod memory;
mod object;
mod objects;
mod packet;
mod random;
mod random_info;
mod scalars;
mod scratch;
mod sealed;
mod sealed_short;
mod sealed_text;
mod shamir;
mod short;
mod slate;
mod status;
mod table;
mod text;
mod values;

use crate::backend::{self, Cpu};
use crate::hw::{fork, pin};
use crate::key::arena::Arena;
use crate::rng::shared::SharedGenerator;
use core::cell::RefCell;
use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Env, sys};
use napi_derive::napi;
use object::OwnArena;
use objects::{Handle, Objects};
use status::{Reason, Refusal};

/// The version of the binding, which `lib/` checks. A change to functions or reasons increments it.
const ABI_VERSION: u32 = 18;

/// The state of one loading of the addon. Each worker thread is an environment, which may load the
/// addon several times. Only the thread that loaded the addon uses its `Module`.
///
/// A `Module` is emptied but never freed, so that callbacks of the runtime can always read it.
struct Module {
    /// The best backend; none on a CPU without AES instructions, where no key is made.
    cpu: Option<Cpu>,
    objects: Objects,
    /// `KeyArena.default`: holds the keys that were made without the option `arena`.
    arena: RefCell<Arena>,
    /// Gives random bytes, and salts to keys.
    generator: SharedGenerator,
    views: bytes::Views,
    jobs: job_table::Jobs,
    scratch: scratch::Scratch,
    slate: slate::Slate,
}

impl Module {
    /// Lends an arena to `body`; for `None`, the default arena.
    fn lend_arena<T>(
        &self,
        arena: Option<Handle<OwnArena>>,
        body: impl FnOnce(&mut Arena) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        match arena {
            Some(arena) => self.objects.lend(arena, |own| body(&mut own.arena)),
            None => body(&mut *self.arena.try_borrow_mut().map_err(|_| Reason::Internal)?),
        }
    }
}

/// Registers the binding.
#[napi(module_exports)]
pub(crate) fn init(mut exports: Object, env: Env) -> napi::Result<()> {
    let module: &'static Module = Box::leak(Box::new(Module {
        cpu: Cpu::best(),
        objects: Objects::new(),
        arena: RefCell::default(),
        generator: SharedGenerator::default(),
        views: bytes::Views::new(&env)?,
        jobs: job_table::Jobs::new(),
        scratch: scratch::Scratch::new(),
        slate: slate::Slate::new(),
    }));
    let context = core::ptr::from_ref(module).cast_mut();
    // SAFETY: `env` is live, and `context` is never freed.
    let hooked = unsafe { sys::napi_add_env_cleanup_hook(env.raw(), Some(empty), context.cast()) };
    napi::check_status!(hooked)?;
    exports.set("abiVersion", ABI_VERSION)?;
    exports.set("backends", Cpu::all().map(Cpu::name).collect::<Vec<_>>())?;
    exports.set("backendNames", backend::NAMES.to_vec())?;
    // Parallel to `backends`.
    let state_bytes = Cpu::all().map(|cpu| u32::try_from(cpu.state_bytes()).unwrap_or(u32::MAX));
    exports.set("stateBytes", state_bytes.collect::<Vec<_>>())?;
    exports.set("reasons", Refusal::names())?;
    pin::stay_mapped();
    // The first call registers a handler of forks, which may run any time: see the line before.
    fork::generation();
    let functions = [
        aead::FUNCTIONS,
        batch::FUNCTIONS,
        jobs::FUNCTIONS,
        packet::FUNCTIONS,
        chunks::FUNCTIONS,
        arena::FUNCTIONS,
        cpu::FUNCTIONS,
        random::FUNCTIONS,
        sealed::FUNCTIONS,
        sealed_text::FUNCTIONS,
        shamir::FUNCTIONS,
        short::FUNCTIONS,
        slate::FUNCTIONS,
    ];
    let functions = functions.into_iter().flatten();
    #[cfg(feature = "faults")]
    let functions = functions.chain(fault::FUNCTIONS);
    for (name, callback) in functions {
        let mut function = core::ptr::null_mut();
        // SAFETY: `env` is live, `name` is `length` bytes, and `context` is never freed.
        let created = unsafe {
            sys::napi_create_function(
                env.raw(),
                name.as_ptr().cast(),
                name.len().cast_signed(),
                Some(*callback),
                context.cast(),
                &mut function,
            )
        };
        napi::check_status!(created)?;
        exports.set(*name, Raw(function))?;
    }
    Ok(())
}

/// Waits for the jobs that run, and wipes every key and the generator, when the environment ends:
/// finalizers may run later or not at all.
unsafe extern "C" fn empty(module: *mut core::ffi::c_void) {
    // SAFETY: `init` gave this pointer to a `Module` that is never freed.
    let module = unsafe { &*module.cast::<Module>() };
    module.jobs.stop();
    module.objects.clear();
    if let Ok(mut arena) = module.arena.try_borrow_mut() {
        *arena = Arena::default();
    }
    module.generator.clear();
    module.scratch.free();
}

/// A value made by hand, for napi-rs to set.
struct Raw(sys::napi_value);

impl ToNapiValue for Raw {
    unsafe fn to_napi_value(_: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        Ok(value.0)
    }
}
