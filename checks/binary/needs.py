"""Prints the faults of a binary's demands on the machine that loads it: needs.py [--self-test] PLATFORM FILE

PLATFORM is a row of scripts/dist/platforms.mjs as JSON, with the file name of its `binary`. LIEF reads the
file. --self-test plants every fault of plant.py in a copy first, and must find each.
"""

import hashlib
import json
import pathlib
import re
import struct
import sys

import lief

ROOT = pathlib.Path(__file__).parents[2]
ENTRY = "napi_register_module_v1"

# Pieces of paths that only a building machine has.
FOLDERS = [str(ROOT), str(pathlib.Path.home()), "/root/", "/home/", "/Users/", "/tmp/", "/.cargo/", "/.cache/"]

# Instructions of arm64 that every addon has: a mask, and the bits under it.
ARM64 = {"aese": (0xFFFFFC00, 0x4E284800), "pmull": (0xBFE0FC00, 0x0EE0E000), "eor3": (0xFFE08000, 0xCE000000)}

# The C functions that macOS 11 is known to have.
STUB = (ROOT / "scripts/dist/libSystem.tbd").read_text()
KNOWN = {name for names in re.findall(r"symbols: \[([^\]]*)\]", STUB) for name in re.split(r",\s*", names.strip())}

# Flags that the header of a DLL must have, and the reasons.
PE_FLAGS = {
    "DYNAMIC_BASE": "it would load at a known address",
    "HIGH_ENTROPY_VA": "its address could be guessed",
    "NX_COMPAT": "its data could be executed",
}

FLAG = lief.ELF.DynamicEntryFlags.FLAG
TAG = lief.ELF.DynamicEntry.TAG
BINDING = lief.ELF.Symbol.BINDING


def faults(data, platform):
    """Every fault of a binary, a sentence each."""
    if len(data) > platform["most"]:
        yield f"it has {len(data)} bytes and may have {platform['most']}: see docs/releasing.md"
    for folder in FOLDERS:
        found = len(folder) > 1 and re.search(re.escape(folder.encode()) + rb"[ -~]{0,100}", data)
        if found:
            yield f"it names a folder of the machine that built it: {found[0].decode()}"
    yield from FORMATS[platform["format"]](data, platform)


def elf_faults(data, platform):
    """Faults of a Linux binary."""
    binary = lief.ELF.parse(data)
    symbols = list(binary.dynamic_symbols)[1:]  # the first entry of a symbol table stands for no symbol
    imports = [symbol for symbol in symbols if symbol.shndx == 0]
    exports = [symbol.name for symbol in symbols if symbol.shndx != 0 and symbol.binding != BINDING.LOCAL]
    code = next(bytes(section.content) for section in binary.sections if section.name == ".text")
    yield from common_faults(platform, exports, [symbol.name for symbol in imports], binary.libraries, code)

    machine = struct.unpack_from("<H", data, 18)[0]
    if machine != platform["machine"]:
        yield f"it is for ELF machine {machine}, not {platform['machine']}"
    for entry in binary.dynamic_entries:
        if entry.tag in (TAG.RPATH, TAG.RUNPATH):
            yield f"it has a search path for libraries: {entry}"
    glibc = platform.get("glibc")
    for version in glibc_versions(binary):
        if glibc is None or not version.startswith("GLIBC_") or dotted(version[6:]) > dotted(glibc):
            yield f"it needs {version}, and {f'glibc {glibc} must do' if glibc else 'musl has no versions'}"
    # A weak import may be missing. Any other is in the C library that was linked against, and so has its version.
    for symbol in imports:
        version = symbol.symbol_version.value if symbol.symbol_version else 0
        if glibc and symbol.binding == BINDING.GLOBAL and version < 2:
            yield f"it imports {symbol.name}, which glibc {glibc} does not have"
    if not has_flag(binary, TAG.FLAGS_1, FLAG.NODELETE):
        yield "it lacks NODELETE: Node would unload it under its threads"
    if not has_flag(binary, TAG.FLAGS, FLAG.BIND_NOW):
        yield "it lacks BIND_NOW: a missing function would show at its first call, not at loading"
    if not any(segment.type == lief.ELF.Segment.TYPE.GNU_RELRO for segment in binary.segments):
        yield "it lacks RELRO: its tables of functions stay writable"
    if not binary.has_nx:
        yield "its stack is executable"


