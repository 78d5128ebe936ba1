#pragma once
#include <features.h>
#include <stddef.h>
#include <sqlite3.h>

// SQLITE_TRANSIENT, with which SQLite copies the text, is a cast and does not reach Swift. Without an address, it would
// bind NULL.
static inline int pushpit_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, size_t count) {
  return sqlite3_bind_text64(statement, index, text ? text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
