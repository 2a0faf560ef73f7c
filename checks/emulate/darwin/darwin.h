/* What the loader (loader.c) and the stand-ins for macOS's C library (libsystem.c) ask of each other. */
#include <stdbool.h>
#include <stddef.h>

/* Says what is wrong and ends the process: a test has nothing to go on with. */
_Noreturn void stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What an imported symbol is bound to. Stops where there is nothing to bind it to. */
void *stand_in(const char *symbol);

/* Gives this thread its copy of the image's thread-local variables, if it has none yet. */
void give_thread_locals(const void *initial, size_t initialised, size_t size);

/* The path of the image that an address lies in; NULL where it lies in no image of loader.c. */
const char *image_around(const void *address);

/* Whether the image took a handle on itself that keeps it mapped for good. */
bool image_stays(void);
