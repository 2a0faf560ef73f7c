//! Keeps this library mapped: a runtime unloads an addon with the last thread that loaded it, but the handler of forks
//! stays registered until the process ends.

/// Keeps the library mapped from now on. On Linux the library is linked that way (build.rs: `nodelete`).
pub fn stay_mapped() {
    #[cfg(target_os = "macos")]
    {
        let mut here = core::mem::MaybeUninit::<libc::Dl_info>::uninit();
        let address = core::ptr::from_ref(&HERE).cast();
        // SAFETY: if `dladdr` succeeds, it fills `here`, whose path is then a string of dyld's. The handle is never
        // closed and so keeps the image mapped.
        unsafe {
            if libc::dladdr(address, here.as_mut_ptr()) != 0 {
                let path = here.assume_init().dli_fname;
                libc::dlopen(path, libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
            }
        }
    }
}

/// An address inside this library.
#[cfg(target_os = "macos")]
static HERE: u8 = 0;
