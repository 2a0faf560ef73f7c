/* The one function of Windows' bcryptprimitives.dll that Rust's programs import, by the generator of advapi32. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID target, ULONG bytes); /* RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE target, SIZE_T bytes) {
  while (bytes > 0) {
    ULONG some = bytes > 1u << 20 ? 1u << 20 : (ULONG)bytes;
    if (!SystemFunction036(target, some)) return FALSE;
    target += some;
    bytes -= some;
  }
  return TRUE;
}
