//! The jobs of one loading of the addon: their works, how memory reaches them, and their end.

use super::memory::{cells, inspect_memory, memory_of};
use super::status::{Reason, Refusal};
use super::table::Table;
use super::values::{call_function, reference, value_of};
use core::cell::{Cell, RefCell};
use core::ptr;
use napi::sys;
use std::sync::{PoisonError, RwLock};

/// The jobs of one loading of the addon.
pub(super) struct Jobs {
    /// The work of each job, by the job's number; null until the work is in the queue. `cancel`
    /// needs no more of a job, which may belong to another thread.
    pub(super) works: RefCell<Table<sys::napi_async_work>>,
    /// `transfer(memory)` detaches `memory`, and returns its bytes in a new ArrayBuffer, without a
    /// copy; or undefined, with `memory` as it was. Null until `lib/` gave the function.
    pub(super) transfer: Cell<sys::napi_ref>,
    /// Whether the environment has ended. A job holds the read lock while it runs, so that `stop`
    /// waits for it. The threads of the pool use no other field.
    pub(super) ended: RwLock<bool>,
}

impl Jobs {
    pub(super) fn new() -> Self {
        Self {
            works: RefCell::new(Table::new()),
            transfer: Cell::new(ptr::null_mut()),
            ended: RwLock::new(false),
        }
    }

    /// Waits for the jobs that run, lets no other job begin, and frees the table. Called when the
    /// environment ends. There is no deadlock, since a job that runs needs no other thread.
    pub(super) fn stop(&self) {
        *self.ended.write().unwrap_or_else(PoisonError::into_inner) = true;
        if let Ok(mut works) = self.works.try_borrow_mut() {
            works.clear();
        }
    }

    /// Transfers memory with this function from now on. Called once, by `validateWith`.
    pub(super) fn transfer_with(
        &self,
        env: sys::napi_env,
        transfer: sys::napi_value,
    ) -> Result<(), Refusal> {
        self.transfer.set(reference(env, transfer)?);
        Ok(())
    }

    /// Lets `cancel` reach work in the queue. The runtime must not be asked to cancel other work.
    pub(super) fn may_cancel(&self, number: usize, work: sys::napi_async_work) {
        if let Ok(mut works) = self.works.try_borrow_mut()
            && let Some(place) = works.get(number)
        {
            *place = work;
        }
    }

    /// The ArrayBuffer that has the bytes of `memory` from now on. Runs JavaScript.
    pub(super) fn transfer(
        &self,
        env: sys::napi_env,
        memory: sys::napi_value,
    ) -> Result<sys::napi_value, Refusal> {
        let refusal = Refusal::of(Reason::Untransferable, 1);
        let transfer = value_of(env, self.transfer.get()).ok_or(Reason::Internal)?;
        let before = memory_of(env, memory).ok_or(Reason::Internal)?;
        let given = call_function(env, transfer, &[memory]).ok_or(Reason::Internal)?;
        inspect_memory(env, given).map_err(|_| refusal)?;
        let after = memory_of(env, given).ok_or(Reason::Internal)?;
        // The address of empty memory means nothing.
        let same = after == before || (after.1, before.1) == (0, 0);
        if same && matches!(inspect_memory(env, memory), Err(Reason::Detached)) {
            return Ok(given);
        }
        if after.0 != before.0 {
            // Node 20 copies memory that it cannot transfer.
            // SAFETY: the memory of an ArrayBuffer, which is not shared; no JavaScript runs here.
            unsafe { cells(after.0, after.1) }.iter().for_each(|byte| byte.set(0));
        }
        Err(refusal)
    }
}
