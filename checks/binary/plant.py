"""The faults that needs.py must find: each spoils a copy of a good binary in one place, as a bad build would."""

import struct

import lief


def put(data, at, form, number):
    """Puts a number into a copy."""
    copy = bytearray(data)
    struct.pack_into(form, copy, at, number)
    return bytes(copy)


def rename(data, name, other):
    """Puts a name where one is that is not shorter."""
    old, new = name.encode() + b"\0", other.encode() + b"\0"
    assert len(old) >= len(new) and b"\0" + old in data, name
    return data.replace(b"\0" + old, b"\0" + new.ljust(len(old), b"\0"), 1)


def elf(data, platform):
    binary = lief.ELF.parse(data)
    offset = {section.name: section.file_offset for section in binary.sections}
    tags = [entry.tag for entry in binary.dynamic_entries]
    kinds = [segment.type for segment in binary.segments]

    def dynamic(name):
        return offset[".dynamic"] + 16 * tags.index(getattr(lief.ELF.DynamicEntry.TAG, name))

    def segment(name):
        return binary.header.program_header_offset + 56 * kinds.index(getattr(lief.ELF.Segment.TYPE, name))

    symbols = list(binary.dynamic_symbols)
    index, imported = next(
        (index, symbol)
        for index, symbol in enumerate(symbols)
        if symbol.shndx == 0 and symbol.binding == lief.ELF.Symbol.BINDING.GLOBAL and len(symbol.name) >= 6
    )
    yield "another machine", "for ELF machine 8,", put(data, 18, "<H", 8)
    yield "another library", r"needs libx\.so,", rename(data, binary.libraries[0], "libx.so")
    yield "a search path", "a search path", put(data, dynamic("NEEDED"), "<Q", 29)
    yield "no NODELETE", "lacks NODELETE", put(data, dynamic("FLAGS_1") + 8, "<Q", 1)
    yield "no BIND_NOW", "lacks BIND_NOW", put(data, dynamic("FLAGS") + 8, "<Q", 0)
    yield "no RELRO", "lacks RELRO", put(data, segment("GNU_RELRO"), "<I", 0)
    yield "an executable stack", "stack", put(data, segment("GNU_STACK") + 4, "<I", 7)
    yield "another export", "exports", put(data, offset[".dynsym"] + 24 * index + 6, "<H", 1)
    yield "a Node-API import", "imports napi_x", rename(data, imported.name, "napi_x")
    if "glibc" in platform:
        yield "a newer glibc", r"needs GLIBC_2\.34", rename(data, "GLIBC_2.17", "GLIBC_2.34")
        yield "a function of none", "does not have", put(data, offset[".gnu.version"] + 2 * index, "<H", 1)


def macho(data, platform):
    binary = lief.MachO.parse(data).at(0)
    at = {command.command.name: command.command_offset for command in binary.commands}
    symbols = list(binary.symbols)
    index = next(i for i, symbol in enumerate(symbols) if symbol.type == lief.MachO.Symbol.TYPE.UNDEFINED)
    long = next(symbol.name for symbol in symbols[index:] if len(symbol.name) >= 7)
    signature = binary.code_signature
    trie = binary.dyld_info.export_info[0] if binary.has_dyld_info else binary.dyld_exports_trie.data_offset
    directory = signature.data_offset + struct.unpack_from(">I", data, signature.data_offset + 16)[0]
    library = next(name for name in (library.name for library in binary.libraries) if name.startswith("/"))

    yield "another CPU", "no dylib for", put(data, 4, "<I", 0x01000012)  # PowerPC
    yield "flat names", "in every library", put(data, 24, "<I", 5)
    yield "one flat name", "in every library", put(data, binary.symbol_command.symbol_offset + 16 * index + 7, "B", 0xFE)
    yield "a newer macOS", r"needs macOS 15\.0", put(data, at["BUILD_VERSION"] + 12, "<I", 15 << 16)
    yield "an absolute install name", "its install name", rename(data, f"@rpath/{platform['binary']}", "/usr/lib/x.node")
    yield "another library", r"needs libx\.dylib", rename(data, library, "libx.dylib")
    yield "an unknown function", "imports _x,", rename(data, symbols[index].name, "_x")
    yield "a Node-API import", "_napi_x, which a", rename(data, long, "_napi_x")
    yield "another export", "exports mapi", put(data, data.index(b"napi_", trie), "B", ord("m"))
    yield "no signature", "no signature", put(data, at["CODE_SIGNATURE"], "<I", 0)
    yield "a signature cut short", "the whole file", put(data, at["CODE_SIGNATURE"] + 12, "<I", 16)
    yield "a signature by somebody", "not ad hoc", put(data, directory + 12, "<I", 0)
    yield "a change after signing", "after signing", put(data, binary.get_section("__text").offset, "<I", 0)


