// The platform packages, as literal paths for tools that trace files. No code calls this.

declare const __webpack_require__: unknown

/**
 * Turbopack traces only the module's own `require`: without this function, Next.js omits the binary
 * from `output: 'standalone'`. esbuild and Rollup do not bundle what `require.resolve` names.
 * webpack and Turbopack would fail on it, but know the values of the condition, so their bundles
 * have only the first line. Without `try`, esbuild warns of missing packages.
 */
export function traced(): void {
  if (typeof __webpack_require__ !== 'undefined' || process.env.TURBOPACK) return
  try {
    require.resolve('@hardware-aes-gcm/linux-x64-gnu')
    require.resolve('@hardware-aes-gcm/linux-x64-musl')
    require.resolve('@hardware-aes-gcm/linux-arm64-gnu')
    require.resolve('@hardware-aes-gcm/linux-arm64-musl')
    require.resolve('@hardware-aes-gcm/darwin-arm64')
    require.resolve('@hardware-aes-gcm/darwin-x64')
    require.resolve('@hardware-aes-gcm/win32-x64')
  } catch {}
}
