#!/bin/sh
# What any CI runs. The tests have an emulator of their own, in memory; the exit code is theirs.
set -eu
# The settings and the code of this folder are the repository's own, and run here anyway.
export SVC_TRUST_CODE=1
{{install}}
exec {{test}}
