#!/bin/sh
# What any CI runs. The tests have an emulator of their own, in memory; the exit code is theirs.
set -eu
{{install}}
exec {{test}}
