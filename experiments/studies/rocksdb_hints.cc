// Write hints of the RocksDB of a package, by functions that are loaded before its own:
//
//     g++ -shared -fPIC -O2 -D_GNU_SOURCE -o native.so experiments/studies/rocksdb_hints.cc
//     g++ -shared -fPIC -O2 -D_GNU_SOURCE -DTUNED -o tuned.so experiments/studies/rocksdb_hints.cc
//     LD_PRELOAD=./tuned.so db_bench ...
//
// RocksDB 7.8 hands the kernel the address of a number of 4 bytes as the hint, of which the kernel reads 8 bytes. What
// stands behind it is no part of a hint, and newer kernels refuse it. So fcntl is mended in both.
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int mended(int fd, int command, void *argument) {
  uint64_t hint = 0;
  if (command == F_SET_RW_HINT) {
    memcpy(&hint, argument, sizeof(uint32_t));
    argument = &hint;
  }
  return static_cast<int>(syscall(SYS_fcntl, fd, command, argument));
}

extern "C" __attribute__((visibility("default"))) int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return mended(fd, command, argument);
}

extern "C" __attribute__((visibility("default"))) int fcntl64(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return mended(fd, command, argument);
}

#ifdef TUNED
// The level hints of pull request 13994: levels 0 to 3 are medium, level 4 is long, all others are extreme. Names as in
// db/column_family.h and include/rocksdb/env.h of RocksDB 7.8.
namespace rocksdb {

struct Env {
  enum WriteLifeTimeHint { WLTH_NOT_SET, WLTH_NONE, WLTH_SHORT, WLTH_MEDIUM, WLTH_LONG, WLTH_EXTREME };
};

class ColumnFamilyData {
 public:
  Env::WriteLifeTimeHint CalculateSSTWriteHint(int level);
};

__attribute__((visibility("default"))) Env::WriteLifeTimeHint ColumnFamilyData::CalculateSSTWriteHint(int level) {
  if (level <= 3) return Env::WLTH_MEDIUM;
  return level == 4 ? Env::WLTH_LONG : Env::WLTH_EXTREME;
}

}  // namespace rocksdb
#endif
