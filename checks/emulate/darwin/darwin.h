/* The functions that the loader (loader.c) and the stand-ins for macOS's C library (libsystem.c) share. */
#include <stdbool.h>
#include <stddef.h>

/* Prints the fault and ends the process, since the test cannot go on. */
_Noreturn void stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The function that an imported symbol is bound to. Stops the process for a symbol without one. */
void *stand_in(const char *symbol);

/* Gives this thread its copy of the image's thread-local variables, if it has none yet. */
void give_thread_locals(const void *initial, size_t initialised, size_t size);

/* The path of the image that an address lies in; NULL where it lies in no image of loader.c. */
const char *image_around(const void *address);

/* Whether the image took a handle on itself that keeps it mapped for good. */
bool image_stays(void);
