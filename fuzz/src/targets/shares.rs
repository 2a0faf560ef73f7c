//! Shares: any bytes, which a plain parser judges, and polynomials with errors, whose values at other points are known.

use crate::common::cells;
use crate::input::Input;
use crate::plant;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::ranges::ErrorAt;
use hardware_aes_gcm::protocol::shamir::point::{self, POINT_BYTES};
use hardware_aes_gcm::protocol::shamir::share::{SHARE_BYTES, Set, write_words};

pub(crate) fn of_a_secret(mut input: Input) {
    match input.byte() % 4 {
        0 => any_bytes(input),
        1 => with_points(input),
        _ => with_errors(input),
    }
}

fn at(error: Error, index: usize) -> Result<usize, ErrorAt> {
    Err(ErrorAt { error, index })
}

/// The model of `Set::parse`: the threshold, or the refusal.
fn judge(shares: &[u8]) -> Result<usize, ErrorAt> {
    let all: Vec<_> = shares.chunks(SHARE_BYTES).collect();
    if all.len() > 255 {
        return at(Error::TooManyShares, 0);
    }
    for (index, share) in all.iter().enumerate() {
        let whole = share.len() == SHARE_BYTES && share[0] == 1 && matches!(share[1], 16 | 32);
        if !whole || share[2] == 0 || share[3] == 0 {
            return at(Error::InvalidShare, index);
        }
        if share[1..3] != all[0][1..3] || share[4..20] != all[0][4..20] {
            return at(Error::MixedShares, index);
        }
    }
    for (index, share) in all.iter().enumerate() {
        if all[..index].iter().any(|before| before[3] == share[3]) {
            return at(Error::DuplicateShare, index);
        }
    }
    let threshold = all.first().map(|share| usize::from(share[2]));
    threshold.filter(|threshold| *threshold <= all.len()).map_or(at(Error::TooFewShares, 0), Ok)
}

fn any_bytes(mut input: Input) {
    let (mode, x) = (input.byte(), input.byte());
    let mut shares = input.rest().to_vec();
    if mode & 1 == 1 && shares.len() > 20 {
        // Headers alike and points that count up, so that more sets are consistent.
        let head: Vec<u8> =
            [&[1, if mode & 2 == 0 { 16 } else { 32 }][..], &shares[2..20]].concat();
        for (share, x) in shares.chunks_mut(SHARE_BYTES).zip(1..) {
            if let Some(to) = share.get_mut(..20) {
                to.copy_from_slice(&head);
                to[2] = head[2] % 8 + u8::from(mode & 4 == 0);
                to[3] = if mode & 8 == 0 { x } else { head[3].wrapping_mul(x) };
            }
        }
    }
    let expected = judge(&shares);
    let mut first: Option<Vec<u8>> = None;
    for cpu in Cpu::all() {
        let mut log = Vec::new();
        match Set::parse(cpu, cells(&mut shares)) {
            Ok(set) => {
                assert_eq!(expected.err(), None, "{}", cpu.name());
                let mut words = [0; 64];
                write_words(cells(&mut words).as_array().expect("64"), &set.shares().secrets());
                log.extend(words);
                let mut again = [0; SHARE_BYTES];
                let written = set.write_share(x, cells(&mut again));
                assert_eq!(written, if x == 0 { Err(Error::InvalidShare) } else { Ok(()) });
                // A share that is there comes out as it went in.
                if let Some(same) = shares.chunks(SHARE_BYTES).find(|share| share[3] == x) {
                    assert_eq!(again, same, "share {x} on {}", cpu.name());
                }
                log.extend(again);
                log.push(u8::from(set.shares().agree()));
                log.extend(set.shares().locate().into_iter().flatten().map(u8::from));
                for words in set.shares().leave_each_out().into_iter().flatten() {
                    log.extend(words.as_flattened().as_flattened());
                }
            }
            Err(error) => assert_eq!(Err(error), expected, "{}", cpu.name()),
        }
        match &first {
            None => first = Some(plant::result(log)),
            Some(first) => assert_eq!(*first, log, "{}", cpu.name()),
        }
    }
}

