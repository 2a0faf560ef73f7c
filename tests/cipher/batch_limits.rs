//! Batches at the limits of a key, without frames, with frames that are too short, and with ends that do not fit.

use crate::batch::{bare, ends, every, ranges};
use crate::common::{cells, key};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::batch::{Aad, Batch, Opened};
use hardware_aes_gcm::key::frames::OVERHEAD;
use hardware_aes_gcm::key::ledger::Limits;
use hardware_aes_gcm::key::ranges::{ErrorAt, Ranges};
use hardware_aes_gcm::key::{Key, Options};

/// A key with these limits, and `count` frames of 40 bytes that it can open.
fn limited(messages: u64, failures: u64, verify_first: bool, count: usize) -> (Key, Vec<u8>) {
    let cpu = Cpu::best().unwrap();
    let limits = Limits { messages, failures };
    let mut frames = vec![0; count * 40];
    let mut sealer = key(cpu, &[9; 32], Options::default());
    sealer.encrypt_batch(bare(every(cells(&mut frames), 40))).unwrap();
    (key(cpu, &[9; 32], Options { limits, verify_first, ..Options::default() }), frames)
}

#[test]
fn failures_stop_a_batch_at_their_limit() {
    for (verify_first, failures) in (1..=7).flat_map(|n| [(false, n), (true, n)]) {
        for forged in 0..1_u32 << 7 {
            let (mut key, mut frames) = limited(9, failures, verify_first, 7);
            let bad: Vec<u32> = (0..7).filter(|i| forged >> i & 1 == 1).collect();
            bad.iter().for_each(|i| frames[*i as usize * 40 + 20] ^= 1);
            let before = frames.clone();
            let opened = key.decrypt_batch(bare(every(cells(&mut frames), 40))).unwrap();
            let failed: Vec<u32> = bad.iter().copied().take(failures as usize).collect();
            let last = failed.get(failures as usize - 1).copied();
            let stopped_at = last.map(|last| last + 1).filter(|next| *next < 7);
            assert_eq!(opened, Opened { failed, stopped_at });
            for (i, (frame, before)) in (0..).zip(frames.chunks(40).zip(before.chunks(40))) {
                let untouched = bad.contains(&i) || stopped_at.is_some_and(|next| i >= next);
                assert_eq!(frame == before, untouched, "frame {i} of {forged:b} at {failures}");
            }
            assert_eq!(key.counts().failures, failures.min(bad.len() as u64));
            if last.is_some() {
                let again = frames.clone();
                let refusal = key.decrypt_batch(bare(every(cells(&mut frames), 40)));
                assert_eq!((refusal, &frames), (Err(Error::FailuresExhausted), &again));
            }
        }
    }
}

#[test]
fn short_frames_fail_alone() {
    let (mut key, sealed) = limited(9, 100, false, 2);
    for short in 0..OVERHEAD {
        let mut memory = [&sealed[..40], &vec![3; short], &sealed[40..], &vec![5; short]].concat();
        let ends = ends([40, short, 40, short]);
        let opened = key.decrypt_batch(bare(ranges(cells(&mut memory), &ends)));
        assert_eq!(opened, Ok(Opened { failed: vec![1, 3], stopped_at: None }));
        assert_eq!(memory[40..40 + short], vec![3; short]);
        assert_eq!(memory[80 + short..], vec![5; short]);
        assert_eq!(memory[12..24], [0; 12], "the first text");
        assert_eq!(memory[52 + short..64 + short], [0; 12], "the second text");
        let before = memory.clone();
        let refusal = key.encrypt_batch(bare(ranges(cells(&mut memory), &ends)));
        assert_eq!(refusal, Err(ErrorAt { error: Error::FrameTooShort, index: 1 }));
        assert_eq!((memory, key.counts().messages), (before, 0));
    }
}

#[test]
fn the_limit_of_messages_holds_for_a_batch_as_a_whole() {
    let (mut key, _) = limited(5, 1, false, 0);
    let mut frames = [7; 6 * 40];
    let mut encrypt = |count: usize| {
        let before = frames;
        let result = key.encrypt_batch(bare(every(cells(&mut frames[..count * 40]), 40)));
        let unchanged = frames == before;
        (result.map_err(|at| at.error), unchanged, key.counts().messages)
    };
    let refused = |messages| (Err(Error::EncryptionsExhausted), true, messages);
    assert_eq!(encrypt(6), refused(0));
    assert_eq!(encrypt(3), (Ok(()), false, 3));
    assert_eq!(encrypt(3), refused(3));
    assert_eq!(encrypt(2), (Ok(()), false, 5));
    assert_eq!(encrypt(1), refused(5));
    assert_eq!(encrypt(0), (Ok(()), true, 5), "no frames");
}

