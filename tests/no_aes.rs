//! A CPU without AES has no backend. Ignored, because no ordinary machine is one: `scripts/arm64.sh` hides the
//! CPU's AES and runs it.

#[test]
#[ignore = "needs a CPU that hides its AES: scripts/arm64.sh"]
fn no_backend_where_aes_is_hidden() {
    assert!(hardware_aes_gcm::backend::Cpu::best().is_none());
}
