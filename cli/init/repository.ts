/** What an app is a part of: a repository, or a workspace of packages. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type JsonObject, parseObject } from '../../client/protocol/model/json.js'

/** The root of the repository that a folder is in, else that of its workspace; the folder itself where it is in neither. */
export function repositoryRoot(folder: string): string {
  const folders = foldersFrom(folder)
  return folders.find((at) => existsSync(join(at, '.git'))) ?? folders.find(isWorkspace) ?? resolve(folder)
}

/** A folder and those that it is in, the nearest first, up to `last` or to the root of the disk. */
export function foldersFrom(folder: string, last?: string): string[] {
  const at = resolve(folder)
  return at === last || at === dirname(at) ? [at] : [at, ...foldersFrom(dirname(at), last)]
}

function isWorkspace(folder: string): boolean {
  return existsSync(join(folder, 'pnpm-workspace.yaml')) || packageIn(folder).workspaces !== undefined
}

/** What the package.json of a folder says; nothing where there is none, or it is not JSON. */
export function packageIn(folder: string): JsonObject {
  return parseObject(textOf(join(folder, 'package.json')).replace(/^\uFEFF/, ''))
}

/** Empty where there is no such file. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
