#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The files that the admin port serves, as part of the program. clang reads them with #embed in no time; as arrays of
// Swift (embedInCode) the same 250,000 bytes took its compiler 45 seconds.

typedef enum __attribute__((enum_extensibility(closed))) AdminFile {
  AdminFileIndex,
  AdminFileStyle,
  AdminFileMain,
  AdminFileCore,
  AdminFileInbox,
  AdminFilePush,
  AdminFilePhones,
  AdminFileDraw,
  AdminFileControl,
  AdminFileOverview,
} AdminFile;

typedef struct {
  const unsigned char *bytes;
  size_t count;
} admin_text;

// Lives as long as the program.
admin_text admin_file(AdminFile file);

#ifdef __cplusplus
}
#endif
