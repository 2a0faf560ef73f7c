"""Rewrites a library's packed relocations as plain ones, for musl before 1.2.4: unpack-relocations.py LIBRARY

Packed (DT_RELR): a list of places that need the library's address added. A loader that does not know the list leaves
these places wrong, and the library crashes in its first constructor.
"""

import sys

from lief import ELF

path = sys.argv[1]
library = ELF.parse(path)
TYPE = ELF.Relocation.TYPE
relative = TYPE.AARCH64_RELATIVE if library.header.machine_type == ELF.ARCH.AARCH64 else TYPE.X86_64_RELATIVE
packed = [place for place in library.dynamic_relocations if place.encoding == ELF.Relocation.ENCODING.RELR]
for address in [place.address for place in packed]:
    plain = ELF.Relocation(address, relative, ELF.Relocation.ENCODING.RELA)
    plain.addend = int.from_bytes(library.get_content_from_virtual_address(address, 8), "little")
    library.add_dynamic_relocation(plain)
for tag in (ELF.DynamicEntry.TAG.RELR, ELF.DynamicEntry.TAG.RELRSZ, ELF.DynamicEntry.TAG.RELRENT):
    library.remove(tag)
config = ELF.Builder.config_t()
config.relr = False
library.write(path, config)
