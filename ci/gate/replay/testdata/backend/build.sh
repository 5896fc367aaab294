#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# build.sh BACKEND UPSTREAM OUT: builds the backend against a checkout of upstream, into OUT.
set -eu
export LC_ALL=C
mkdir -p "$3"
g++ -std=c++17 -O0 -fPIC -shared -I"$2/include" -o "$3/libupstream.so" "$2/core.cpp"
for source in allocators device dtypes collectives; do
    g++ -std=c++17 -O0 -fPIC -c -I"$2/include" -o "$3/$source.o" "$1/$source.cpp"
done
g++ -shared -o "$3/libbackend.so" "$3"/*.o -L"$3" -lupstream -Wl,-rpath,"$3"
