#include <sqlite3.h>

// Has a connection that closes leave the write-ahead log as it is.
static inline int csqlite_keepLog(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
