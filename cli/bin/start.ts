import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Interfaces } from '@oclif/core'
import { run } from '@oclif/core/run'
import { settings } from '@oclif/core/settings'
import { describeFailure, exits, isExit } from '../base/failure.js'
import { printFailure } from '../base/print-failure.js'

/** Runs the command in the arguments, and exits with its code. */
export async function start(root: string): Promise<void> {
  stopAtClosedPipes()
  const words = process.argv.slice(2)
  await runOnce(root, words)
  if (mayNotice(words)) await noticeRelease(root)
  // Idle keep-alive connections would delay the exit.
  for (const stream of [process.stdout, process.stderr]) await written(stream)
  process.exit()
}

/** Whether a person reads the output, and waits for no other program. */
function mayNotice(words: readonly string[]): boolean {
  const { CI, SVC_UPDATE_NOTICE } = process.env
  const isTerminal = process.stdout.isTTY === true && process.stderr.isTTY === true
  const isQuiet = words.some((word) => /^(--json|--quiet|-q|update|mcp)$/.test(word))
  return isTerminal && !CI && SVC_UPDATE_NOTICE !== 'off' && !isQuiet
}

async function noticeRelease(root: string): Promise<void> {
  const manifest: Interfaces.PJSON = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  // A clone is updated with git, and its releases are not in the registry.
  if (manifest.private === true && process.env.SVC_UPDATE_NOTICE !== 'on') return
  const notice = await import('../update/notice.js')
  // A notice is not worth a failure, such as a read-only home.
  await notice.noticeRelease(manifest.version).catch(() => undefined)
}

/** Runs one command, prints its failure, and leaves its exit code in `process.exitCode`. */
export async function runOnce(root: string, words: string[]): Promise<void> {
  // Always runs the built command line, whatever NODE_ENV says.
  settings.enableAutoTranspile = false
  try {
    await run(words, { root, pjson: readManifest(root), userPlugins: false, devPlugins: false })
  } catch (error) {
    if (isExit(error)) process.exitCode = error.oclif.exit
    else printFailure(describeFailure(error), { json: words.includes('--json'), error })
  }
}

/**
 * Lists the plugins that the framework would find. It matches patterns against every dependency, which takes longer than loading
 * the plugins, so it sees no other dependencies.
 */
function readManifest(root: string): Interfaces.PJSON {
  const manifest: Interfaces.PJSON = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const oclif: Interfaces.OclifConfiguration = JSON.parse(readFileSync(join(root, '.oclifrc.json'), 'utf8'))
  const isPlugin = ([name]: [string, string]) => oclif.plugins?.includes(name)
  const dependencies = Object.fromEntries(Object.entries(manifest.dependencies ?? {}).filter(isPlugin))
  return { ...manifest, oclif, dependencies }
}

/** Ignores a reader that closes the pipe early, such as `head`, but fails on a full disk. */
function stopAtClosedPipes() {
  for (const stream of [process.stdout, process.stderr]) {
    // Runs before the framework, which throws every error except a closed pipe.
    stream.prependListener('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit()
      if (stream === process.stdout) printFailure(describeFailure(error), { json: false, error })
      process.exit(exits.failed)
    })
  }
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}
