import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Interfaces } from '@oclif/core'
import { run } from '@oclif/core/run'
import { settings } from '@oclif/core/settings'
import { describeFailure, exits, isExit } from '../base/failure.js'
import { printFailure } from '../base/print-failure.js'

/** Runs the command that the arguments name, and ends with its exit code. */
export async function start(root: string): Promise<void> {
  stopAtClosedPipes()
  await runOnce(root, process.argv.slice(2))
  // Connections that are kept for another request would keep the process for a while.
  for (const stream of [process.stdout, process.stderr]) await written(stream)
  process.exit()
}

/** Runs one command, prints its failure, and leaves its exit code in `process.exitCode`. */
export async function runOnce(root: string, words: string[]): Promise<void> {
  // The command line runs as it was built, whatever NODE_ENV says.
  settings.enableAutoTranspile = false
  try {
    await run(words, { root, pjson: readManifest(root), userPlugins: false, devPlugins: false })
  } catch (error) {
    if (isExit(error)) process.exitCode = error.oclif.exit
    else printFailure(describeFailure(error), { json: words.includes('--json'), error })
  }
}

/**
 * What the framework would look for. It tries the patterns of its plugins on each dependency, which takes longer than to load
 * the plugins, so it is shown no other dependencies.
 */
function readManifest(root: string): Interfaces.PJSON {
  const manifest: Interfaces.PJSON = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const oclif: Interfaces.OclifConfiguration = JSON.parse(readFileSync(join(root, '.oclifrc.json'), 'utf8'))
  const isPlugin = ([name]: [string, string]) => oclif.plugins?.includes(name)
  const dependencies = Object.fromEntries(Object.entries(manifest.dependencies ?? {}).filter(isPlugin))
  return { ...manifest, oclif, dependencies }
}

/** A reader that has read enough, as `head` has, is no failure; a disk that is full is one. */
function stopAtClosedPipes() {
  for (const stream of [process.stdout, process.stderr]) {
    // Before the framework, which throws what is not a closed pipe.
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
