//! A CPU without AES has no backend. Ignored, because no ordinary machine is one: `AESGCM_CAP=none` stands for one, and
//! `checks/arm64.sh` hides the CPU's AES.

#[test]
#[ignore = "needs a CPU without AES: AESGCM_CAP=none stands for one"]
fn no_backend_where_aes_is_hidden() {
    assert!(hardware_aes_gcm::backend::Cpu::best().is_none());
}
