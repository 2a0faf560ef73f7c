// Builds the addon for one platform, and Rust's standard library for it from source: rustup's, or else Debian's with Debian's
// compiler. Linux builds every platform: zig links it or, for macOS, rust-lld against a list of the C functions used. A Mac
// builds for macOS, Windows does not build.
//
// The standard library and the crates are kept in the user's cache folder, so that the next build, in any clone, compiles this
// crate alone.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { env, platform } from 'node:process'
import { pypi } from '../pypi.mjs'
import { cache, root, run, runBeside, stop } from '../tools.mjs'
import { binaryOf, PLATFORMS } from './platforms.mjs'

/**
 * Builds one platform, and gives the path of the library to publish and, for Linux, that of its twin, from which this library
 * was stripped of its symbols. Several platforms can be built at a time. `begin` is called with what begins, in words.
 */
export async function buildLibrary(name, begin = () => {}) {
  const { format, target, library: file } = PLATFORMS[name]
  begin('prepares the compiler, the linker and the crates')
  const { at, environment, rust, targetDir } = compilerFor(name)
  // Cargo does not watch the linker's scripts and lists: without this, it would keep a library that older scripts linked.
  const clean = ['clean', '--release', '--quiet', '--package', 'hardware-aes-gcm', ...at]
  const build = ['build', '--release', '--features', 'node', '--lib', '--locked', '--quiet', ...at]
  begin("compiles Rust's standard library, unless the cache folder has it, the crates and the addon")
  for (const args of [clean, [...build, ...rust.arguments]])
    await runBeside(name, 'cargo', args, { env: environment })
  const built = join(targetDir, target, 'release', file)
  if (format !== 'ELF') return { library: built }
  begin('strips the symbols')
  const library = join(targetDir, binaryOf(name))
  // It looks for LLVM beside itself only if another program of rustup's starts it.
  const environmentOfTool = { ...env, LD_LIBRARY_PATH: join(ask('rustc', '--print', 'sysroot'), 'lib') }
  await runBeside(name, rustTool('rust-objcopy'), ['--strip-all', built, library], { env: environmentOfTool })
  return { library, unstripped: built }
}

/** The arguments and the environment with which Cargo builds for a platform, and the folder of its output. */
export function compilerFor(name) {
  const { target } = PLATFORMS[name]
  const rust = rustWithSources()
  // A folder for each platform, because Cargo locks the folder that it builds in.
  const targetDir = resolve(root, env.CARGO_TARGET_DIR ?? 'target', 'dist', name)
  const buildDir = env.CARGO_TARGET_DIR === undefined ? join(cache(), 'dist', name) : targetDir
  mkdirSync(buildDir, { recursive: true })
  const linker = linkerFor(name, buildDir)
  // Clones share the folder of the build, and their files' times say nothing about which are newer.
  const at = ['--target', target, '--target-dir', targetDir, '-Zchecksum-freshness']
  const environment = { ...plain(env), ...rust.env, ...linker.env, CARGO_BUILD_BUILD_DIR: buildDir }
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

/** The compiler to use: the environment and the arguments for Cargo, and the folder of the compiler and its library. */
function rustWithSources() {
  const rustup = ask('rustc', '--print', 'sysroot')
  const own = existsSync(join(rustup, 'lib', 'rustlib', 'src', 'rust', 'library'))
  const folder = own ? rustup : ask('bash', join(root, 'scripts', 'debian-rust.sh'), 'component add rust-src')
  return {
    folder,
    // A stable compiler builds the standard library only with RUSTC_BOOTSTRAP.
    env: { RUSTC_BOOTSTRAP: '1', ...(own ? {} : { RUSTC: join(folder, 'bin', 'rustc') }) },
    arguments: [
      // Without backtraces of panics, a binary is at least 150 KB smaller.
      ...['-Zbuild-std=std,panic_unwind', '-Zbuild-std-features=panic-unwind'],
      // It comes with std, and no code uses it. (If core were optimised less, too, the kernels would keep registers in memory.)
      '--config=profile.release.package.proc_macro.opt-level=0',
    ],
  }
}

/** The environment and the flags with which Cargo and rustc link for a platform. */
function linkerFor(name, folder) {
  const { target, zig: zigTarget, minimumOs } = PLATFORMS[name]
  const variable = `CARGO_TARGET_${target.toUpperCase().replaceAll('-', '_')}_LINKER`
  if (name.startsWith('win32')) {
    return {
      env: {
        [variable]: linkerScript('link-windows.sh', folder),
        LIBNODE_PATH: noNode(join(folder, 'libnode')),
        SOURCE_DATE_EPOCH: '0', // the linker would write the time of the build into the header
        ...zig(zigTarget),
      },
      flags: [],
    }
  }
  if (zigTarget !== undefined) {
    return {
      env: { [variable]: linkerScript('link-linux.sh', folder), ...zig(zigTarget) },
      flags: [
        '-Cstrip=none', // buildLibrary strips
        // As in .cargo/config.toml, whose flags are replaced by flags in the environment.
        '--cfg=getrandom_backend="linux_raw"',
        // For musl, Rust links the C library statically by default, which a shared library cannot do.
        ...(target.endsWith('-musl') ? ['-Ctarget-feature=-crt-static', '-Clink-self-contained=no'] : []),
      ],
    }
  }
  const environment = { MACOSX_DEPLOYMENT_TARGET: minimumOs }
  // The linker strips, not rustc afterwards, because the linker's signature must fit the published file. It signs by itself only
  // for Apple silicon.
  const options = [
    '-S',
    '-x',
    '-dead_strip_dylibs',
    '-adhoc_codesign',
    '-install_name',
    `@rpath/${binaryOf(name)}`,
  ]
  if (platform === 'darwin') {
    return { env: environment, flags: ['-Cstrip=none', ...options.map(option => `-Clink-arg=-Wl,${option}`)] }
  }
  return {
    env: {
      ...environment,
      [variable]: linkerScript('link-darwin.sh', folder),
      RUST_LLD: rustTool('rust-lld'),
      SDKROOT: sdk(join(folder, 'sdk')),
    },
    flags: [
      ...['-Zunstable-options', '-Clinker-flavor=darwin-lld', '-Cstrip=none'], // with RUSTC_BOOTSTRAP
      ...options.map(option => `-Clink-arg=${option}`),
    ],
  }
}

/** A copy of a script, in a folder that is the same for all clones: Cargo builds everything anew for a linker with another path. */
function linkerScript(name, folder) {
  const copy = join(folder, name)
  copyFileSync(join(root, 'scripts', 'dist', name), copy)
  return copy
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

/** A tool of LLVM's that rustup installs with the compiler. */
function rustTool(name) {
  const path = join(dirname(ask('rustc', '--print', 'target-libdir')), 'bin', name)
  if (!existsSync(path))
    stop(
      `The packages are linked with rustup's ${name}, and this Rust has none: install it from https://rustup.rs.`,
    )
  return path
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
    "--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos, x86_64-macos ]\ninstall-name: '/usr/lib/libiconv.2.dylib'\n...\n",
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
  ].map(([from, to]) => `--remap-path-prefix=${from}=${to}`)
}
