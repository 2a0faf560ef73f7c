/* Preloaded into an arm64 process: hides one CPU feature, named by its bit in AT_HWCAP, from whoever asks for it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/auxv.h>

unsigned long getauxval(unsigned long type) {
  unsigned long (*real)(unsigned long) = dlsym(RTLD_NEXT, "getauxval");
  const char *bit = getenv("HIDDEN_BIT");
  return type == AT_HWCAP && bit ? real(type) & ~(1ul << atoi(bit)) : real(type);
}
