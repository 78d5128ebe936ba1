#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// simdjson's document tree behind a small C face. Each thread has a few parsers that keep their memory between
// documents; a value points into the document that it was read from and dies with its `csj_close`.

typedef struct {
  const void *document;
  size_t index;
} csj_value;

typedef enum {
  CSJ_NULL,
  CSJ_BOOL,
  CSJ_INT,     // fits int64_t
  CSJ_UINT,    // fits uint64_t only
  CSJ_DOUBLE,
  CSJ_STRING,
  CSJ_ARRAY,
  CSJ_OBJECT,
} csj_type;

typedef struct {
  const char *bytes;
  size_t count;
} csj_text;

// Reads a whole document and opens it. Returns 0, or simdjson's error code, and then nothing is open. Documents close
// in reverse order; a thread that has too many open gets DEPTH_ERROR.
int csj_parse(const uint8_t *bytes, size_t count, csj_value *root);
// Closes the document that this thread opened last.
void csj_close(void);
const char *csj_error_text(int code);

csj_type csj_type_of(csj_value value);
bool csj_bool(csj_value value);
int64_t csj_int(csj_value value);
uint64_t csj_uint(csj_value value);
double csj_double(csj_value value);
csj_text csj_string(csj_value value);

// Walks an array's elements or an object's members in document order; stops early when `visit` returns false.
typedef bool (*csj_visit)(void *context, csj_text key, csj_value value);
void csj_each(csj_value container, void *context, csj_visit visit);
// The last members of up to 32 names in one walk; answers a bit for each that is there.
unsigned csj_members(csj_value object, const csj_text *keys, unsigned count, csj_value *found);
// The last member of that name (as JavaScript reads duplicates), if any.
bool csj_member(csj_value object, const char *key, size_t count, csj_value *found);
// The first member of that name (as Foundation's JSONDecoder reads duplicates), if any.
bool csj_first_member(csj_value object, const char *key, size_t count, csj_value *found);

// Elements of an array or members of an object; 0 for all else.
size_t csj_count(csj_value container);

// A place among an array's elements or an object's members, for walking without a callback.
typedef struct {
  csj_value at;
  size_t end;
  bool is_object;
} csj_cursor;

csj_cursor csj_open(csj_value container);
// Shows the next element or member and steps on; false behind the last. An element has no key.
bool csj_next(csj_cursor *cursor, csj_text *key, csj_value *item);

#ifdef __cplusplus
}
#endif
