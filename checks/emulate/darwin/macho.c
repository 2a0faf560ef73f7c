/* A Node addon for arm64 Linux whose load(path, exports) runs one for arm64 Macs: maps, binds and registers the Mach-O.
 *
 * The machine code in a Mac's binary is arm64 code like any other. What differs is the file around it, which is this
 * file's business (segments; rebases and binds as opcodes; thread-local variables; initialisers), and the C library
 * below it, which is libsystem.c's. Node-API needs nothing: it is the same on both.
 *
 * The Mach-O is one that we built. What it may not be stops the process with a sentence; it is not read with the
 * suspicion that a stranger's file would need. */
#include "darwin.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <node_api.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The parts of <mach-o/loader.h> that are used, with its names. */
enum {
  MH_MAGIC_64 = 0xfeedfacf, CPU_TYPE_ARM64 = 0x0100000c, MH_DYLIB = 6,
  LC_SYMTAB = 0x2, LC_SEGMENT_64 = 0x19,
  LC_DYLD_INFO_ONLY = (int)0x80000022, LC_DYLD_CHAINED_FIXUPS = (int)0x80000034,
  SG_READ_ONLY = 0x10,
  S_MOD_INIT_FUNC_POINTERS = 0x9, S_INIT_FUNC_OFFSETS = 0x16,
  S_THREAD_LOCAL_REGULAR = 0x11, S_THREAD_LOCAL_ZEROFILL = 0x12,
  N_EXT = 1,
};
struct header { uint32_t magic, cputype, cpusubtype, filetype, ncmds, sizeofcmds, flags, reserved; };
struct command { uint32_t cmd, cmdsize; };
struct segment {
  struct command is;
  char name[16];
  uint64_t vmaddr, vmsize, fileoff, filesize;
  uint32_t maxprot, initprot, nsects, flags;
};
struct section {
  char name[16], segment[16];
  uint64_t addr, size;
  uint32_t offset, align, reloff, nreloc, flags, reserved[3];
};
struct span { uint32_t offset, size; };
struct dyld_info { struct command is; struct span rebase, bind, weak_bind, lazy_bind, exports; };
struct symtab { struct command is; uint32_t symoff, nsyms, stroff, strsize; };
struct symbol { uint32_t name; uint8_t type, section; uint16_t description; uint64_t value; };

enum { PAGE = 16384, MAX_SEGMENTS = 16 };

/* A process loads one Mach-O, once; every thread that requires it registers it again. */
static struct {
  const uint8_t *file;
  char path[4096];
  uint8_t *base; /* where address 0 of the image lies */
  uint64_t size;
  const struct segment *segments[MAX_SEGMENTS];
  unsigned segment_count;
  const struct dyld_info *fixups;
  const struct symtab *symbols;
  uint64_t locals, locals_initialised, locals_end; /* the template of the thread-local variables */
  napi_addon_register_func entry;
} image;

_Noreturn void stop(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("macho: ", stderr);
  vfprintf(stderr, format, arguments);
  fputs("\n", stderr);
  _exit(1);
}

static const struct section *sections(const struct segment *segment) { return (const struct section *)(segment + 1); }

static uint32_t type(const struct section *section) { return section->flags & 0xff; }

static void read_commands(const char *path) {
  const int fd = open(path, O_RDONLY);
  struct stat status;
  if (fd < 0 || fstat(fd, &status)) stop("%s cannot be read.", path);
  image.file = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  const struct header *header = (const void *)image.file;
  if (image.file == MAP_FAILED || header->magic != MH_MAGIC_64 || header->cputype != CPU_TYPE_ARM64 ||
      header->filetype != MH_DYLIB)
    stop("%s is not a dynamic library for arm64 Macs.", path);
  const uint8_t *at = (const uint8_t *)(header + 1);
  for (uint32_t i = 0; i < header->ncmds; i++) {
    const struct command *command = (const void *)at;
    switch ((int)command->cmd) {
    case LC_SEGMENT_64: {
      const struct segment *segment = (const void *)command;
      if (image.segment_count == MAX_SEGMENTS) stop("%s has more segments than %d.", path, MAX_SEGMENTS);
      image.segments[image.segment_count++] = segment;
      if (segment->vmaddr + segment->vmsize > image.size) image.size = segment->vmaddr + segment->vmsize;
      break;
    }
    case LC_DYLD_INFO_ONLY: image.fixups = (const void *)command; break;
    case LC_SYMTAB: image.symbols = (const void *)command; break;
    case LC_DYLD_CHAINED_FIXUPS: stop("%s has chained fixups, which are not read here: link it for macOS 11.", path);
    }
    at += command->cmdsize;
  }
  if (image.fixups == NULL || image.symbols == NULL) stop("%s has no fixups or no symbols.", path);
}

