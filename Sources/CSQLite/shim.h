#pragma once
#include <sqlite3.h>

/// `SQLITE_STATIC` as a function: the macro is a cast that Swift does not import. The bytes
/// handed to a bind call with it must stay valid until the statement is stepped and reset.
static inline sqlite3_destructor_type grove_sqlite_static(void) { return SQLITE_STATIC; }

/// `SQLITE_TRANSIENT` as a function: SQLite copies the bytes before the bind call returns.
static inline sqlite3_destructor_type grove_sqlite_transient(void) { return SQLITE_TRANSIENT; }
