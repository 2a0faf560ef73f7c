//! A CPU without AES has no backend. Ignored by default, since ordinary machines have AES: `AESGCM_CAP=none` simulates such
//! a CPU, and `checks/arm64.sh` hides AES from the emulated CPU.

#[test]
#[ignore = "needs a CPU without AES, which AESGCM_CAP=none simulates"]
fn no_backend_where_aes_is_hidden() {
    assert!(hardware_aes_gcm::backend::Cpu::best().is_none());
}
