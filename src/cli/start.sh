#!/bin/sh
# Starts a server, for `npm start` and the image: the only place with the options of Node and of the allocator.
# glibc gives freed memory back at once, and not only what lies at the end of its heap.
export MALLOC_TRIM_THRESHOLD_=131072 MALLOC_MMAP_THRESHOLD_=131072
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-node_modules/.cache/node}"
# The server takes the place of this process, so that signals reach it.
exec node --max-semi-space-size=8 --heap-growing-percent=30 "$(dirname "$0")/../main.ts"
