// The platforms with a package: Rust's name for each, how its binary is linked, the libraries that the binary may need, and the
// most bytes that it may have: docs/releasing.md.

import { WINDOWS_IMPORTS } from './windows.mjs'

/** Shared libraries of glibc; a newer glibc is one library and keeps these names. */
const GLIBC = ['libc.so.6', 'libm.so.6', 'libpthread.so.0', 'libdl.so.2']

const KIB = 1024

export const PLATFORMS = {
  'linux-x64-gnu': {
    format: 'ELF',
    most: 1024 * KIB,
    target: 'x86_64-unknown-linux-gnu',
    library: 'libhardware_aes_gcm.so',
    zig: 'x86_64-linux-gnu.2.17',
    machine: 62, // EM_X86_64
    needs: [...GLIBC, 'ld-linux-x86-64.so.2'],
    glibc: '2.17',
  },
  'linux-arm64-gnu': {
    format: 'ELF',
    most: 808 * KIB,
    target: 'aarch64-unknown-linux-gnu',
    library: 'libhardware_aes_gcm.so',
    zig: 'aarch64-linux-gnu.2.17',
    machine: 183, // EM_AARCH64
    needs: [...GLIBC, 'ld-linux-aarch64.so.1'],
    glibc: '2.17',
  },
  'linux-x64-musl': {
    format: 'ELF',
    most: 1024 * KIB,
    target: 'x86_64-unknown-linux-musl',
    library: 'libhardware_aes_gcm.so',
    zig: 'x86_64-linux-musl',
    machine: 62,
    needs: ['libc.so'],
  },
  'linux-arm64-musl': {
    format: 'ELF',
    most: 808 * KIB,
    target: 'aarch64-unknown-linux-musl',
    library: 'libhardware_aes_gcm.so',
    zig: 'aarch64-linux-musl',
    machine: 183,
    needs: ['libc.so'],
  },
  'darwin-arm64': {
    format: 'Mach-O',
    most: 764 * KIB,
    target: 'aarch64-apple-darwin',
    library: 'libhardware_aes_gcm.dylib',
    cpu: 'ARM64', // as LIEF names it
    minimumOs: '11.0',
    needs: ['/usr/lib/libSystem.B.dylib'],
  },
  'darwin-x64': {
    format: 'Mach-O',
    most: 804 * KIB,
    target: 'x86_64-apple-darwin',
    library: 'libhardware_aes_gcm.dylib',
    cpu: 'X86_64',
    minimumOs: '11.0',
    needs: ['/usr/lib/libSystem.B.dylib'],
  },
  'win32-x64': {
    format: 'PE',
    most: 1024 * KIB,
    target: 'x86_64-pc-windows-gnullvm',
    library: 'hardware_aes_gcm.dll',
    zig: 'x86_64-windows-gnu',
    machine: 0x8664, // IMAGE_FILE_MACHINE_AMD64
    needs: Object.keys(WINDOWS_IMPORTS),
    imports: WINDOWS_IMPORTS,
  },
}

/** The file in which a platform's package has its binary. */
export const binaryOf = name => `hardware-aes-gcm.${name}.node`
