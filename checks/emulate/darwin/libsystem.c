/* Stand-ins, on top of glibc, for the functions that an addon for Macs imports from macOS's C library.
 *
 * A symbol is bound to glibc's function of that name if both systems promise the same, to a function of ours if they do
 * not, or to a trap if only a panic calls it. A symbol that is not listed stops the load: compare the two systems before
 * you list it.
 *
 * On arm64, Apple's calling convention differs for variadic arguments, for small arguments on the stack, and in the side that
 * widens a char. This affects neither the listed functions (traps aside) nor Node-API as the addon uses it. Apple's arm64 code
 * keeps 128 bytes below the stack pointer, which a signal handler on Linux would overwrite; the test program takes no signals.
 * errno has glibc's numbers. */
#define _GNU_SOURCE
#include "darwin.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* ---- thread-local variables ---- */

/* One copy for each thread that loads the addon, and no JavaScript thread comes to it otherwise. Never freed: a
 * destructor may run later than anything that could free it. */
__attribute__((used)) static __thread char *thread_locals __attribute__((tls_model("initial-exec")));

void give_thread_locals(const void *initial, size_t initialised, size_t size) {
  if (thread_locals != NULL) return;
  thread_locals = aligned_alloc(64, (size + 63) / 64 * 64);
  if (thread_locals == NULL) stop("no memory for thread-local variables.");
  memset(thread_locals, 0, size);
  memcpy(thread_locals, initial, initialised);
}

__attribute__((used)) static _Noreturn void no_thread_locals(void) {
  stop("a thread that has not loaded the addon asked for a thread-local variable.");
}

/* dyld's thunk: from a descriptor (function, key, offset) to the variable's address. Compilers count on other registers being
 * kept, hence assembly: on arm64 from x0 to x0, and x16 and x17 may change; on x64 from rdi to rax. */
void tlv_thunk(void);
__asm__(".text\n"
        ".type tlv_thunk, %function\n"
        "tlv_thunk:\n"
#ifdef __aarch64__
        "  adrp x16, :gottprel:thread_locals\n"
        "  ldr x16, [x16, :gottprel_lo12:thread_locals]\n"
        "  mrs x17, tpidr_el0\n"
        "  ldr x16, [x17, x16]\n"
        "  cbz x16, no_thread_locals\n"
        "  ldr x0, [x0, #16]\n"
        "  add x0, x0, x16\n"
#else
        "  movq thread_locals@gottpoff(%rip), %rax\n"
        "  movq %fs:(%rax), %rax\n"
        "  testq %rax, %rax\n"
        "  jz no_thread_locals\n"
        "  addq 16(%rdi), %rax\n"
#endif
        "  ret\n");

int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern void *__dso_handle;
static void mac__tlv_atexit(void (*destroy)(void *), void *object) {
  __cxa_thread_atexit_impl(destroy, object, &__dso_handle);
}

/* ---- where the systems differ ---- */

static int *mac___error(void) { return __errno_location(); }

enum { kCCRNGFailure = -4307 };
static int mac_CCRandomGenerateBytes(void *bytes, size_t count) {
  return getentropy(bytes, count) ? kCCRNGFailure : 0;
}

/* <dlfcn.h> of macOS. */
enum { MAC_RTLD_NOW = 0x2, MAC_RTLD_NOLOAD = 0x10, MAC_RTLD_NODELETE = 0x80 };

static const char *own_path; /* as dladdr gave it */
static bool stays;

bool image_stays(void) { return stays; }

/* glibc does not know the image. The addon reads only the fields that are written here. */
static int mac_dladdr(const void *address, Dl_info *found) {
  *found = (Dl_info){.dli_fname = own_path = image_around(address)};
  return own_path != NULL;
}

/* The process, by its null name, and the addon itself, to stay mapped for good; no other library. */
static void *mac_dlopen(const char *path, int mode) {
  if (path == NULL) return dlopen(NULL, RTLD_NOW);
  if (path != own_path) stop("the addon opens the library %s: it has to do without.", path);
  if (mode != (MAC_RTLD_NOW | MAC_RTLD_NOLOAD | MAC_RTLD_NODELETE))
    stop("the addon opens itself in mode %#x: add it to libsystem.c.", mode);
  stays = true;
  return dlopen(NULL, RTLD_NOW);
}

/* Node-API and libuv are the host's. What else the host has is not for code that thinks itself on a Mac. */
static void *mac_dlsym(void *handle, const char *name) {
  if (strncmp(name, "napi_", 5) && strncmp(name, "node_api_", 9) && strncmp(name, "uv_", 3))
    stop("the addon looks for %s by name: add a stand-in to libsystem.c.", name);
  return dlsym(handle, name);
}

/* macOS takes only whole pages. */
#ifdef __aarch64__
enum { MAC_PAGE = 16384 };
#else
enum { MAC_PAGE = 4096 };
#endif
enum { MAC_SC_PAGESIZE = 29, MAC_MAP_PRIVATE = 0x2, MAC_MAP_ANON = 0x1000 };

static void must_be_pages(const char *function, const void *start, size_t length) {
  if ((uintptr_t)start % MAC_PAGE || length % MAC_PAGE || length == 0)
    stop("%s(%p, %zu): these are not pages of a Mac.", function, start, length);
}

