/** Offers the guides of the package as resources. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const scheme = 'svc://guides/'

function folderOf(root: string): string {
  return join(root, 'docs', 'guides')
}

function names(root: string): string[] {
  const folder = folderOf(root)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => name.slice(0, -'.md'.length))
    .sort()
}

export function listGuides(root: string) {
  return names(root).map((name) => ({
    uri: `${scheme}${name}`,
    name,
    title: titleOf(readFileSync(join(folderOf(root), `${name}.md`), 'utf8')),
    mimeType: 'text/markdown',
  }))
}

/** Returns the text of a guide. Undefined for any other address. */
export function readGuide(root: string, uri: string): string | undefined {
  const name = uri.startsWith(scheme) ? uri.slice(scheme.length) : undefined
  // Only listed names are read, so that no address leads out of the folder.
  if (name === undefined || !names(root).includes(name)) return undefined
  return readFileSync(join(folderOf(root), `${name}.md`), 'utf8')
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? ''
}