/// The last frame of a batch of one length may be shorter.
#[test]
fn a_shorter_last_frame_is_judged_and_counted() {
    for rest in 1..40 {
        let (mut key, _) = limited(3, 1, false, 0);
        let mut frames = vec![7; 2 * 40 + rest];
        let before = frames.clone();
        let mut encrypt = || key.encrypt_batch(bare(every(cells(&mut frames), 40)));
        if rest < OVERHEAD {
            assert_eq!(encrypt(), Err(ErrorAt { error: Error::FrameTooShort, index: 2 }));
            assert_eq!((frames, key.counts().messages), (before, 0));
            continue;
        }
        assert_eq!(encrypt(), Ok(()));
        let refusal = encrypt().map_err(|at| at.error);
        assert_eq!((refusal, key.counts().messages), (Err(Error::EncryptionsExhausted), 3));
        assert_ne!(frames[80..], before[80..]);
    }
}

#[test]
fn an_empty_batch_has_no_effect_and_a_destroyed_key_refuses_any() {
    let (mut key, mut frames) = limited(0, 0, true, 2);
    let before = frames.clone();
    let nothing = Ok(Opened { failed: vec![], stopped_at: None });
    assert_eq!(key.encrypt_batch(bare(ranges(cells(&mut frames), &[]))), Ok(()));
    assert_eq!(key.decrypt_batch(bare(ranges(cells(&mut frames), &[]))), nothing);
    assert_eq!(key.decrypt_batch(bare(every(&[], 1))), nothing);
    key.destroy();
    for ends in [&[][..], &[40, 80], &[1]] {
        let refusal = key.encrypt_batch(bare(ranges(cells(&mut frames), ends)));
        assert_eq!(refusal, Err(Error::Destroyed.into()));
        let refusal = key.decrypt_batch(bare(ranges(cells(&mut frames), ends)));
        assert_eq!(refusal, Err(Error::Destroyed));
    }
    assert_eq!(frames, before);
}

#[test]
fn ranges_must_ascend_within_their_memory() {
    let mut memory = [0; 100];
    let memory = cells(&mut memory);
    let refusal = |ends: &[u32]| Ranges::ending_at(memory, ends).err();
    let at = |error, index| Some(ErrorAt { error, index });
    for good in [&[][..], &[0], &[100], &[0, 0, 5, 5, 100, 100]] {
        assert_eq!(refusal(good), None);
        assert_eq!(ranges(memory, good).count(), good.len());
    }
    assert_eq!(refusal(&[101]), at(Error::EndOutside, 0));
    assert_eq!(refusal(&[5, 4]), at(Error::EndDescends, 1));
    assert_eq!(refusal(&[5, 7, 6, u32::MAX]), at(Error::EndDescends, 2));
    assert_eq!(refusal(&[5, u32::MAX, 6]), at(Error::EndOutside, 1));
    for (bytes, count) in [(1, 100), (33, 4), (50, 2), (99, 2), (100, 1), (101, 1), (usize::MAX, 1)]
    {
        assert_eq!(every(memory, bytes).count(), count, "{bytes} bytes each");
    }
    assert_eq!(every(&[], 1).count(), 0);
}

#[test]
fn associated_data_has_a_range_for_each_frame() {
    let (mut frames, mut aad) = ([0; 80], [0; 9]);
    let frames = every(cells(&mut frames), 40);
    let aad = cells(&mut aad);
    let refusal = |ends: &[u32]| Batch::new(frames, Aad::Each(ranges(aad, ends))).err();
    for (ends, wanted) in [
        (&[][..], Some(Error::AadCount)),
        (&[9], Some(Error::AadCount)),
        (&[0, 9], None),
        (&[0, 9, 9], Some(Error::AadCount)),
    ] {
        assert_eq!(refusal(ends), wanted, "{ends:?}");
    }
}