def has_flag(binary, tag, flag):
    entry = binary.get(tag)
    return entry is not None and flag in entry.flags


def glibc_versions(binary):
    """The versions that it needs of any library."""
    libraries = binary.symbols_version_requirement
    return [version.name for library in libraries for version in library.get_auxiliary_symbols()]


def dotted(version):
    return [int(number) if number.isdigit() else 1000 for number in version.split(".")]


def macho_faults(data, platform):
    """Faults of a macOS binary."""
    binary = lief.MachO.parse(data).at(0)
    header = binary.header
    cpu = getattr(lief.MachO.Header.CPU_TYPE, platform["cpu"])
    if header.cpu_type != cpu or header.file_type != lief.MachO.Header.FILE_TYPE.DYLIB:
        yield f"it is no dylib for {platform['cpu']}"
    code = bytes(binary.get_section("__text").content)
    exporting = binary.dyld_info if binary.has_dyld_info else binary.dyld_exports_trie
    exports = [entry.symbol.name.removeprefix("_") for entry in exporting.exports]
    imports = [symbol for symbol in binary.symbols if symbol.type == lief.MachO.Symbol.TYPE.UNDEFINED]
    libraries = [library for library in binary.libraries if library.command != lief.MachO.LoadCommand.TYPE.ID_DYLIB]
    needs = [library.name for library in libraries]
    yield from common_faults(platform, exports, [symbol.name for symbol in imports], needs, code)

    flat = [symbol.name for symbol in imports if symbol.description >> 8 == 0xFE]  # DYNAMIC_LOOKUP_ORDINAL
    if lief.MachO.Header.FLAGS.TWOLEVEL not in header.flags_list or flat:
        yield f"it would look for functions in every library: {', '.join(flat) or 'all of them'}"
    minimum = f"{binary.build_version.minos[0]}.{binary.build_version.minos[1]}" if binary.has_build_version else None
    if minimum != platform["minimumOs"]:
        yield f"it needs macOS {minimum}, not {platform['minimumOs']}"
    names = [library.name for library in binary.libraries if library not in libraries]
    if names != [f"@rpath/{platform['binary']}"]:
        yield f"its install name is {', '.join(names)}, not @rpath/{platform['binary']}"
    for path in binary.rpaths:
        yield f"it has a search path for libraries: {path.path}"
    for symbol in imports:
        if symbol.name not in KNOWN:
            yield f"it imports {symbol.name}, which scripts/dist/libSystem.tbd does not list: see there"
    if binary.has_code_signature:
        yield from signature_faults(data, binary.code_signature)
    else:
        yield "it has no signature: no Mac with Apple silicon would load it"


def signature_faults(data, signature):
    """Faults of the code signature, whose numbers are big-endian, and the pages that do not match their hashes."""
    start = signature.data_offset
    directory = start + struct.unpack_from(">I", data, start + 16)[0]
    flags, hashes, slots, limit = (struct.unpack_from(">I", data, directory + at)[0] for at in (12, 16, 28, 32))
    page = 1 << data[directory + 39]
    if not flags & 2:
        yield "its signature is not ad hoc"
    if limit != start or start + signature.data_size != len(data):
        yield "its signature does not cover the whole file"
    for number, at in enumerate(range(0, start, page)):
        digest = hashlib.sha256(data[at : min(at + page, start)]).digest()
        if number >= slots or not data.startswith(digest, directory + hashes + 32 * number):
            yield f"it was changed after signing: page {number} of {slots}"


