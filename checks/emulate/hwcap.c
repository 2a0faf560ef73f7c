/* Preloaded into an arm64 process: hides a CPU feature, or shows one that the emulator has but does not report. Each is
   named by its bit in AT_HWCAP. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/auxv.h>

static unsigned long bit(const char *name) {
  const char *number = getenv(name);
  return number ? 1ul << atoi(number) : 0;
}

unsigned long getauxval(unsigned long type) {
  unsigned long (*real)(unsigned long) = dlsym(RTLD_NEXT, "getauxval");
  return type == AT_HWCAP ? (real(type) & ~bit("HIDDEN_BIT")) | bit("SHOWN_BIT") : real(type);
}
