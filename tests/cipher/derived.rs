//! What the ciphers share that derive the key of a message: frames, jobs and batches against a model, on every backend.

use crate::common::{Random, cells, every_mode, frame, key_of, sample};
use crate::model::book::Block;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::batch::{Aad, Batch};
use hardware_aes_gcm::key::frames::{NonceAt, overhead};
use hardware_aes_gcm::key::ranges::Ranges;
use hardware_aes_gcm::key::{Bounded, Options};
use std::thread;

/// Ciphertext and tag, of a key, a nonce, associated data and a plaintext.
pub(crate) type Model<const N: usize> = fn(&[u8], &[u8; N], &[u8], &[u8]) -> (Vec<u8>, Block);

/// Every mode with every length of keys.
fn modes(lengths_of_keys: &[usize]) -> impl Iterator<Item = (usize, (Cpu, Options))> {
    lengths_of_keys.iter().flat_map(|length| every_mode().map(move |mode| (*length, mode)))
}

/// Nonce, text and tag of a frame.
fn split<const N: usize>(nonce_at: NonceAt, frame: &[u8]) -> ([u8; N], Vec<u8>, Block) {
    let text = frame.len() - overhead::<N>();
    let (nonce, rest) = match nonce_at {
        NonceAt::Start => frame.split_at(N),
        NonceAt::End => (&frame[text + 16..], &frame[..text + 16]),
    };
    (nonce.try_into().unwrap(), rest[..text].to_vec(), rest[text..].try_into().unwrap())
}

/// Lengths round the ends of blocks, registers and groups, for which different powers of H are made.
fn lengths() -> impl Iterator<Item = usize> {
    (0..300).chain((300..1200).step_by(7)).chain([511, 512, 513, 1023, 1024, 1025, 2048, 5000])
}

/// Frames agree with the model, open, and are refused if they were changed.
pub(crate) fn frames<C: Bounded<N>, const N: usize>(lengths_of_keys: &[usize], seal: Model<N>) {
    let mut random = Random(0x7861_6573);
    for (length, (cpu, options)) in modes(lengths_of_keys) {
        let bytes = random.bytes(length);
        let mut key = key_of::<C, N>(cpu, &bytes, options);
        for length in sample(lengths()) {
            let context = format!("{length} on {}", cpu.name());
            let aad_bytes = random.below(200);
            let (text, mut aad) = (random.bytes(length), random.bytes(aad_bytes));
            let mut sealed = frame(options.nonce_at, &[0; N], &text, &[0; 16]);
            key.encrypt_in_place(cells(&mut sealed), cells(&mut aad)).unwrap();
            let (nonce, data, tag) = split::<N>(options.nonce_at, &sealed);
            assert_eq!(seal(&bytes, &nonce, &aad, &text), (data, tag), "{context}");

            let mut opened = sealed.clone();
            key.decrypt_in_place(cells(&mut opened), cells(&mut aad)).unwrap();
            assert_eq!(split::<N>(options.nonce_at, &opened).1, text, "{context}");

            let mut forged = sealed.clone();
            forged[random.below(sealed.len())] ^= 1 << random.below(8);
            let before = forged.clone();
            let refused = key.decrypt_in_place(cells(&mut forged), cells(&mut aad));
            assert_eq!((refused, forged), (Err(Error::Authentication), before), "{context}");

            let mut target = vec![7; length + overhead::<N>()];
            let (mut one, mut two) = (text.clone(), Vec::new());
            two.extend(one.drain(random.below(length + 1)..));
            let pieces = [cells(&mut one), cells(&mut two)];
            key.encrypt_pieces_into(cells(&mut target), &pieces, cells(&mut aad)).unwrap();
            let (nonce, data, tag) = split::<N>(options.nonce_at, &target);
            assert_eq!(seal(&bytes, &nonce, &aad, &text), (data, tag), "pieces, {context}");
            let mut plain = vec![7; length];
            key.decrypt_into(cells(&mut plain), cells(&mut target), cells(&mut aad)).unwrap();
            assert_eq!(plain, text, "{context}");
        }
    }
}

