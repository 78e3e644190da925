#!/bin/sh
# The workload of RocksDB's pull request 13994 at a five-hundredth: 200 million records of 1,000 bytes are loaded, 100
# million updated. Runs under `rewear record`; needs db_bench (Debian: rocksdb-tools) and what rocksdb_hints.cc makes.
#
#   sudo rewear record -o native.rwt --size 736MiB --content none -- \
#       env HINTS=$PWD/native.so $PWD/experiments/studies/rocksdb_hints.sh
set -e
mount -o remount,nodiscard "$REWEAR_ROOT"
run() {
    LD_PRELOAD=$HINTS db_bench --db="$REWEAR_ROOT/db" --num=400000 --key_size=24 --value_size=1000 --threads=1 \
        --compression_type=none --write_buffer_size=134217 --target_file_size_base=134217 \
        --max_bytes_for_level_base=536870 "$@" >&2
}
run --benchmarks=filluniquerandom,waitforcompaction
# A pause of ten seconds, longer than any other, parts the load from the updates in the recording.
sync
sleep 10
run --use_existing_db=1 --writes=200000 --benchmarks=overwrite,levelstats
