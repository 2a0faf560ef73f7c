//! A target on inputs that are given, without libFuzzer: replay TARGET INPUT..., in hexadecimal digits. Miri runs it (checks/miri).
//!
//! It prints the backends that run, and each input that passed.

#[path = "../../tests/common/mod.rs"]
mod common;
mod input;
mod plant;
mod targets;

use hardware_aes_gcm::backend::{self, Cpu};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let target = targets::named(&arguments.next().unwrap_or_default());
    let absent: Vec<_> = backend::features().into_iter().filter(|(_, present)| !present).collect();
    assert!(absent.is_empty(), "a backend does not run, because of {absent:?}");
    println!("{}", Cpu::all().map(Cpu::name).collect::<Vec<_>>().join(" "));
    for digits in arguments {
        let bytes: Vec<u8> = digits.as_bytes().chunks(2).map(byte).collect();
        plant::consider(&bytes);
        target(input::Input::new(&bytes));
        println!("{digits}");
    }
}

fn byte(digits: &[u8]) -> u8 {
    let digits = str::from_utf8(digits).expect("text");
    u8::from_str_radix(digits, 16).expect("hexadecimal digits")
}
