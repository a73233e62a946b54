#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

// Only what the command needs is loaded: the version is a line of package.json, the overview a
// reading of the manifest; the command framework costs more than either.
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
/** @param {string} file */
const built = (file) => pathToFileURL(join(root, 'dist', 'cli', file)).href
// Who asks for help in other words gets the same.
if (process.argv[2] === 'help') process.argv.splice(2, Number.POSITIVE_INFINITY, ...process.argv.slice(3), '--help')
const [first, ...rest] = process.argv.slice(2)

/**
 * As `start` does where it runs: who has read enough is no failure, a full disk is one.
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
 * A container may run as a user id without an entry in /etc/passwd. The framework asks for shell and home folder there as soon as
 * it is loaded, and fails where neither the entry nor a variable says them.
 */
function nameShellAndHome() {
  const { env } = process
  if (env.SHELL === undefined && !answers(userInfo)) env.SHELL = '/bin/sh'
  // As container runtimes do. A folder that others may write to could hold profiles of theirs.
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

/** Warnings of Node and of libraries are for who writes svc. Those of svc itself are for who runs it. */
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
  // The database of its own loads while the command line does.
  if ((first === 'dev' || first === 'up') && !rest.some((word) => /^(-h|--(help|detach|database-url))\b/.test(word))) {
    const { startSpareThread } = await import(built('../emulator/database/pglite/thread.js'))
    startSpareThread()
  }
  nameShellAndHome()
  const { start } = await import(built('bin/start.js'))
  await start(root)
}
