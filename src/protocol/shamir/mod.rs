//! Shamir's secret sharing over GF(2^256) (Shamir, 1979): a secret is the value at 0 of a
//! polynomial whose other coefficients are random, a share its value at `x`. `threshold` shares
//! determine it.
//!
//! - [`element`]: elements as bytes, and points.
//! - [`split`]: the values of a random polynomial.
//! - [`interpolate`]: the secret, another share, and the sums that show whether shares agree.
//! - `weights`: Lagrange's coefficients.
//! - `locate`: the shares that are wrong.
//! - [`share`], [`point`]: the two forms of a share.
//! - [`text`]: base32 and hexadecimal digits.
//!
//! Points are public. Values are secret: no branch, index or length depends on a value, except in
//! `locate`, which only sees sums that depend on the errors, not on the secret.

pub mod element;
pub mod interpolate;
mod locate;
pub mod point;
pub mod share;
pub mod split;
pub mod text;
mod weights;

/// Most shares of a secret.
pub const MAX_SHARES: usize = 255;
