#!/bin/sh
# What any CI runs. The tests have an emulator of their own, in memory; the exit code is theirs.
set -eu
npm ci
exec npx svc exec -- npm test
