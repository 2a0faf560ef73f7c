/* A Node addon for Linux whose load(path, exports) runs one for Macs with the same CPU: maps, binds and registers the Mach-O.
 *
 * The machine code in a Mac's binary is code like any other. What differs is the file around it, which plan.py
 * reads and turns into steps, and the C library below it, for which libsystem.c stands in. Node-API is the same on both. */
#include "darwin.h"
#include <fcntl.h>
#include <inttypes.h>
#include <node_api.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 16384 }; /* of arm64; x64 has pages of 4 KiB */

typedef void initialiser(int, char **, char **, char **);

/* A process loads one Mach-O, once; every thread that requires it registers it again. */
static struct {
  int file;
  char path[4096];
  uint8_t *base; /* where address 0 of the image lies */
  uint64_t size;
  uint64_t locals, locals_initialised, locals_size; /* the template of the thread-local variables */
  initialiser **initialisers;
  uint64_t initialiser_count;
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

static uint64_t *pointer(uint64_t address) {
  if (address > image.size - 8 || address % 8) stop("a fixup at %#lx, which is no place for a pointer.", address);
  return (uint64_t *)(image.base + address);
}

/* Copied to, rather than mapped from the file: the pages of this system may be larger than those of the file. */
static void make_image(uint64_t size) {
  uint8_t *memory = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) stop("no memory for the image.");
  image.base = (uint8_t *)(((uintptr_t)memory + PAGE - 1) & -(uintptr_t)PAGE);
  image.size = size;
}

static void copy(uint64_t address, uint64_t offset, uint64_t size) {
  if (pread(image.file, image.base + address, size, offset) != (ssize_t)size) stop("%s is cut short.", image.path);
}

static void protect(uint64_t address, uint64_t size, int protection) {
  __builtin___clear_cache((char *)image.base + address, (char *)image.base + address + size);
  if (mprotect(image.base + address, size, protection)) stop("a segment cannot be protected.");
}

/* One line of the plan. Pointers into the image are rebased: the file holds them as if it began at 0. */
static void take(const char *step, const uint64_t n[4], const char *symbol) {
  if (!strcmp(step, "image")) make_image(n[0]);
  else if (!strcmp(step, "copy")) copy(n[0], n[1], n[2]);
  else if (!strcmp(step, "rebase")) *pointer(n[0]) += (uint64_t)image.base;
  else if (!strcmp(step, "bind")) *pointer(n[0]) = (uint64_t)stand_in(symbol) + n[1];
  else if (!strcmp(step, "protect")) protect(n[0], n[1], n[2]);
  else if (!strcmp(step, "locals")) image.locals = n[0], image.locals_initialised = n[1], image.locals_size = n[2];
  else if (!strcmp(step, "initialisers")) image.initialisers = (void *)pointer(n[0]), image.initialiser_count = n[1];
  else if (!strcmp(step, "entry")) image.entry = (napi_addon_register_func)(image.base + n[0]);
  else stop("the plan has a step %s, which is not known here.", step);
}

static void load_image(const char *path) {
  snprintf(image.path, sizeof image.path, "%s", path);
  image.file = open(path, O_RDONLY);
  FILE *plan = fopen(getenv("MACHO_PLAN"), "r");
  if (image.file < 0 || plan == NULL) stop("%s or its plan cannot be read.", path);
  char step[16], symbol[256];
  uint64_t n[4];
  while (fscanf(plan, "%15s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %255s", step, n, n + 1, n + 2, n + 3, symbol) == 6)
    take(step, n, symbol);
  if (!feof(plan) || image.entry == NULL) stop("the plan of %s is not whole.", path);
  fclose(plan);
}

static void run_initialisers(void) {
  char *empty[] = {NULL};
  for (uint64_t i = 0; i < image.initialiser_count; i++) image.initialisers[i](0, empty, empty, empty);
}

const char *image_around(const void *address) {
  const uint8_t *at = address;
  return at >= image.base && at < image.base + image.size ? image.path : NULL;
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
  if (image.locals_size) give_thread_locals(image.base + image.locals, image.locals_initialised, image.locals_size);
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
