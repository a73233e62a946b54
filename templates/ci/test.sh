#!/bin/sh
# Runs the tests in any CI. They start their own emulator in memory. Exits with their exit code.
set -eu
# Allows svc to run code of this repository, which CI runs anyway.
export SVC_TRUST_CODE=1
{{install}}
exec {{test}}
