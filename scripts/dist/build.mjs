// Builds the addon for one platform. Linux builds every platform, with rustup's target if it is installed, otherwise with
// Debian's Rust. zig links it or, for macOS, rust-lld against a list of the C functions used. A Mac builds its own platform,
// Windows does not build.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { env, platform } from 'node:process'
import { pypi } from '../pypi.mjs'
import { cache, root, run, runBeside, stop } from '../tools.mjs'
import { binaryOf, PLATFORMS } from './platforms.mjs'

/** Builds one platform and gives the path of the library. Several platforms can be built at a time. */
export async function buildLibrary(name) {
  const { target, library } = PLATFORMS[name]
  const { at, environment, rust, targetDir } = compilerFor(name)
  // Cargo does not watch the linker's scripts and lists: without this, it would keep a library that older scripts linked.
  const clean = ['clean', '--release', '--quiet', '--package', 'hardware-aes-gcm', ...at]
  const build = ['build', '--release', '--features', 'node', '--lib', '--locked', '--quiet', ...at]
  for (const args of [clean, [...build, ...rust.arguments]])
    await runBeside(name, 'cargo', args, { env: environment })
  return join(targetDir, target, 'release', library)
}

/** The arguments and the environment with which Cargo builds for a platform, and the folder of its output. */
export function compilerFor(name) {
  const { target } = PLATFORMS[name]
  const rust = rustFor(target)
  // A folder for each platform, because Cargo locks the folder that it builds in.
  const targetDir = resolve(root, env.CARGO_TARGET_DIR ?? 'target', 'dist', name)
  const linker = linkerFor(name, targetDir)
  const at = ['--target', target, '--target-dir', targetDir]
  const environment = { ...plain(env), ...rust.env, ...linker.env }
  // Fetching comes before the flags are put together, because the flags name folders that Cargo makes here.
  run('cargo', ['fetch', '--locked', '--quiet', '--target', target])
  // These replace any flags of the machine.
  environment.CARGO_ENCODED_RUSTFLAGS = [...linker.flags, ...remap(rust.folder)].join('\x1f')
  return { at, environment, rust, targetDir }
}

/** The environment without the variables that overrule Cargo.toml. */
function plain(environment) {
  const setting = /^(?:CARGO_PROFILE_|CARGO_BUILD_|CARGO_ENCODED_|RUSTFLAGS$|RUSTC)/
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !setting.test(name)))
}

/** The output of a command. Its errors are shown, and its failure ends the process. */
function ask(command, ...args) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) stop(`This failed, for the reason above: ${command} ${args.join(' ')}`)
  return stdout.trim()
}

const hasStandardLibrary = folder =>
  existsSync(folder) && readdirSync(folder).some(file => file.startsWith('libstd-'))

/** The compiler to use: the environment and the arguments for Cargo, and the folder of the compiler and its library. */
function rustFor(target) {
  if (hasStandardLibrary(ask('rustc', '--print', 'target-libdir', '--target', target))) {
    return { folder: ask('rustc', '--print', 'sysroot'), env: {}, arguments: [] }
  }
  const folder = ask('bash', join(root, 'scripts', 'debian-rust.sh'), target)
  const RUSTC = join(folder, 'bin', 'rustc')
  if (hasStandardLibrary(ask(RUSTC, '--print', 'target-libdir', '--target', target))) {
    return { folder, env: { RUSTC }, arguments: [] }
  }
  // Builds the standard library from source, which a stable compiler does only with RUSTC_BOOTSTRAP. Without backtraces of
  // panics, a binary is at least 150 KB smaller.
  const options = ['-Zbuild-std=std,panic_unwind', '-Zbuild-std-features=panic-unwind']
  return { folder, env: { RUSTC, RUSTC_BOOTSTRAP: '1' }, arguments: options }
}

