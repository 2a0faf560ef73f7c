//! Link settings of the addon: the host resolves the Node-API symbols, and on Linux the library is never unmapped.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "node")]
    {
        // On Windows it would link Node's functions by name, which napi looks up itself (feature `dyn-symbols`).
        if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("windows") {
            napi_build::setup();
        }
        // Node unloads an addon with the last worker that loaded it. Code addresses that are still registered
        // then, such as the handler of forks, must stay valid.
        if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        }
    }
}
