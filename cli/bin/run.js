#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

// Loads only what the command needs: the version from package.json, or the overview from the manifest. The command framework
// takes longer to load than either.
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
/** @param {string} file */
const built = (file) => pathToFileURL(join(root, 'dist', 'cli', file)).href
// All spellings of help print the same overview.
if (process.argv[2] === 'help') process.argv.splice(2, Number.POSITIVE_INFINITY, ...process.argv.slice(3), '--help')
const [first, ...rest] = process.argv.slice(2)

/**
 * Ignores a reader that closes the pipe early, but fails on a full disk, as `start` does.
 * @param {string} text
 */
function print(text) {
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit()
    process.stderr.write(`error  ${error.message}\n`)
    process.exit(1)
  })
  process.stdout.write(text)
}

/**
 * Supports containers that run as a user id without an entry in /etc/passwd. The framework reads the shell and home folder as soon
 * as it loads, and fails if neither the entry nor a variable has them.
 */
function nameShellAndHome() {
  const { env } = process
  if (env.SHELL === undefined && !answers(userInfo)) env.SHELL = '/bin/sh'
  // Same default as container runtimes. A folder that others can write to could contain their profiles.
  if (env.HOME === undefined && !answers(homedir)) env.HOME = '/'
}

/** @param {() => unknown} look */
function answers(look) {
  try {
    look()
    return true
  } catch {
    return false
  }
}

/** Hides warnings of Node and libraries, which only help developers of svc. Warnings of svc itself are shown. */
function showOwnWarningsOnly() {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name === 'svc') process.stderr.write(`warning  ${message}\n`)
  })
}

showOwnWarningsOnly()
if (first === '--version') {
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  print(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`)
} else if (!existsSync(join(root, 'dist', 'cli', 'bin', 'start.js'))) {
  process.stderr.write('svc is not built in this checkout.\nBuild it once: npm run build\n')
  process.exitCode = 1
} else if ((first === undefined || first === '--help' || first === '-h') && rest.length === 0) {
  const { overview } = await import(built('bin/overview.js'))
  print(overview(root))
} else {
  // Loads the embedded database in parallel with the command line.
  if ((first === 'dev' || first === 'up') && !rest.some((word) => /^(-h|--(help|detach|database-url))\b/.test(word))) {
    const { startSpareThread } = await import(built('../emulator/database/pglite/thread.js'))
    startSpareThread()
  }
  nameShellAndHome()
  const { start } = await import(built('bin/start.js'))
  await start(root)
}
