// The functions that the Windows binary may import, all of which Windows 10 has.
//
// checks/binary/needs.py compares this list with the binary. Before you add a function, make sure that Windows 10 has had it
// from its first version on (its page on learn.microsoft.com, "Minimum supported client"): where one is missing, the addon
// does not load. A function of later versions is looked up while the addon runs (src/hw/system/windows.rs: `optional`).

const words = text => text.trim().split(/\s+/)

export const WINDOWS_IMPORTS = {
  // Random bytes (crate getrandom), and the seed of std's hash maps
  'bcryptprimitives.dll': words('ProcessPrng'),
  'KERNEL32.dll': words(`
    GetCurrentProcess GetModuleHandleExW GetModuleHandleW GetProcAddress GetProcessWorkingSetSize GetSystemInfo
    GetTickCount64 SetProcessWorkingSetSize VirtualAlloc VirtualFree VirtualLock

    CloseHandle CreateFileMappingA CreateFileW CreateToolhelp32Snapshot DeleteCriticalSection DuplicateHandle
    EnterCriticalSection FormatMessageW FreeLibrary GetConsoleMode GetConsoleOutputCP GetCurrentDirectoryW
    GetCurrentProcessId GetCurrentThreadId GetEnvironmentVariableW GetFileInformationByHandle
    GetFileInformationByHandleEx GetFullPathNameW GetLastError GetProcessHeap GetStdHandle HeapAlloc HeapFree HeapReAlloc
    InitializeCriticalSection LeaveCriticalSection LoadLibraryExW MapViewOfFile Module32FirstW Module32NextW
    MultiByteToWideChar QueryPerformanceCounter QueryPerformanceFrequency RaiseException RtlCaptureContext
    RtlLookupFunctionEntry RtlRestoreContext RtlUnwindEx RtlVirtualUnwind SetFileInformationByHandle SetFileTime
    SetLastError SetThreadErrorMode Sleep TlsGetValue UnmapViewOfFile VirtualProtect VirtualQuery WaitForSingleObject
    WriteConsoleW`),
  // Locks of std: threads wait on addresses
  'api-ms-win-core-synch-l1-2-0.dll': words('WaitOnAddress WakeByAddressAll WakeByAddressSingle'),
  // A panic's message
  'ntdll.dll': words('NtWriteFile RtlNtStatusToDosError'),
  // mingw-w64's start of a DLL, with the C library that is part of Windows
  'api-ms-win-crt-heap-l1-1-0.dll': words('free'),
  'api-ms-win-crt-runtime-l1-1-0.dll': words(
    '_execute_onexit_table _exit _initialize_onexit_table _initterm _initterm_e _register_onexit_function abort',
  ),
  'api-ms-win-crt-stdio-l1-1-0.dll': words('__acrt_iob_func __stdio_common_vfprintf fflush fwrite'),
}