def pe(data, platform):
    binary = lief.PE.parse(data)
    header = binary.dos_header.addressof_new_exeheader + 4  # of COFF, after the signature
    optional = header + 20
    flags = struct.unpack_from("<H", data, optional + 70)[0]

    def directory(index):
        return optional + 112 + 8 * index

    def section(name):
        names = [section.name for section in binary.sections]
        return optional + binary.header.sizeof_optional_header + 40 * names.index(name)

    def import_name(name, other):
        """Puts a name into the table of imports, whose names have two bytes in front and end with zero."""
        start = binary.rva_to_offset(binary.import_dir.rva)
        at = data.index(b"\0" + name.encode() + b"\0", start) + 1
        return data[:at] + other.encode().ljust(len(name), b"\0") + data[at + len(name) :]

    entry = binary.get_export().entries[0]
    exported = data.index(entry.name.encode() + b"\0", binary.rva_to_offset(binary.export_dir.rva))
    yield "another machine", "no DLL for machine", put(data, header, "<H", 0xAA64)
    yield "a program, not a library", "no DLL for machine", put(data, header + 18, "<H", 0x22)
    yield "another library", r"needs libx\.dll,", import_name("KERNEL32.dll", "libx.dll")
    yield "an unknown function", "imports VirtualLocc of", import_name("VirtualLock", "VirtualLocc")
    yield "a Node-API import", "imports napi_x", import_name("VirtualLock", "napi_x")
    # The table of imports, also as that of delayed imports.
    late = put(data, directory(13), "<Q", struct.unpack_from("<Q", data, directory(1))[0])
    yield "imports at the first call", "at their first call", late
    yield "another export", "exports mapi", put(data, exported, "B", ord("m"))
    yield "no export", "exports nothing", put(data, directory(0), "<Q", 0)
    yield "one address for all", "lacks DYNAMIC_BASE", put(data, optional + 70, "<H", flags & ~0x40)
    yield "an address that is guessed", "lacks HIGH_ENTROPY_VA", put(data, optional + 70, "<H", flags & ~0x20)
    yield "data that is executed", "lacks NX_COMPAT", put(data, optional + 70, "<H", flags & ~0x100)
    yield "no relocations", "no relocations", put(data, directory(5), "<Q", 0)
    yield "code that is written", "writable and executable", put(data, section(".text") + 36, "<I", 0xE0000020)
    yield "the time of the build", "the time of its build", put(data, header + 4, "<I", 1)
    rdata = struct.pack("<II", binary.get_section(".rdata").virtual_address, 28)
    debugging = data[: directory(6)] + rdata + data[directory(6) + 8 :]
    yield "debug information", "a file of debug information", debugging
    yield "another Windows", r"needs Windows 11\.0", put(data, optional + 48, "<H", 11)


PLANTS = {"ELF": elf, "Mach-O": macho, "PE": pe}


def planted(data, platform):
    """The names of the planted faults, the words that must report each, and the spoiled copies."""
    yield from PLANTS[platform["format"]](data, platform)
    text = lief.parse(data).get_section("__text" if platform["format"] == "Mach-O" else ".text")
    start = text.offset
    yield "a path of a building machine", "names a folder", data[:start] + b"/root/lib.rs" + data[start + 12 :]
    if platform["target"].startswith("aarch64"):
        yield "no instructions", "no aese", data[:start] + bytes(text.size) + data[start + text.size :]
    yield "a byte too many", "bytes and may have", data.ljust(platform["most"] + 1, b"\0")
