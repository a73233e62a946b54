/** Shows and writes planned files. */
import { readFileSync } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { basename, dirname, relative } from 'node:path'
import { replaceWhole } from '../files/replace-whole.js'
import { envFile, replaceEnvFile } from '../target/env-file.js'
import type { PlannedFile } from './plan.js'

/** Lists the files with what happens to them. */
export function planLines(plan: readonly PlannedFile[]): string[] {
  const words = { add: 'new', extend: 'lines added', keep: 'exists, unchanged' }
  const word = ({ path, content, change }: PlannedFile) =>
    change === 'extend' && !content.startsWith(readFileSync(path, 'utf8')) ? 'changed' : words[change]
  return plan.map((file) => `  ${nearby(file.path)}  (${word(file)})`)
}

/** Shows the content of a new file, or the lines to add to an existing one. */
export function contentLines({ path, content, change }: PlannedFile): string[] {
  if (change === 'keep') return []
  const before = change === 'extend' ? readFileSync(path, 'utf8') : ''
  const lines = content
    .slice(content.startsWith(before) ? before.length : 0)
    .trim()
    .split('\n')
  return ['', `${nearby(path)}:`, ...lines.map((line) => `  ${line}`.trimEnd())]
}

/** Fails if a new file exists by now. Replaces an extended file with its new content. */
export async function writePlanned({ path, content, change }: PlannedFile): Promise<void> {
  if (change === 'keep') return
  if (change === 'extend')
    return basename(path) === envFile ? replaceEnvFile(path, content) : replaceWhole(path, content)
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'wx', chooseMode(path))
  try {
    await file.writeFile(content)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** Makes keys readable for their owner only, and scripts executable. */
function chooseMode(path: string): number {
  if (basename(path) === envFile) return 0o600
  return path.endsWith('.sh') ? 0o777 : 0o666
}

export function nearby(path: string): string {
  return relative(process.cwd(), path)
}
