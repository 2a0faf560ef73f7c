//! Every backend opens every message that another sealed. Proptest chooses keys, nonces, data and lengths, and reduces a
//! failure to its smallest case.

use crate::common::{cells, frame, key, seal};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::Options;
use hardware_aes_gcm::key::batch::{Aad, Batch, Opened};
use hardware_aes_gcm::key::frames::{NonceAt, OVERHEAD};
use hardware_aes_gcm::key::ranges::Ranges;
use proptest::collection::vec;
use proptest::prelude::*;

fn keys() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 16), vec(any::<u8>(), 32)]
}

/// Mostly short texts, with many kinds of tails; some longer than several strides of the widest backend.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![3 => vec(any::<u8>(), 0..600), 1 => vec(any::<u8>(), 0..5000)]
}

fn options() -> impl Strategy<Value = Options> {
    (any::<bool>(), any::<bool>()).prop_map(|(end, verify_first)| Options {
        nonce_at: if end { NonceAt::End } else { NonceAt::Start },
        verify_first,
        ..Options::default()
    })
}

proptest! {
    // A failure prints its smallest case, and writes no file beside the sources.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn detached_messages_open_on_every_backend(
        bytes in keys(), nonce in vec(any::<u8>(), 12), aad in vec(any::<u8>(), 0..300),
        text in texts(), options in options(), flip in any::<prop::sample::Index>(),
    ) {
        let mut keys: Vec<_> = Cpu::all().map(|cpu| key(cpu, &bytes, options)).collect();
        let sealed: Vec<_> = keys.iter_mut().map(|key| seal(key, &nonce, &aad, &text)).collect();
        for (ciphertext, tag) in &sealed {
            prop_assert_eq!((ciphertext, tag), (&sealed[0].0, &sealed[0].1));
        }
        let (mut nonce, mut aad) = (nonce, aad);
        let (nonce, aad) = (cells(&mut nonce), cells(&mut aad));
        for (key, (mut data, mut tag)) in keys.iter_mut().zip(sealed) {
            let opened = key.decrypt_detached(cells(&mut data), nonce, cells(&mut tag), aad);
            prop_assert_eq!((opened, &data), (Ok(()), &text));
            tag[flip.index(16)] ^= 1;
            let opened = key.decrypt_detached(cells(&mut data), nonce, cells(&mut tag), aad);
            prop_assert_eq!((opened, &data), (Err(Error::Authentication), &text));
        }
    }

    #[test]
    fn frames_open_on_every_backend(
        bytes in keys(), aad in vec(any::<u8>(), 0..300), text in texts(), options in options(),
    ) {
        let mut aad = aad;
        let aad = cells(&mut aad);
        for sealer in Cpu::all() {
            let mut frame = vec![0; text.len() + OVERHEAD];
            let mut sealer = key(sealer, &bytes, options);
            let sealed = sealer.encrypt_into(cells(&mut frame), cells(&mut text.clone()), aad);
            prop_assert_eq!(sealed, Ok(frame.len()));
            for opener in Cpu::all() {
                let mut data = vec![0; text.len()];
                let mut opener = key(opener, &bytes, options);
                let opened = opener.decrypt_into(cells(&mut data), cells(&mut frame), aad);
                prop_assert_eq!((opened, &data), (Ok(text.len()), &text));
            }
        }
    }

    #[test]
    fn batches_open_on_every_backend(
        bytes in keys(), texts in vec(vec(any::<u8>(), 0..200), 0..12), aads in vec(vec(any::<u8>(), 0..40), 12),
        options in options(), forged in any::<[bool; 12]>(), flip in any::<prop::sample::Index>(),
    ) {
        let ends = |lengths: Vec<usize>| -> Vec<u32> {
            (0..lengths.len()).map(|i| lengths[..=i].iter().sum::<usize>() as u32).collect()
        };
        let aads = &aads[..texts.len()];
        let frame_ends = ends(texts.iter().map(|text| text.len() + OVERHEAD).collect());
        let (aad_ends, mut aad) = (ends(aads.iter().map(Vec::len).collect()), aads.concat());
        let aad = Ranges::ending_at(cells(&mut aad), &aad_ends).unwrap();
        let plain: Vec<_> =
            texts.iter().map(|text| frame(options.nonce_at, &[0; 12], text, &[0; 16])).collect();
        for sealer in Cpu::all() {
            let mut sealed = plain.concat();
            let frames = Ranges::ending_at(cells(&mut sealed), &frame_ends).unwrap();
            let batch = Batch::new(frames, Aad::Each(aad)).unwrap();
            prop_assert_eq!(key(sealer, &bytes, options).encrypt_batch(batch), Ok(()));
            let mut failed = Vec::new();
            for (i, end) in (0..).zip(&frame_ends).filter(|(i, _)| forged[*i as usize]) {
                let length = texts[i as usize].len() + OVERHEAD;
                sealed[*end as usize - length + flip.index(length)] ^= 1;
                failed.push(i);
            }
            for opener in Cpu::all() {
                let mut opened = sealed.clone();
                let frames = Ranges::ending_at(cells(&mut opened), &frame_ends).unwrap();
                let batch = Batch::new(frames, Aad::Each(aad)).unwrap();
                let result = key(opener, &bytes, options).decrypt_batch(batch);
                prop_assert_eq!(result, Ok(Opened { failed: failed.clone(), stopped_at: None }));
                for (i, text) in texts.iter().enumerate() {
                    let end = frame_ends[i] as usize;
                    let range = end - text.len() - OVERHEAD..end;
                    if forged[i] {
                        prop_assert_eq!(&opened[range.clone()], &sealed[range]);
                    } else {
                        let start = if options.nonce_at == NonceAt::Start { 12 } else { 0 };
                        prop_assert_eq!(&opened[range][start..][..text.len()], &text[..]);
                    }
                }
            }
        }
    }
}
