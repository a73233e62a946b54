/** Finds the repository or workspace of an app. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type JsonObject, parseObject } from '../../client/protocol/model/json.js'

/** Returns the root of the folder's repository or workspace, else the folder itself. */
export function repositoryRoot(folder: string): string {
  const folders = foldersFrom(folder)
  return folders.find((at) => existsSync(join(at, '.git'))) ?? folders.find(isWorkspace) ?? resolve(folder)
}

/** Returns a folder and its parents, nearest first, up to `last` or the root of the disk. */
export function foldersFrom(folder: string, last?: string): string[] {
  const at = resolve(folder)
  return at === last || at === dirname(at) ? [at] : [at, ...foldersFrom(dirname(at), last)]
}

function isWorkspace(folder: string): boolean {
  return existsSync(join(folder, 'pnpm-workspace.yaml')) || packageIn(folder).workspaces !== undefined
}

/** Reads the package.json of a folder. Returns an empty object if it is missing or invalid. */
export function packageIn(folder: string): JsonObject {
  return parseObject(readIfThere(join(folder, 'package.json')).replace(/^\uFEFF/, ''))
}

/** Returns an empty string for a missing file. */
export function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
