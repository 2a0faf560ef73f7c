//! Compiles the calls of ipsec-mb, whose functions are C macros, where its header is installed.

use std::path::Path;

/// Where Debian's libipsec-mb-dev installs the header.
const HEADER: &str = "/usr/include/intel-ipsec-mb.h";

fn main() {
    println!("cargo:rustc-check-cfg=cfg(ipsec_mb)");
    println!("cargo:rerun-if-changed=src/peers/ipsec_mb.c");
    if Path::new(HEADER).exists() {
        println!("cargo:rerun-if-changed={HEADER}");
        println!("cargo:rustc-cfg=ipsec_mb");
        cc::Build::new().file("src/peers/ipsec_mb.c").compile("calls_of_ipsec_mb");
        println!("cargo:rustc-link-lib=dylib=IPSec_MB");
    }
}
