//! Devices by which a virtual machine tells that it was restored from a snapshot.

use core::ptr;

/// A kind of device that counts restores: where the count lies in the memory it shows.
pub(super) struct Kind {
    pub(super) path: &'static str,
    offset: usize,
    wide: bool,
    /// Whether the memory says that the count is there; it has `offset` bytes and the count.
    is: fn(*const u8) -> bool,
}

#[cfg(test)]
impl Kind {
    /// The same at another path.
    pub(super) fn at(&self, path: &'static str) -> Self {
        Self { path, ..*self }
    }
}

#[cfg(target_os = "linux")]
pub(super) const DEVICES: &[Kind] = &[
    // struct vmclock_abi (Linux, include/uapi/linux/vmclock-abi.h), all little-endian: u32 magic "VCLK" at 0, u64
    // flags at 24 with bit 8 for the u64 vm_generation_counter at 104.
    Kind {
        path: "/dev/vmclock0",
        offset: 104,
        wide: true,
        // SAFETY: within the bytes that `is` may read.
        is: |memory| unsafe {
            memory.cast::<u32>().read_volatile() == 0x4b4c_4356
                && memory.add(24).cast::<u64>().read_volatile() & 1 << 8 != 0
        },
    },
    // The driver "System Generation ID": one u32.
    Kind { path: "/dev/sysgenid", offset: 0, wide: false, is: |_| true },
];
#[cfg(not(target_os = "linux"))]
pub(super) const DEVICES: &[Kind] = &[];

/// A device that is there.
pub(super) struct Device {
    path: &'static str,
    memory: *const u8,
    wide: bool,
}

impl Device {
    /// Maps it for reading, for good; none where it is not there or shows no count.
    pub(super) fn open(kind: &Kind) -> Option<Self> {
        use std::os::fd::AsRawFd;
        let file = std::fs::File::open(kind.path).ok()?;
        let length = kind.offset + if kind.wide { 8 } else { 4 };
        // A file in its place, which a test may put there and a container by mistake, must have the bytes it is asked for.
        let about = file.metadata().ok()?;
        if about.is_file() && about.len() < length as u64 {
            return None;
        }
        let (descriptor, shared) = (file.as_raw_fd(), libc::MAP_SHARED);
        // SAFETY: a new mapping, read only, that outlives the descriptor.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), length, libc::PROT_READ, shared, descriptor, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start = start.cast::<u8>().cast_const();
        if !(kind.is)(start) {
            // SAFETY: mapped above, and known to nobody.
            unsafe { libc::munmap(start.cast_mut().cast(), length) };
            return None;
        }
        // SAFETY: inside the mapping.
        let memory = unsafe { start.add(kind.offset) };
        Some(Self { path: kind.path, memory, wide: kind.wide })
    }

    pub(super) fn path(&self) -> &'static str {
        self.path
    }

    /// How often the machine was restored, in numbers of the device's.
    pub(super) fn count(&self) -> u64 {
        // SAFETY: `open` mapped it for good, aligned as the formats are; the kernel writes it whole.
        unsafe {
            if self.wide {
                self.memory.cast::<u64>().read_volatile()
            } else {
                u64::from(self.memory.cast::<u32>().read_volatile())
            }
        }
    }
}

// SAFETY: `memory` is a mapping for good that is only read.
unsafe impl Sync for Device {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
    use super::*;
    use std::os::unix::fs::FileExt;

    /// A file in place of a device.
    fn with_fake(name: &str, trial: impl FnOnce(&std::fs::File, Kind)) {
        let path = std::env::temp_dir().join(format!("vm-{}-{}", std::process::id(), name.len()));
        let file = std::fs::File::options().create(true).truncate(true).write(true).open(&path);
        let file = file.unwrap();
        file.set_len(4096).unwrap();
        let found = DEVICES.iter().find(|kind| kind.path == name).unwrap();
        let leaked: &'static str = Box::leak(path.to_str().unwrap().to_owned().into());
        trial(&file, found.at(leaked));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn sysgenid_counts() {
        with_fake("/dev/sysgenid", |file, kind| {
            let device = Device::open(&kind).unwrap();
            for restored in [0, 1, 2, u32::MAX] {
                file.write_all_at(&restored.to_ne_bytes(), 0).unwrap();
                assert_eq!(device.count(), u64::from(restored));
            }
        });
    }

    #[test]
    fn vmclock_counts_where_its_flag_says_so() {
        with_fake("/dev/vmclock0", |file, kind| {
            assert!(Device::open(&kind).is_none(), "no magic");
            file.write_all_at(b"VCLK", 0).unwrap();
            assert!(Device::open(&kind).is_none(), "no flag");
            file.write_all_at(&0x100_u64.to_le_bytes(), 24).unwrap();
            file.write_all_at(&(7_u64 << 32).to_le_bytes(), 104).unwrap();
            let device = Device::open(&kind).unwrap();
            assert_eq!(device.count(), 7 << 32);
            file.write_all_at(&9_u64.to_le_bytes(), 16).unwrap();
            assert_eq!(device.count(), 7 << 32, "a live migration is no twin");
            file.write_all_at(&(8_u64 << 32).to_le_bytes(), 104).unwrap();
            assert_eq!(device.count(), 8 << 32);
        });
    }

    #[test]
    fn a_device_that_is_not_there_is_none() {
        assert!(Device::open(&DEVICES.first().unwrap().at("/nowhere")).is_none());
    }
}
