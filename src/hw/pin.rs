//! Keeps this library mapped: a runtime unloads an addon with the last thread that loaded it, and the handler of forks
//! stays registered for as long as the process lives.

/// From now on the library is not unloaded. On Linux its own header says so to begin with (build.rs: `nodelete`).
pub fn stay_mapped() {
    #[cfg(target_os = "macos")]
    {
        let mut here = core::mem::MaybeUninit::<libc::Dl_info>::uninit();
        let address = core::ptr::from_ref(&HERE).cast();
        // SAFETY: `here` is filled where `dladdr` succeeds, its path by then a string of dyld's. A handle that nobody
        // closes keeps the image.
        unsafe {
            if libc::dladdr(address, here.as_mut_ptr()) != 0 {
                let path = here.assume_init().dli_fname;
                libc::dlopen(path, libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
            }
        }
    }
}

/// An address of this library's.
#[cfg(target_os = "macos")]
static HERE: u8 = 0;
