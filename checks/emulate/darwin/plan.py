"""Writes how an addon for Macs is loaded, step by step, for loader.c: plan.py FILE

Each line is a step, four numbers and a name. Addresses are the file's own: its image begins at 0.
"""

import sys

from lief import MachO

SECTION = MachO.Section.TYPE
READ_ONLY = 0x10  # SG_READ_ONLY: the loader alone writes there

library = MachO.parse(sys.argv[1]).at(0)


def step(what, *numbers, name="-"):
    print(what, *numbers, *[0] * (4 - len(numbers)), name)


def sections(*kinds):
    return [section for section in library.sections if section.type in kinds]


step("image", max(segment.virtual_address + segment.virtual_size for segment in library.segments))
for segment in library.segments:
    step("copy", segment.virtual_address, segment.file_offset, segment.file_size)
for pointer in library.relocations:
    step("rebase", pointer.address)
for binding in library.bindings:
    if binding.binding_class == MachO.DyldBindingInfo.CLASS.WEAK:
        sys.exit(f"plan.py: a weak binding of {binding.symbol.name}, which loader.c does not know")
    step("bind", binding.address, binding.addend, name=binding.symbol.name)
for segment in library.segments:
    protection = 1 if segment.flags & READ_ONLY else segment.init_protection
    step("protect", segment.virtual_address, segment.virtual_size, protection)
initialised = sections(SECTION.THREAD_LOCAL_REGULAR)
variables = initialised + sections(SECTION.THREAD_LOCAL_ZEROFILL)
if variables:
    start = min(section.virtual_address for section in variables)
    ends = [[section.virtual_address + section.size - start for section in part] for part in (initialised, variables)]
    step("locals", start, max(ends[0], default=0), max(ends[1]))
if sections(SECTION.INIT_FUNC_OFFSETS):
    sys.exit("plan.py: initialisers as offsets, which loader.c does not know")
for section in sections(SECTION.MOD_INIT_FUNC_POINTERS):
    step("initialisers", section.virtual_address, section.size // 8)
step("entry", library.get_symbol("_napi_register_module_v1").value)
