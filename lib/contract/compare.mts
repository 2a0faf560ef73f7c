// The comparisons of a contract: one file in this folder for each path of the package, held against that path's manual.

/** Whether two types are identical; assignability would let a narrower parameter or a wider result pass. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** The members that callers see: a class with private fields is otherwise identical to no other class. */
export type Public<T> = { [K in keyof T]: T[K] }

/** The members but those named. Not `Omit`, which also compares whether a module declares an export by name or by pattern. */
export type Without<T, Names> = { [K in Exclude<keyof T, Names>]: T[K] }

/** A class as callers see it. */
export type Surface<Class extends abstract new (...values: never) => unknown> = {
  parameters: ConstructorParameters<Class>
  statics: Without<Class, 'prototype'>
  members: Public<InstanceType<Class>>
}

/** Compiles where every comparison is true. */
export type Proved<Comparisons extends readonly true[]> = Comparisons
