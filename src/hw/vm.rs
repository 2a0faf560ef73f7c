//! Devices that count how often a virtual machine was restored from a snapshot.

use super::system;

/// A kind of device that counts restores, and where the count lies in the memory it maps.
pub(super) struct DeviceKind {
    pub(super) path: &'static str,
    offset: usize,
    /// Whether the count has 64 bits, not 32.
    wide: bool,
    /// Whether the device says that it keeps a count. The memory has `offset` bytes and the count.
    has_count: fn(*const u8) -> bool,
}

#[cfg(target_os = "linux")]
pub(super) const DEVICES: &[DeviceKind] = &[
    // struct vmclock_abi (Linux, include/uapi/linux/vmclock-abi.h), all little-endian: u32 magic
    // "VCLK" at 0, u64 flags at 24 with bit 8 for the u64 vm_generation_counter at 104.
    DeviceKind {
        path: "/dev/vmclock0",
        offset: 104,
        wide: true,
        // SAFETY: within the bytes that `has_count` may read.
        has_count: |memory| unsafe {
            memory.cast::<u32>().read_volatile() == 0x4b4c_4356
                && memory.add(24).cast::<u64>().read_volatile() & 1 << 8 != 0
        },
    },
    // The driver "System Generation ID": one u32.
    DeviceKind { path: "/dev/sysgenid", offset: 0, wide: false, has_count: |_| true },
];
#[cfg(not(target_os = "linux"))]
pub(super) const DEVICES: &[DeviceKind] = &[];

/// A device of this machine, mapped.
pub(super) struct Device {
    path: &'static str,
    memory: *const u8,
    wide: bool,
}

impl Device {
    /// Opens the device at its path; `None` where it is absent or keeps no count. A regular file is
    /// refused: its writers could forge restores, or end this process by shrinking it.
    pub(super) fn open(kind: &DeviceKind) -> Option<Self> {
        Self::map(kind, &system::open_device(kind.path)?)
    }

    /// Maps a device for reading, for good; `None` where it keeps no count. A test's file in place
    /// of a device must be long enough.
    pub(super) fn map(kind: &DeviceKind, file: &std::fs::File) -> Option<Self> {
        let length = kind.offset + if kind.wide { 8 } else { 4 };
        let mapping = system::map_device(file, length)?;
        let start = mapping.cast::<u8>().as_ptr().cast_const();
        if !(kind.has_count)(start) {
            // SAFETY: mapped above, and not shared.
            unsafe { system::release(mapping, length) };
            return None;
        }
        // SAFETY: inside the mapping.
        let memory = unsafe { start.add(kind.offset) };
        Some(Self { path: kind.path, memory, wide: kind.wide })
    }

    pub(super) fn path(&self) -> &'static str {
        self.path
    }

    /// The device's count of restores, which may start at any number.
    pub(super) fn count(&self) -> u64 {
        // SAFETY: mapped for good, aligned as the formats say; the kernel writes in one piece.
        unsafe {
            if self.wide {
                self.memory.cast::<u64>().read_volatile()
            } else {
                u64::from(self.memory.cast::<u32>().read_volatile())
            }
        }
    }
}

// SAFETY: `memory` is never unmapped and only read.
unsafe impl Sync for Device {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
    use super::*;
    use std::os::unix::fs::FileExt;

    /// Runs `trial` with a file in place of a device, and the file's path.
    fn with_fake(name: &str, trial: impl FnOnce(&std::fs::File, &DeviceKind, &str)) {
        let thread = std::thread::current().id();
        let path = std::env::temp_dir().join(format!("vm-{}-{thread:?}", std::process::id()));
        let mut options = std::fs::File::options();
        let file = options.create(true).truncate(true).read(true).write(true).open(&path).unwrap();
        file.set_len(4096).unwrap();
        let kind = DEVICES.iter().find(|kind| kind.path == name).unwrap();
        trial(&file, kind, path.to_str().unwrap());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn sysgenid_counts() {
        with_fake("/dev/sysgenid", |file, kind, _| {
            let device = Device::map(kind, file).unwrap();
            for restored in [0, 1, 2, u32::MAX] {
                file.write_all_at(&restored.to_ne_bytes(), 0).unwrap();
                assert_eq!(device.count(), u64::from(restored));
            }
        });
    }

    #[test]
    fn vmclock_counts_where_its_flag_says_so() {
        with_fake("/dev/vmclock0", |file, kind, _| {
            assert!(Device::map(kind, file).is_none(), "no magic");
            file.write_all_at(b"VCLK", 0).unwrap();
            assert!(Device::map(kind, file).is_none(), "no flag");
            file.write_all_at(&0x100_u64.to_le_bytes(), 24).unwrap();
            file.write_all_at(&(7_u64 << 32).to_le_bytes(), 104).unwrap();
            let device = Device::map(kind, file).unwrap();
            assert_eq!(device.count(), 7 << 32);
            file.write_all_at(&9_u64.to_le_bytes(), 16).unwrap();
            assert_eq!(device.count(), 7 << 32, "a live migration makes no copy");
            file.write_all_at(&(8_u64 << 32).to_le_bytes(), 104).unwrap();
            assert_eq!(device.count(), 8 << 32);
        });
    }

    /// Once, a regular file with a device's content was taken for a device.
    #[test]
    fn a_regular_file_at_a_devices_path_is_no_generation_device() {
        with_fake("/dev/sysgenid", |file, kind, path| {
            assert!(Device::map(kind, file).is_some(), "the content is a device's");
            let path = Box::leak(path.to_owned().into());
            assert!(Device::open(&DeviceKind { path, ..*kind }).is_none());
        });
    }

    #[test]
    fn a_pipe_at_a_devices_path_is_no_generation_device() {
        let name = std::env::temp_dir().join(format!("vm-{}-pipe", std::process::id()));
        let path: &'static str = Box::leak(name.to_str().unwrap().to_owned().into());
        let text = std::ffi::CString::new(path).unwrap();
        // SAFETY: a path that ends in zero.
        assert_eq!(unsafe { libc::mkfifo(text.as_ptr(), 0o600) }, 0);
        assert!(Device::open(&DeviceKind { path, ..*DEVICES.first().unwrap() }).is_none());
        std::fs::remove_file(name).unwrap();
    }

    #[test]
    fn an_absent_device_opens_as_none() {
        assert!(
            Device::open(&DeviceKind { path: "/nowhere", ..*DEVICES.first().unwrap() }).is_none()
        );
    }
}
