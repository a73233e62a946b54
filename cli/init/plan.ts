import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { EmulatorInfo } from '../emulator-file.js'

/** A file that is going to be written, and what is in it. */
export interface PlannedFile {
  readonly path: string
  readonly content: string
  /** `add` is a new file, `extend` adds lines to one that is there, `keep` leaves it as it is. */
  readonly change: 'add' | 'extend' | 'keep'
}

export interface Template {
  readonly name: string
  readonly title: string
  readonly next: readonly string[]
}

export function readTemplates(root: string): Template[] {
  const folder = join(root, 'templates')
  return readdirSync(folder).flatMap((name) => {
    const file = join(folder, name, 'template.json')
    return existsSync(file) ? [{ name, ...JSON.parse(readFileSync(file, 'utf8')) }] : []
  })
}

/** The files of a template in a folder of its own, called after it. */
export function planTemplate(
  root: string,
  name: string,
  folder: string,
  emulator: EmulatorInfo | undefined,
): PlannedFile[] {
  const source = join(root, 'templates', name)
  const version: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version
  const files = readdirSync(source)
    .filter((file) => file !== 'template.json')
    .map((file) => {
      const content = readFileSync(join(source, file), 'utf8')
      return planFile(join(folder, file), file === 'package.json' ? named(content, folder, version) : content)
    })
  return [...files, planEnv(folder, emulator), planIgnore(folder)]
}

/** What an app that is there already needs: where the service is, and a typed client. */
export function planExistingApp(folder: string, emulator: EmulatorInfo | undefined): PlannedFile[] {
  const isTyped = existsSync(join(folder, 'tsconfig.json'))
  const source = existsSync(join(folder, 'src')) ? join(folder, 'src') : folder
  return [
    planFile(join(folder, 'svc.json'), `${JSON.stringify({ dialect: 'a' }, null, 2)}\n`),
    planEnv(folder, emulator),
    planFile(join(source, isTyped ? 'svc.ts' : 'svc.js'), isTyped ? typedClient : untypedClient),
    planIgnore(folder),
  ]
}

/** Where the service is, for `node --env-file` and most bundlers; lines that are there stay. */
function planEnv(folder: string, emulator: EmulatorInfo | undefined): PlannedFile {
  const values = { SVC_URL: emulator?.url ?? 'http://127.0.0.1:4400', SVC_API_KEY: emulator?.apiKey ?? '' }
  return planLines(
    join(folder, '.env.local'),
    Object.entries(values).map(([name, value]) => ({
      line: `${name}=${value}`,
      isThere: (text) => text.startsWith(`${name}=`),
    })),
  )
}

function planIgnore(folder: string): PlannedFile {
  const lines = ['.svc/', '.env.local', 'node_modules/']
  return planLines(
    join(folder, '.gitignore'),
    lines.map((line) => ({ line, isThere: (text) => text.replace(/\/$/, '') === line.replace(/\/$/, '') })),
  )
}

function planLines(path: string, wanted: readonly { line: string; isThere(text: string): boolean }[]): PlannedFile {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  const lines = (before ?? '').split('\n').map((line) => line.trim())
  const missing = wanted.filter(({ isThere }) => !lines.some(isThere)).map(({ line }) => `${line}\n`)
  if (before === undefined) return { path, content: missing.join(''), change: 'add' }
  if (missing.length === 0) return { path, content: before, change: 'keep' }
  return {
    path,
    content: `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${missing.join('')}`,
    change: 'extend',
  }
}

function planFile(path: string, content: string): PlannedFile {
  return { path, content, change: existsSync(path) ? 'keep' : 'add' }
}

function named(content: string, folder: string, version: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
  const manifest = JSON.parse(content)
  return `${JSON.stringify({ ...manifest, ...(name ? { name } : {}), dependencies: { 'svc-toolkit': `^${version}` } }, null, 2)}\n`
}

const typedClient = `import { createClient } from 'svc-toolkit'

/** The documents of each collection. Fields that are not named here are refused by the compiler, not by the service. */
interface Collections {
  posts: { title: string; status?: 'draft' | 'published'; views?: number }
}

export const svc = createClient<Collections>({
  url: process.env.SVC_URL ?? 'http://127.0.0.1:4400',
  apiKey: process.env.SVC_API_KEY ?? '',
})
`

const untypedClient = `import { createClient } from 'svc-toolkit'

export const svc = createClient({
  url: process.env.SVC_URL ?? 'http://127.0.0.1:4400',
  apiKey: process.env.SVC_API_KEY ?? '',
})
`
