//! Link settings of the addon: Node-API symbols are resolved by the host, and on Linux the library, once mapped, stays.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "node")]
    {
        napi_build::setup();
        // Node unloads an addon with the last worker that loaded it; nothing of ours may be left pointing into a hole.
        if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        }
    }
}
