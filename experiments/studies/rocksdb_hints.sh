#!/bin/sh
# The workload of RocksDB's pull request 13994 at a two-hundredth: 200 million records of 1,000 bytes are loaded, 100
# million updated. Runs under `rewear record`; needs db_bench (Debian: rocksdb-tools). docs/notebook/rocksdb-hints.md.
#
#   sudo rewear record -o native.rwt --size 1792MiB --content none -- $PWD/experiments/studies/rocksdb_hints.sh
#   g++ -shared -fPIC -O2 -o tuned.so experiments/studies/rocksdb_hints.cc
#   sudo rewear record -o tuned.rwt --size 1792MiB --content none -- \
#       env TUNED=$PWD/tuned.so $PWD/experiments/studies/rocksdb_hints.sh
set -e
mount -o remount,nodiscard "$REWEAR_ROOT"
run() {
    LD_PRELOAD=$TUNED db_bench --db="$REWEAR_ROOT/db" --num=1000000 --key_size=24 --value_size=1000 --threads=1 \
        --compression_type=none --write_buffer_size=335544 --target_file_size_base=335544 \
        --max_bytes_for_level_base=1342177 "$@" >&2
}
run --benchmarks=filluniquerandom,waitforcompaction
# A pause of ten seconds, longer than any other, parts the load from the updates in the recording.
sync
sleep 10
run --use_existing_db=1 --writes=500000 --benchmarks=overwrite,levelstats
