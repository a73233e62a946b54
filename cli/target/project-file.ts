/** Reads `svc.json`, the settings that a team shares. It must not contain keys. */
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { SvcConfig } from '../../client/protocol/model/project.js'
import { parseJsonFile } from '../../seeds/json-text.js'
import { badFile, readConfig } from '../config/read-config.js'

export interface ProjectFile extends SvcConfig {
  readonly path: string
}

/** Finds `svc.json` in this folder or the nearest one above it. */
export function findProjectFile(from: string = process.cwd()): ProjectFile | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const path = join(folder, 'svc.json')
    const text = readIfThere(path)
    if (text !== undefined) return readProjectFile(path, text)
    if (folder === dirname(folder)) return undefined
  }
}

function readProjectFile(path: string, text: string): ProjectFile {
  let content: unknown
  try {
    content = parseJsonFile(text)
  } catch (cause) {
    throw badFile(path, 'is not valid JSON', { cause })
  }
  return { ...readConfig(path, content), path }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
