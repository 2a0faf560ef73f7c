/* An addon of a function that forbids AddressSanitizer's program the bytes of a Buffer: the control of checks/sanitizers.
   Declares what it needs of Node-API, since the headers of Node are not installed with it. */
#include <stddef.h>

typedef void *handle;
int napi_get_cb_info(handle, handle, size_t *, handle *, handle *, void **);
int napi_get_buffer_info(handle, handle, void **, size_t *);
int napi_create_function(handle, const char *, size_t, handle (*)(handle, handle), void *, handle *);
void __asan_poison_memory_region(void const volatile *, size_t);

static handle poison(handle env, handle info) {
  handle buffer;
  size_t count = 1, length;
  void *bytes;
  if (napi_get_cb_info(env, info, &count, &buffer, NULL, NULL) == 0 &&
      napi_get_buffer_info(env, buffer, &bytes, &length) == 0)
    __asan_poison_memory_region(bytes, length);
  return NULL;
}

handle napi_register_module_v1(handle env, handle exports) {
  handle made;
  return napi_create_function(env, "poison", 6, poison, NULL, &made) == 0 ? made : exports;
}
