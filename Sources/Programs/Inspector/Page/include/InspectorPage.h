#ifndef INSPECTOR_PAGE_H
#define INSPECTOR_PAGE_H

#include <stddef.h>

/// A file of the page, as it is served.
struct PageFile {
  /// The path in the address, with its slash.
  const char *_Nonnull path;
  /// The media type.
  const char *_Nonnull type;
  const unsigned char *_Nonnull bytes;
  size_t count;
};

/// A file of the page by its index; NULL behind the last.
const struct PageFile *_Nullable page_file(size_t index);

#endif
