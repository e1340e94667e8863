#!/bin/sh
# `npx platform`: installs what is missing, as `npm start` does, and runs the command with the Node of the platform. What
# the installation prints is no output of the command.
cli=$(dirname "$(readlink -f "$0")")
node "$cli/install.mjs" >&2 || exit
exec "$cli/../../node_modules/.bin/node" "$cli/platform.ts" "$@"
