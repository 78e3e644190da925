// The level hints of RocksDB's pull request 13994, for the RocksDB of a package: loaded before it, this function is
// called in place of its own. Levels 0 to 3 are medium, level 4 is long, all others are extreme.
//
//     g++ -shared -fPIC -O2 -o tuned.so experiments/studies/rocksdb_hints.cc
//     LD_PRELOAD=./tuned.so db_bench ...
//
// Names as in db/column_family.h and include/rocksdb/env.h of RocksDB 7.8.
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
