/**
 * `svc.config.ts` is code. Only `svc dev` and `svc exec` come here, and only after the folder is trusted: contract 12.4,
 * decision 27.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { SvcConfig } from '../../client/protocol/model/project.js'
import { badFile, readConfig } from './read-config.js'

export const codeFiles = ['svc.config.ts', 'svc.config.mts', 'svc.config.js', 'svc.config.mjs'] as const

/** The `svc.config.ts` of this folder, or of the nearest one above it. Nothing of it is run. */
export function findCodeFile(from: string = process.cwd()): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const found = codeFiles.map((name) => join(folder, name)).find((path) => existsSync(path))
    if (found !== undefined || folder === dirname(folder)) return found
  }
}

/**
 * What the file exports as its default, or what the function that it exports answers. It is run anew each time.
 *
 * @throws {CliFailure} with exit 2, saying what is wrong with it
 */
export async function runConfigFile(path: string): Promise<SvcConfig> {
  const { loadConfig } = await import('c12')
  const { config } = await loadConfig({
    cwd: dirname(path),
    name: 'svc',
    configFile: basename(path),
    ...onlyThisFile,
    // Its cache would be in the folder for temporary files, where other users could put code into it.
    jitiOptions: { fsCache: false },
  }).catch((error: unknown) => {
    throw badFile(path, `it could not be run: ${reasonOf(error)}`, { cause: error })
  })
  return readConfig(path, config)
}

/** No other file, nothing of the environment's name, and nothing from the network. */
const onlyThisFile = {
  rcFile: false,
  globalRc: false,
  packageJson: false,
  dotenv: false,
  extend: false,
  giget: false,
  envName: false,
} as const

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return (text.split('\n')[0] ?? '').replace(/[.\s]+$/, '')
}
