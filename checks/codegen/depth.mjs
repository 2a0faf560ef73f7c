// How deep a kernel reaches into the stack. Only a part of fixed size is cleared after it, so it must not spill deeper.

/** Entry points of single blocks, which run under the `forget` of every backend. */
const SHARED = ['expand', 'encrypt']
/** Bytes below its caller's frame that `forget` clears after a kernel (src/backend). */
const cleared = ({ backend, entry }) => (backend === 'vaes512' || SHARED.includes(entry) ? 256 : 512)
/** Bytes that a leaf function may use (System V ABI). */
const RED_ZONE = 128

/** An upper bound of the bytes that a function takes: by pushing, and by moving and aligning the stack pointer. */
function frame(code) {
  let bytes = 0
  for (const { op, args } of code) {
    if (op === 'push') bytes += 8
    else if (args[0] !== 'rsp' || (op !== 'sub' && op !== 'and')) continue
    else bytes += op === 'sub' ? Number(args[1]) : 64
  }
  return bytes
}

/** Bytes below the return address of a kernel that the kernel and the functions it calls may write to. */
function reach({ code, calls }, above = new Set()) {
  const below = [...calls]
    .filter(other => !above.has(other))
    .map(other => 8 + reach(other, new Set([...above, other])))
  return frame(code) + Math.max(RED_ZONE, ...below)
}

/** Faults of entry points that reach deeper into the stack than `forget` clears. */
export function* deep(kernels) {
  for (const kernel of kernels.filter(({ entry }) => entry)) {
    kernel.depth = reach(kernel)
    if (!(kernel.depth <= cleared(kernel)))
      yield [kernel, `reaches ${kernel.depth} bytes into the stack, of which ${cleared(kernel)} are cleared`]
  }
}