/// Jobs agree with the model, while their key is in use.
pub(crate) fn jobs<C: Bounded<N>, const N: usize>(lengths_of_keys: &[usize], seal: Model<N>) {
    let mut random = Random(0x6a6f_6273);
    for (length, (cpu, options)) in modes(lengths_of_keys) {
        let bytes = random.bytes(length);
        let mut key = key_of::<C, N>(cpu, &bytes, options);
        let mut arena = Arena::default();
        for length in sample([0, 1, 16, 100, 700, 3000].into_iter()) {
            let text = random.bytes(length);
            let mut plain = frame(options.nonce_at, &[0; N], &text, &[0; 16]);
            let job = key.encrypt_job(plain.len(), 0, &mut arena).unwrap();
            let worker = thread::spawn(move || (job.run(cells(&mut plain), &[]), plain));
            for _ in 0..20 {
                let mut meanwhile = random.bytes(200 + overhead::<N>());
                let before = meanwhile.clone();
                key.encrypt_in_place(cells(&mut meanwhile), &[]).unwrap();
                key.decrypt_in_place(cells(&mut meanwhile), &[]).unwrap();
                let text = |frame: &[u8]| split::<N>(options.nonce_at, frame).1;
                assert_eq!(text(&meanwhile), text(&before));
            }
            let (done, mut sealed) = worker.join().unwrap();
            assert_eq!(done, Ok(()));
            let (nonce, data, tag) = split::<N>(options.nonce_at, &sealed);
            assert_eq!(seal(&bytes, &nonce, &[], &text), (data, tag));
            let job = key.decrypt_job(sealed.len(), 0, &mut arena).unwrap();
            assert_eq!(arena.used(), 1, "a slot for the message, not for the key");
            key.decrypt_in_place(cells(&mut sealed), &[]).unwrap();
            key.encrypt_in_place(cells(&mut sealed), &[]).unwrap();
            let opened = thread::spawn(move || (job.run(cells(&mut sealed), &[]), sealed));
            let (done, opened) = opened.join().unwrap();
            assert_eq!((done, split::<N>(options.nonce_at, &opened).1), (Ok(()), text));
            assert_eq!(arena.used(), 0);
        }
    }
}

/// Batches agree with the model, and have a nonce for each frame.
pub(crate) fn batches<C: Bounded<N>, const N: usize>(lengths_of_keys: &[usize], seal: Model<N>) {
    let mut random = Random(0x6261_7463);
    for (length, (cpu, options)) in modes(lengths_of_keys) {
        let bytes = random.bytes(length);
        let mut key = key_of::<C, N>(cpu, &bytes, options);
        let (mut memory, mut ends) = (Vec::new(), Vec::new());
        for length in [0, 5, 64, 64, 500, 1300, 0] {
            memory.extend(random.bytes(length + overhead::<N>()));
            ends.push(memory.len() as u32);
        }
        let before = memory.clone();
        let mut aad = random.bytes(9);
        let aad_bytes = aad.clone();
        let aad = Aad::Same(cells(&mut aad));
        {
            let frames = Ranges::ending_at(cells(&mut memory), &ends).unwrap();
            key.encrypt_batch(Batch::new(frames, aad).unwrap()).unwrap();
        }
        let (mut start, mut numbers) = (0, Vec::new());
        for end in &ends {
            let end = *end as usize;
            let text = split::<N>(options.nonce_at, &before[start..end]).1;
            let (nonce, data, tag) = split::<N>(options.nonce_at, &memory[start..end]);
            assert_eq!(seal(&bytes, &nonce, &aad_bytes, &text), (data, tag));
            numbers.push(u64::from_le_bytes(*nonce.first_chunk().unwrap()));
            start = end;
        }
        let following = |pair: &[u64]| pair[0].wrapping_add(1) == pair[1];
        assert!(numbers.windows(2).all(following), "{numbers:x?}");
        let frames = Ranges::ending_at(cells(&mut memory), &ends).unwrap();
        let opened = key.decrypt_batch(Batch::new(frames, aad).unwrap()).unwrap();
        assert!(opened.failed.is_empty());
    }
}