static long mac_sysconf(int name) {
  if (name != MAC_SC_PAGESIZE) stop("sysconf(%d): add it to libsystem.c.", name);
  return MAC_PAGE;
}

/* Fresh memory only. The backtrace of a panic, which rustup's standard library has, would map a file: that stops the program. */
static void *mac_mmap(void *hint, size_t length, int protection, int flags, int fd, off_t offset) {
  if (hint || flags != (MAC_MAP_PRIVATE | MAC_MAP_ANON) || fd != -1 || offset)
    stop("mmap(%p, %zu, %d, %#x, %d): add it to libsystem.c, unless the addon panicked.", hint, length, protection, flags, fd);
  must_be_pages("mmap", NULL, length);
  if (length > SIZE_MAX - MAC_PAGE) return MAP_FAILED;
  char *start = mmap(NULL, length + MAC_PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return MAP_FAILED;
  const size_t before = -(uintptr_t)start % MAC_PAGE;
  if (before) munmap(start, before);
  munmap(start + before + length, MAC_PAGE - before);
  return start + before;
}

static int mac_munmap(void *start, size_t length) {
  must_be_pages("munmap", start, length);
  return munmap(start, length);
}

/* The three protections have the same numbers. */
static int mac_mprotect(void *start, size_t length, int protection) {
  must_be_pages("mprotect", start, length);
  return mprotect(start, length, protection);
}

static int mac_mlock(const void *start, size_t length) {
  must_be_pages("mlock", start, length);
  return mlock(start, length);
}

/* <time.h> of macOS. Both count from the start of the machine, and so do these. */
enum { MAC_CLOCK_MONOTONIC_RAW_APPROX = 5, MAC_CLOCK_UPTIME_RAW = 8 };
static int mac_clock_gettime(int clock, struct timespec *now) {
  switch (clock) {
  case MAC_CLOCK_MONOTONIC_RAW_APPROX: return clock_gettime(CLOCK_MONOTONIC_COARSE, now);
  case MAC_CLOCK_UPTIME_RAW: return clock_gettime(CLOCK_MONOTONIC, now);
  }
  stop("clock_gettime(%d): add it to libsystem.c.", clock);
}

/* ---- the list ---- */

#define SAME(X) \
  X(bzero) X(memcmp) X(memcpy) X(memmove) X(memset) X(strlen) X(calloc) X(free) X(malloc) X(posix_memalign) X(realloc) \
  X(dlclose) X(dlerror) X(getentropy) X(getpid) X(pthread_atfork)

#define OURS(X) \
  X(__error) X(_tlv_atexit) X(CCRandomGenerateBytes) X(clock_gettime) X(dladdr) X(dlopen) X(dlsym) X(mlock) X(mmap) \
  X(mprotect) X(munmap) X(sysconf)

#define TRAPS(X) \
  X(_Unwind_Backtrace) X(_Unwind_DeleteException) X(_Unwind_GetDataRelBase) X(_Unwind_GetIP) X(_Unwind_GetIPInfo) \
  X(_Unwind_GetLanguageSpecificData) X(_Unwind_GetRegionStart) X(_Unwind_GetTextRelBase) X(_Unwind_RaiseException) \
  X(_Unwind_Resume) X(_Unwind_SetGR) X(_Unwind_SetIP) X(_dyld_get_image_header) X(_dyld_get_image_name) \
  X(_dyld_get_image_vmaddr_slide) X(_dyld_image_count) X(abort) X(close) X(closedir) X(dirfd) X(dispatch_release) \
  X(dispatch_semaphore_create) X(dispatch_semaphore_signal) X(dispatch_semaphore_wait) X(fstat) X(getcwd) X(getenv) \
  X(open) X(opendir) X(pthread_mutex_destroy) X(pthread_mutex_init) X(pthread_mutex_lock) \
  X(pthread_mutex_trylock) X(pthread_mutex_unlock) X(pthread_mutexattr_destroy) X(pthread_mutexattr_init) \
  X(pthread_mutexattr_settype) X(pthread_threadid_np) X(readdir_r) X(strerror_r) X(write) X(writev)

#define TRAP(name) \
  static _Noreturn void trap_##name(void) { \
    stop(#name "() was called: either the addon panicked, or this function needs a stand-in in libsystem.c."); \
  }
TRAPS(TRAP)
TRAP(dyld_stub_binder)

#define SAME_ROW(name) {"_" #name, (void *)name},
#define OURS_ROW(name) {"_" #name, (void *)mac_##name},
#define TRAP_ROW(name) {"_" #name, (void *)trap_##name},
static const struct {
  const char *symbol;
  void *function;
} list[] = {
    SAME(SAME_ROW) OURS(OURS_ROW) TRAPS(TRAP_ROW)
    {"___bzero", (void *)bzero}, /* on x64 */
    {"__tlv_bootstrap", (void *)tlv_thunk},
    {"dyld_stub_binder", (void *)trap_dyld_stub_binder}, /* everything lazy was bound at once */
};

void *stand_in(const char *symbol) {
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (!strcmp(list[i].symbol, symbol)) return list[i].function;
  stop("no stand-in for %s, which the addon imports: add one to libsystem.c.", symbol);
}
