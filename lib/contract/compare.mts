// Type comparisons for contracts: each file here compares one entry of the package with the documentation of that entry.

/** Whether two types are identical; assignability would let a narrower parameter or a wider result pass. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** The members that callers see: a class with private fields is otherwise identical to no other class. */
export type Public<T> = { [K in keyof T]: T[K] }

/** All members except those named. Not `Omit`, which keeps `readonly`: exports of a destructuring pattern are without it. */
export type Without<T, Names> = { [K in Exclude<keyof T, Names>]: T[K] }

/** A class as callers see it. */
export type Surface<Class extends abstract new (...values: never) => unknown> = {
  parameters: ConstructorParameters<Class>
  statics: Without<Class, 'prototype'>
  members: Public<InstanceType<Class>>
}

/** Compiles where every comparison is true. */
export type Proved<Comparisons extends readonly true[]> = Comparisons
