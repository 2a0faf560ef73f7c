//! This process as its system sees it: children made by `fork`, and the flags of memory.
#![expect(unsafe_code, reason = "forks")]

/// Runs `body` in a child, and returns its exit code, or as an error the signal that ended the child.
pub(crate) fn in_a_child(body: impl FnOnce() -> i32) -> Result<i32, i32> {
    // SAFETY: the child runs `body` and ends; each body is one that a child of its process may run.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let code = body();
        // SAFETY: ends the child, without the parent's destructors.
        unsafe { libc::_exit(code) };
    }
    end_of(child)
}

/// Waits for a child, and returns its exit code, or as an error the signal that ended it.
pub(crate) fn end_of(child: libc::pid_t) -> Result<i32, i32> {
    let mut status = 0;
    // SAFETY: waits for a child of this process.
    let ended = unsafe { libc::waitpid(child, &mut status, 0) };
    assert!(ended > 0 && (child < 0 || ended == child), "no child ended");
    if libc::WIFEXITED(status) {
        Ok(libc::WEXITSTATUS(status))
    } else {
        Err(libc::WTERMSIG(status))
    }
}

/// [`end_of`] the one child that this process has.
pub(crate) fn end_of_child() -> Result<i32, i32> {
    end_of(-1)
}

/// The mappings of this process: where each begins and ends, and its flags (Linux, Documentation/filesystems/proc.rst).
pub(crate) fn mappings() -> Vec<([usize; 2], Vec<String>)> {
    let (mut all, mut range) = (Vec::new(), [0; 2]);
    for line in std::fs::read_to_string("/proc/self/smaps").unwrap().lines() {
        if let Some(bounds) = bounds(line) {
            range = bounds;
        } else if let Some(flags) = line.strip_prefix("VmFlags:") {
            all.push((range, flags.split_whitespace().map(str::to_owned).collect()));
        }
    }
    all
}

/// Where a mapping begins and ends, from the line of /proc/self/maps or smaps that says so.
pub(crate) fn bounds(line: &str) -> Option<[usize; 2]> {
    let (start, end) = line.split(' ').next()?.split_once('-')?;
    Some([usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?])
}
