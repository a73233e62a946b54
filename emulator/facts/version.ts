import { readFileSync } from 'node:fs'
import { ownFolder } from './own-folder.js'

/** The version of this package, from its sources or from `dist/`. */
export const version: string = readVersion('../package.json') ?? readVersion('../../package.json') ?? '0.0.0'

function readVersion(path: string): string | undefined {
  try {
    return JSON.parse(readFileSync(new URL(path, ownFolder), 'utf8')).version
  } catch {
    return undefined
  }
}
