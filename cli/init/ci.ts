/** What runs an app's tests elsewhere: files of `templates/ci`, and where each belongs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PlannedFile, planFile } from './plan.js'

const places = {
  github: { source: 'github.yml', place: join('.github', 'workflows', 'test.yml') },
  script: { source: 'test.sh', place: join('ci', 'test.sh') },
} as const

export type CiKind = keyof typeof places

export const ciKinds = Object.keys(places) as CiKind[]

export function planCi(root: string, kind: CiKind, folder: string): PlannedFile {
  const { source, place } = places[kind]
  return planFile(join(folder, place), readFileSync(join(root, 'templates', 'ci', source), 'utf8'))
}