/* Copied rather than mapped from the file: its pages are 16 KiB, and those of this system may be larger. */
static void map_segments(void) {
  uint8_t *memory = mmap(NULL, image.size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) stop("no memory for the image.");
  image.base = (uint8_t *)(((uintptr_t)memory + PAGE - 1) & -(uintptr_t)PAGE);
  for (unsigned i = 0; i < image.segment_count; i++) {
    const struct segment *segment = image.segments[i];
    memcpy(image.base + segment->vmaddr, image.file + segment->fileoff, segment->filesize);
  }
}

static uint64_t uleb128(const uint8_t **at) {
  uint64_t value = 0;
  unsigned shift = 0;
  uint8_t byte;
  do {
    byte = *(*at)++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  return value;
}

static uint64_t *pointer(uint64_t address) {
  if (address > image.size - 8 || address % 8) stop("a fixup at %#lx, which is no place for a pointer.", address);
  return (uint64_t *)(image.base + address);
}

static uint64_t start_of(unsigned segment) {
  if (segment >= image.segment_count) stop("a fixup in segment %u, which is not there.", segment);
  return image.segments[segment]->vmaddr;
}

/* Pointers into the image: the file holds them as if it began at 0. */
static void rebase(struct span span) {
  const uint8_t *at = image.file + span.offset, *end = at + span.size;
  uint64_t address = 0;
  while (at < end) {
    const uint8_t opcode = *at & 0xf0, immediate = *at & 0x0f;
    uint64_t times = 0, skip = 0;
    at++;
    switch (opcode) {
    case 0x00: return;
    case 0x10: if (immediate != 1) stop("a rebase of something other than a pointer."); break;
    case 0x20: address = start_of(immediate) + uleb128(&at); break;
    case 0x30: address += uleb128(&at); break;
    case 0x40: address += immediate * 8; break;
    case 0x50: times = immediate; break;
    case 0x60: times = uleb128(&at); break;
    case 0x70: times = 1, skip = uleb128(&at); break;
    case 0x80: times = uleb128(&at), skip = uleb128(&at); break;
    default: stop("a rebase opcode %#x, which is not read here.", opcode);
    }
    for (; times > 0; times--, address += 8 + skip) *pointer(address) += (uint64_t)image.base;
  }
}

/* Pointers to imported symbols, the lazy ones at once as well: there a 0 ends each, where elsewhere it ends all. */
static void bind(struct span span, bool lazy) {
  const uint8_t *at = image.file + span.offset, *end = at + span.size;
  const char *symbol = NULL;
  uint64_t address = 0, addend = 0;
  while (at < end) {
    const uint8_t opcode = *at & 0xf0, immediate = *at & 0x0f;
    uint64_t times = 0, skip = 0;
    at++;
    switch (opcode) {
    case 0x00: if (!lazy) return; break;
    case 0x10: case 0x30: break; /* the library by its position: there is one */
    case 0x20: uleb128(&at); break;
    case 0x40: symbol = (const char *)at, at += strlen(symbol) + 1; break;
    case 0x50: if (immediate != 1) stop("a bind of something other than a pointer."); break;
    case 0x60: addend = uleb128(&at); break;
    case 0x70: address = start_of(immediate) + uleb128(&at); break;
    case 0x80: address += uleb128(&at); break;
    case 0x90: times = 1; break;
    case 0xa0: times = 1, skip = uleb128(&at); break;
    case 0xb0: times = 1, skip = immediate * 8; break;
    case 0xc0: times = uleb128(&at), skip = uleb128(&at); break;
    default: stop("a bind opcode %#x, which is not read here.", opcode);
    }
    for (; times > 0; times--, address += 8 + skip) *pointer(address) = (uint64_t)stand_in(symbol) + addend;
  }
}

/* As dyld leaves them: nothing is both written and run, and what only dyld writes cannot be written any more. */
static void protect_segments(void) {
  __builtin___clear_cache((char *)image.base, (char *)image.base + image.size);
  for (unsigned i = 0; i < image.segment_count; i++) {
    const struct segment *segment = image.segments[i];
    const int protection = segment->flags & SG_READ_ONLY ? PROT_READ : (int)segment->initprot;
    if (mprotect(image.base + segment->vmaddr, segment->vmsize, protection)) stop("a segment cannot be protected.");
  }
}

static void find_thread_locals(void) {
  image.locals = UINT64_MAX;
  for (unsigned i = 0; i < image.segment_count; i++) {
    const struct section *section = sections(image.segments[i]);
    for (uint32_t k = image.segments[i]->nsects; k > 0; k--, section++) {
      if (type(section) != S_THREAD_LOCAL_REGULAR && type(section) != S_THREAD_LOCAL_ZEROFILL) continue;
      const uint64_t end = section->addr + section->size;
      if (section->addr < image.locals) image.locals = section->addr;
      if (type(section) == S_THREAD_LOCAL_REGULAR) image.locals_initialised = end;
      if (end > image.locals_end) image.locals_end = end;
    }
  }
}

static void thread_locals(void) {
  if (image.locals_end == 0) return;
  const uint64_t initialised = image.locals_initialised ? image.locals_initialised - image.locals : 0;
  give_thread_locals(image.base + image.locals, initialised, image.locals_end - image.locals);
}

static void find_entry(const char *path) {
  const struct symbol *symbol = (const void *)(image.file + image.symbols->symoff);
  const char *names = (const char *)image.file + image.symbols->stroff;
  for (uint32_t i = image.symbols->nsyms; i > 0; i--, symbol++) {
    if ((symbol->type & N_EXT) && symbol->section && !strcmp(names + symbol->name, "_napi_register_module_v1"))
      image.entry = (napi_addon_register_func)(image.base + symbol->value);
  }
  if (image.entry == NULL) stop("%s exports no napi_register_module_v1.", path);
}

static void run_initialisers(void) {
  char *empty[] = {NULL};
  for (unsigned i = 0; i < image.segment_count; i++) {
    const struct section *section = sections(image.segments[i]);
    for (uint32_t k = image.segments[i]->nsects; k > 0; k--, section++) {
      if (type(section) == S_INIT_FUNC_OFFSETS) stop("initialisers as offsets, which are not read here.");
      if (type(section) != S_MOD_INIT_FUNC_POINTERS) continue;
      void (**run)(int, char **, char **, char **) = (void *)(image.base + section->addr);
      for (uint64_t n = section->size / 8; n > 0; n--) (*run++)(0, empty, empty, empty);
    }
  }
}

const char *image_around(const void *address) {
  const uint8_t *at = address;
  return at >= image.base && at < image.base + image.size ? image.path : NULL;
}

static void load_image(const char *path) {
  snprintf(image.path, sizeof image.path, "%s", path);
  read_commands(path);
  map_segments();
  rebase(image.fixups->rebase);
  if (image.fixups->weak_bind.size) stop("%s has weak binds, which are not read here.", path);
  bind(image.fixups->bind, false);
  bind(image.fixups->lazy_bind, true);
  protect_segments();
  find_thread_locals();
  find_entry(path);
}

static napi_value load(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  char path[4096];
  if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok ||
      napi_get_value_string_utf8(env, arguments[0], path, sizeof path, NULL) != napi_ok)
    stop("load(path, exports) was called with something else.");
  const bool first = image.entry == NULL;
  if (first) load_image(path);
  thread_locals();
  if (first) run_initialisers();
  const napi_value exports = image.entry(env, arguments[1]);
  if (!image_stays()) stop("the addon did not keep itself mapped: dyld would unload it with the last thread that loaded it.");
  return exports;
}

NAPI_MODULE_INIT() {
  napi_value function;
  if (napi_create_function(env, "load", NAPI_AUTO_LENGTH, load, NULL, &function) != napi_ok ||
      napi_set_named_property(env, exports, "load", function) != napi_ok)
    stop("Node gave no function.");
  return exports;
}