/// Any bytes as points and values.
fn with_points(mut input: Input) {
    let (threshold, x) = (input.byte() % 6, input.array::<32>());
    let mut shares = input.rest().to_vec();
    let all = shares.as_chunks::<POINT_BYTES>();
    let zero = all.0.iter().position(|share| share[..32] == [0; 32]);
    let twice =
        (0..all.0.len()).find(|i| all.0[..*i].iter().any(|one| one[..32] == all.0[*i][..32]));
    let unlike =
        [zero.map(|at| (at, Error::InvalidShare)), twice.map(|at| (at, Error::DuplicateShare))];
    let expected = if all.0.len() > 255 {
        at(Error::TooManyShares, 0)
    } else if !all.1.is_empty() {
        at(Error::InvalidShare, all.0.len())
    } else if let Some((index, error)) =
        unlike.into_iter().flatten().min_by_key(|(index, _)| *index)
    {
        at(error, index)
    } else if threshold == 0 || all.0.len() < usize::from(threshold) {
        at(Error::TooFewShares, 0)
    } else {
        Ok(usize::from(threshold))
    };
    let mut first: Option<Vec<u8>> = None;
    for cpu in Cpu::all() {
        let mut log = Vec::new();
        match point::parse(cpu, cells(&mut shares), threshold) {
            Ok(set) => {
                assert_eq!(expected.err(), None, "{}", cpu.name());
                log.extend(set.secrets().as_flattened().as_flattened());
                let (mut x, mut share) = (x, [0; POINT_BYTES]);
                let is_zero = x == [0; 32];
                let to = cells(&mut share).as_array().expect("64");
                let written = point::write_share(&set, cells(&mut x).as_array().expect("32"), to);
                assert_eq!(written, if is_zero { Err(Error::InvalidShare) } else { Ok(()) });
                log.extend(share);
                log.push(u8::from(set.agree()));
            }
            Err(error) => assert_eq!(Err(error), expected, "{}", cpu.name()),
        }
        match &first {
            None => first = Some(plant::result(log)),
            Some(first) => assert_eq!(*first, log, "{}", cpu.name()),
        }
    }
}

/// Shares of two polynomials, some values of which are wrong: the secret comes back if none is, and the wrong ones are told if they are
/// at most half of those above the threshold.
fn with_errors(mut input: Input) {
    let threshold = input.byte() % 4 + 1;
    let count = threshold + input.byte() % 6;
    let (wrong, other, which) = (input.word(), input.byte().max(1), input.byte());
    let polynomials: [Vec<[u8; 32]>; 2] = [(); 2].map(|()| {
        let coefficients = (0..threshold).map(|_| input.random(32).try_into().expect("32 bytes"));
        coefficients.collect()
    });
    let points: Vec<u8> = (0..count).map(|i| i * 5 + which % 5 + 1).collect();
    let value = |word: usize, point: u8| models::evaluate_at(&polynomials[word], point);
    let share = |point: u8| -> Vec<u8> {
        let head = [1, 32, threshold, point];
        [&head[..], &[0xc4; 16], &value(0, point), &value(1, point)].concat()
    };
    let is_wrong = |i: usize| wrong >> i & 1 == 1;
    let mut set = Vec::new();
    for (i, point) in points.iter().enumerate() {
        let mut share = share(*point);
        if is_wrong(i) {
            // Different bytes of both values, or of one.
            share[20 + usize::from(which % 32)] ^= other;
            share[52 + usize::from(which >> 3)] ^= if which & 4 == 0 { other } else { 0 };
        }
        set.extend(share);
    }
    let errors = (0..points.len()).filter(|i| is_wrong(*i)).count();
    let surplus = usize::from(count - threshold);
    let secrets = [0, 1].map(|word| polynomials[word][0]);
    for cpu in Cpu::all() {
        let name = cpu.name();
        let set = Set::parse(cpu, cells(&mut set)).expect("well-formed shares");
        let shares = set.shares();
        if errors == 0 {
            let mut words = [0; 64];
            write_words(cells(&mut words).as_array().expect("64"), &shares.secrets());
            let made = plant::result(words.to_vec());
            assert_eq!(made, secrets.as_flattened(), "{name}");
            let mut again = [0; SHARE_BYTES];
            set.write_share(other, cells(&mut again)).expect("not 0");
            assert_eq!(again[..], share(other), "share {other} on {name}");
            assert!(shares.agree() && shares.locate().is_none(), "{name}");
        } else if errors <= surplus {
            assert!(!shares.agree(), "{name}: {errors} errors, {surplus} to spare");
        }
        if errors > 0 && errors * 2 <= surplus {
            let found: Vec<bool> = (0..points.len()).map(is_wrong).collect();
            assert_eq!(shares.locate(), Some(found), "{name}");
        }
        if errors == 1 && surplus == 1 {
            let all: Vec<_> = shares.leave_each_out().expect("one to spare").collect();
            let wrong = (0..points.len()).find(|i| is_wrong(*i)).expect("one");
            let words = [0, 1].map(|word| models::in_a_share(&all[wrong][word]));
            assert_eq!(words, secrets, "{name}: without the wrong share");
        }
    }
}