/** The environment and the flags with which Cargo and rustc link for a platform. */
function linkerFor(name, targetDir) {
  const { target, zig: zigTarget, minimumOs } = PLATFORMS[name]
  const variable = `CARGO_TARGET_${target.toUpperCase().replaceAll('-', '_')}_LINKER`
  if (name.startsWith('win32')) {
    return {
      env: {
        [variable]: join(root, 'scripts', 'dist', 'link-windows.sh'),
        LIBNODE_PATH: noNode(join(targetDir, 'libnode')),
        SOURCE_DATE_EPOCH: '0', // the linker would write the time of the build into the header
        ...zig(zigTarget),
      },
      flags: [],
    }
  }
  if (zigTarget !== undefined) {
    return {
      env: { [variable]: join(root, 'scripts', 'dist', 'link-linux.sh'), ...zig(zigTarget) },
      flags: [
        // As in .cargo/config.toml, whose flags are replaced by flags in the environment.
        '--cfg=getrandom_backend="linux_raw"',
        // For musl, Rust links the C library statically by default, which a shared library cannot do.
        ...(target.endsWith('-musl') ? ['-Ctarget-feature=-crt-static', '-Clink-self-contained=no'] : []),
      ],
    }
  }
  const environment = { MACOSX_DEPLOYMENT_TARGET: minimumOs }
  // The linker strips, not rustc afterwards, because the linker's signature must fit the published file.
  const options = ['-S', '-x', '-dead_strip_dylibs', '-install_name', `@rpath/${binaryOf(name)}`]
  if (platform === 'darwin') {
    return { env: environment, flags: ['-Cstrip=none', ...options.map(option => `-Clink-arg=-Wl,${option}`)] }
  }
  return {
    env: {
      ...environment,
      [variable]: join(root, 'scripts', 'dist', 'link-darwin.sh'),
      RUST_LLD: rustLld(),
      SDKROOT: sdk(join(targetDir, 'sdk')),
      RUSTC_BOOTSTRAP: '1', // for the next two flags
    },
    flags: [
      ...['-Zunstable-options', '-Clinker-flavor=darwin-lld', '-Cstrip=none'],
      ...options.map(option => `-Clink-arg=${option}`),
    ],
  }
}

/** The environment of the linker scripts that call zig. */
const zig = target => ({
  ZIG: join(pypi('scripts/dist/zig.txt'), 'ziglang', 'zig'),
  ZIG_TARGET: target,
  ZIG_GLOBAL_CACHE_DIR: join(cache(), 'zig-cache'),
  ZIG_LOCAL_CACHE_DIR: join(cache(), 'zig-cache'),
})

/** A libnode.dll without content: crate napi's build script asks for one, though napi finds Node's functions by itself. */
function noNode(folder) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'libnode.dll'), '')
  return folder
}

function rustLld() {
  const lld = join(dirname(ask('rustc', '--print', 'target-libdir')), 'bin', 'rust-lld')
  if (!existsSync(lld))
    stop(
      `darwin-arm64 is linked with rustup's rust-lld, and this Rust has none: install it from https://rustup.rs.`,
    )
  return lld
}

/** Stands in for Apple's SDK: the names of the libraries that Rust links, each with the same list of functions. */
function sdk(folder) {
  const libraries = join(folder, 'usr', 'lib')
  mkdirSync(libraries, { recursive: true })
  for (const name of ['System', 'c', 'm']) {
    copyFileSync(join(root, 'scripts', 'dist', 'libSystem.tbd'), join(libraries, `lib${name}.tbd`))
  }
  // The crate libc asks for libiconv, and the linker drops this library because no code uses it.
  writeFileSync(
    join(libraries, 'libiconv.tbd'),
    "--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos ]\ninstall-name: '/usr/lib/libiconv.2.dylib'\n...\n",
  )
  return folder
}

/** Flags that keep the building machine's folders out of the binary. If two flags match a path, rustc uses the last. */
function remap(rustFolder) {
  const cargoHome = env.CARGO_HOME ?? join(homedir(), '.cargo')
  const registries = join(cargoHome, 'registry', 'src')
  return [
    [cargoHome, 'cargo'],
    // Each folder is named after the address of a registry or of its mirror.
    ...readdirSync(registries).map(name => [join(registries, name), 'crates']),
    [rustFolder, 'rust'],
    [root, '.'],
  ].map(([from, to]) => `--remap-path-prefix=${from}=${to}`)
}
