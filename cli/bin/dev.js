#!/usr/bin/env node
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The command line from source: builds what has changed, then runs it.
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build.js'), '--if-stale'], {
  stdio: ['ignore', 2, 2],
})
if (status === 0) await import('./run.js')
else process.exitCode = 1
