//! The kernel on arrays in more shapes than `cipher` has, and with derived keys: the widths of the backends, and others.
//! checks/shapes.mjs runs it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]
#![allow(dead_code, reason = "`cipher` uses the rest")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../model/mod.rs"]
mod model;

#[path = "../cipher/agree.rs"]
mod agree;
#[path = "../cipher/arrays.rs"]
mod arrays;
mod derived;

const SHAPES: &[fn(&agree::Case)] = &[
    arrays::check_kernel::<1, 6, 7>,
    arrays::check_kernel::<1, 8, 9>,
    arrays::check_kernel::<2, 3, 7>,
    arrays::check_kernel::<2, 6, 13>,
    arrays::check_kernel::<2, 8, 17>,
    arrays::check_kernel::<3, 2, 7>,
    arrays::check_kernel::<3, 5, 16>,
    arrays::check_kernel::<4, 8, 33>,
    arrays::check_kernel::<8, 1, 9>,
    arrays::check_kernel::<8, 4, 33>,
];
