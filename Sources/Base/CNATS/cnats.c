#include "CNATS.h"

#include <dlfcn.h>
#include <stdio.h>

bool cnats_open(const char *library, CNATSFunctions *functions, char *reason, size_t size) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *text = dlerror();
    snprintf(reason, size, "%s", text ? text : library);
    return false;
  }
#define CNATS_FIND(result, name, parameters)                 \
  *(void **)&functions->name = dlsym(handle, #name);         \
  if (!functions->name) {                                    \
    snprintf(reason, size, "%s lacks %s", library, #name);   \
    dlclose(handle);                                         \
    return false;                                            \
  }
  CNATS_FUNCTIONS(CNATS_FIND)
#undef CNATS_FIND
  return true;
}
