// Comparisons of types, for entries.mts.

/** Whether two types are identical. Assignability would accept narrower parameters. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Members as callers see them: a class with private fields equals no other class otherwise. */
export type Public<T> = { [K in keyof T]: T[K] }

/** All members except those named. Not `Omit`, which keeps `readonly`: manuals have none. */
export type Without<T, Names> = { [K in Exclude<keyof T, Names>]: T[K] }

type AnyClass = abstract new (...values: never) => unknown

/** A class as callers see it. */
export type Surface<Class extends AnyClass> = {
  parameters: ConstructorParameters<Class>
  statics: Without<Class, 'prototype'>
  members: Public<InstanceType<Class>>
}

/** Whether these classes have equal surfaces, each by itself: tsc tells objects of them apart. */
type SameSurfaces<A, B, Names extends keyof A & keyof B> = [
  {
    [Name in Names]: A[Name] extends AnyClass
      ? B[Name] extends AnyClass
        ? Same<Surface<A[Name]>, Surface<B[Name]>>
        : false
      : false
  }[Names],
] extends [true]
  ? true
  : false

/** Compiles where every comparison is true. */
export type Proved<Comparisons extends readonly true[]> = Comparisons

/**
 * Whether an entry exports exactly what its manual promises, with the same types. `Classes` are
 * compared by surface; `Others` mention their own side's instances, so the entry compares their
 * parts.
 */
export type Agrees<
  Promised,
  Actual,
  Classes extends keyof Promised & keyof Actual = never,
  Others extends keyof Promised & keyof Actual = never,
> = [
  Same<keyof Promised, keyof Actual>,
  Same<Without<Promised, Classes | Others>, Without<Actual, Classes | Others>>,
  SameSurfaces<Promised, Actual, Classes>,
]

/** Whether all exports are assignable to the promised ones: false for some private fields. */
export type Kept<Promised, Actual> = [Public<Actual>] extends [Public<Promised>] ? true : false
