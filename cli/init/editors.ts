/** Plans the files of editors from `templates/editors`. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { PackageManager } from './package-manager.js'
import { type PlannedFile, planFile } from './plan.js'

const places = {
  devcontainer: join('.devcontainer', 'devcontainer.json'),
  vscode: join('.vscode', 'tasks.json'),
} as const

export type EditorKind = keyof typeof places

export const editorKinds = Object.keys(places) as EditorKind[]

/** Never changes an existing file, which may have tasks of the user. */
export function planEditor(root: string, kind: EditorKind, folder: string, manager: PackageManager): PlannedFile {
  const place = places[kind]
  const text = readFileSync(join(root, 'templates', 'editors', basename(place)), 'utf8')
  const words: Readonly<Record<string, string>> = { ...manager, run: manager.runInstalled, name: basename(folder) }
  const quoted = (word: string) => JSON.stringify(word).slice(1, -1)
  return planFile(
    join(folder, place),
    text.replace(/\{\{(\w+)\}\}/g, (_, name) => quoted(words[name] ?? '')),
  )
}
