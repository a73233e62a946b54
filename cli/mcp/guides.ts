/** Offers the guides of the package as resources. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const scheme = 'svc://guides/'

function guidesFolder(root: string): string {
  return join(root, 'docs', 'guides')
}

function names(root: string): string[] {
  const folder = guidesFolder(root)
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
    title: findTitle(readFileSync(join(guidesFolder(root), `${name}.md`), 'utf8')),
    mimeType: 'text/markdown',
  }))
}

/** Returns the text of a guide. Undefined for any other address. */
export function readGuide(root: string, uri: string): string | undefined {
  const name = uri.startsWith(scheme) ? uri.slice(scheme.length) : undefined
  // Only listed names are read, so that no address leads out of the folder.
  if (name === undefined || !names(root).includes(name)) return undefined
  return readFileSync(join(guidesFolder(root), `${name}.md`), 'utf8')
}

function findTitle(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? ''
}
