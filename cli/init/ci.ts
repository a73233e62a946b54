/** What runs an app's tests elsewhere: files of `templates/ci`, and where each belongs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackageManager } from './package-manager.js'
import { type PlannedFile, planFile } from './plan.js'

const places = {
  github: { source: 'github.yml', place: join('.github', 'workflows', 'test.yml') },
  script: { source: 'test.sh', place: join('ci', 'test.sh') },
} as const

export type CiKind = keyof typeof places

export const ciKinds = Object.keys(places) as CiKind[]

export function planCi(root: string, kind: CiKind, folder: string, manager: PackageManager): PlannedFile {
  const { source, place } = places[kind]
  return planFile(join(folder, place), filled(readFileSync(join(root, 'templates', 'ci', source), 'utf8'), manager))
}

/** `setup` and `cache` are lines of their own: they stand for whole lines, or for none. */
function filled(text: string, { install, runInstalled, test, cache, setup = '' }: PackageManager): string {
  const lines: Readonly<Record<string, string>> = { setup, cache: cache ? `          cache: ${cache}\n` : '' }
  const words: Readonly<Record<string, string>> = { install, test: `${runInstalled} svc exec -- ${test}` }
  return text
    .replace(/^\{\{(\w+)\}\}\n/gm, (whole, name) => lines[name] ?? whole)
    .replace(/\{\{(\w+)\}\}/g, (_, name) => words[name] ?? '')
}