def pe_faults(data, platform):
    """Faults of a Windows binary."""
    binary = lief.PE.parse(data)
    optional = binary.optional_header
    exports = [entry.name for entry in binary.get_export().entries] if binary.has_exports else []
    imports = [(library.name, entry.name) for library in binary.imports for entry in library.entries]
    needs = [library.name for library in binary.imports]
    code = bytes(binary.get_section(".text").content)
    yield from common_faults(platform, exports, [name for _, name in imports], needs, code)

    machine = binary.header.machine.value
    if machine != platform["machine"] or not binary.header.has_characteristic(lief.PE.Header.CHARACTERISTICS.DLL):
        yield f"it is no DLL for machine {machine:#x}, or not for {platform['machine']:#x}"
    for library, name in imports:
        if name not in platform["imports"].get(library, []):
            yield f"it imports {name} of {library}, which scripts/dist/windows.mjs does not list: see there"
    if binary.has_delay_imports:
        yield "it has imports that show as missing only at their first call"
    for name, meaning in PE_FLAGS.items():
        if not optional.has(getattr(lief.PE.OptionalHeader.DLL_CHARACTERISTICS, name)):
            yield f"it lacks {name}: {meaning}"
    if not binary.has_relocations:
        yield "it has no relocations: it would load at one address only"
    for section in binary.sections:
        flags = section.characteristics_lists
        kind = lief.PE.Section.CHARACTERISTICS
        if kind.MEM_WRITE in flags and kind.MEM_EXECUTE in flags:
            yield f"its section {section.name} is writable and executable"
    if binary.header.time_date_stamps != 0:
        yield "it holds the time of its build"
    if binary.has_debug:
        yield "it names a file of debug information"
    if (optional.major_subsystem_version, optional.minor_subsystem_version) > (10, 0):
        yield f"it needs Windows {optional.major_subsystem_version}.{optional.minor_subsystem_version}"


def common_faults(platform, exports, imports, needs, code):
    """Faults in any format."""
    if exports != [ENTRY]:
        yield f"it exports {', '.join(exports) or 'nothing'}, not {ENTRY} alone"
    for name in imports:
        if re.match("_?napi_", name):
            yield f"it imports {name}, which a runtime other than Node may not offer by name"
    for library in needs:
        if library not in platform["needs"]:
            yield f"it needs {library}, which not every system has"
    if platform["target"].startswith("aarch64"):
        words = struct.unpack_from(f"<{len(code) // 4}I", code)
        for name, (mask, bits) in ARM64.items():
            if all(word & mask != bits for word in words):
                yield f"it holds no {name} instruction"


FORMATS = {"ELF": elf_faults, "Mach-O": macho_faults, "PE": pe_faults}


def self_test(data, platform):
    """A check that never fails proves nothing."""
    from plant import planted

    count = 0
    for what, expected, spoiled in planted(data, platform):
        found = list(faults(spoiled, platform))
        if not any(re.search(expected, fault) for fault in found):
            sys.exit(f"self-test: {what} was planted and not found; what was: {'; '.join(found) or 'nothing'}")
        count += 1
    print(f"{platform['binary']}: {count} planted faults found")


def main(arguments):
    lief.logging.disable()  # it reports what it cannot read of planted faults
    testing = "--self-test" in arguments
    row, path = (argument for argument in arguments if argument != "--self-test")
    platform, data = json.loads(row), pathlib.Path(path).read_bytes()
    if testing:
        self_test(data, platform)
    wrong = list(faults(data, platform))
    for fault in wrong:
        print(f"{path}: {fault}", file=sys.stderr)
    if wrong:
        sys.exit(1)
    system = {
        "ELF": f"glibc {platform['glibc']}" if "glibc" in platform else "musl",
        "Mach-O": f"macOS {platform.get('minimumOs')}, all pages signed",
        "PE": "Windows 10",
    }[platform["format"]]
    print(f"{platform['binary']}: {len(data)} of {platform['most']} bytes, for {system}")


if __name__ == "__main__":
    main(sys.argv[1:])
