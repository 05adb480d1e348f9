#pragma once
#include <sqlite3.h>

/// `SQLITE_STATIC` as a function: the macro is a cast that Swift does not import. The bytes
/// handed to a bind call with it must stay valid until the statement is stepped and reset.
static inline sqlite3_destructor_type grove_sqlite_static(void) { return SQLITE_STATIC; }

/// `SQLITE_TRANSIENT` as a function: SQLite copies the bytes before the bind call returns.
static inline sqlite3_destructor_type grove_sqlite_transient(void) { return SQLITE_TRANSIENT; }

/// `sqlite3_db_config` for the options that take a boolean: Swift imports no variadic function.
static inline int grove_sqlite_db_config(sqlite3 *db, int option, int on) {
    int now = -1;
    int code = sqlite3_db_config(db, option, on, &now);
    return code == SQLITE_OK && now != on ? SQLITE_ERROR : code;
}

/// Turns off SQLite's count of its allocations, which takes a lock for each of them. Only has an
/// effect before SQLite is first used in the process; answers `SQLITE_MISUSE` afterwards.
static inline int grove_sqlite_memory_statistics_off(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
