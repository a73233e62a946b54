import { existsSync, readFileSync } from 'node:fs'

/** Reads a text file. Returns undefined if it does not exist. */
export function readIfExists(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
