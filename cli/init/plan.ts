import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { readIfExists } from '../files/read-if-exists.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { envFile, fillOwnLines, ignoredLines, ownersMark } from '../target/env-file.js'
import { type AppFolder, clientModule, readSettings } from './app.js'
import { foldersFrom } from './repository.js'
import { serverModule } from './server-module.js'

/** JSON Schema by which editors complete `svc.json`. */
const schemaPath = './node_modules/svc-toolkit/templates/schemas/svc.json'

/** A file to write. */
export interface PlannedFile {
  readonly path: string
  readonly content: string
  /** `add` creates a file, `extend` adds lines to an existing one, `keep` does not change it. */
  readonly change: 'add' | 'extend' | 'keep'
}

export interface Template {
  readonly name: string
  readonly title: string
  readonly next: readonly string[]
  /** The prefix of variables that its bundler exposes to browsers. */
  readonly prefix?: string
}

export function readTemplates(root: string): Template[] {
  const folder = join(root, 'templates')
  return readdirSync(folder).flatMap((name) => {
    const file = join(folder, name, 'template.json')
    return existsSync(file) ? [{ name, ...JSON.parse(readFileSync(file, 'utf8')) }] : []
  })
}

/** Plans the files of a template. Names the app after its folder. */
export function planTemplate(
  root: string,
  { name, prefix }: Template,
  folder: string,
  emulator: EmulatorInfo | undefined,
): PlannedFile[] {
  const source = join(root, 'templates', name)
  const version: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version
  const files = filesIn(source)
    .filter((file) => file !== 'template.json')
    .map((file) => {
      const content = readFileSync(join(source, file), 'utf8')
      return planFile(join(folder, file), file === 'package.json' ? named(content, folder, version) : content)
    })
  return [...files, planEnv(folder, emulator, prefix), planIgnore(folder)]
}

/** Includes files in subfolders. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name]
      return filesIn(join(folder, entry.name)).map((file) => join(entry.name, file))
    })
    .sort()
}

/** Plans the files that an existing app needs: the address of the service, and a client. */
export function planExistingApp(app: AppFolder, emulator: EmulatorInfo | undefined): PlannedFile[] {
  const { folder } = app
  const source = existsSync(join(folder, 'src')) ? join(folder, 'src') : folder
  const project = planFile(
    join(folder, 'svc.json'),
    `${JSON.stringify({ $schema: schemaPath, dialect: 'a' }, null, 2)}\n`,
  )
  const files = [
    // A new file would hide the one above.
    ...(project.change === 'add' && configAbove(folder) !== undefined ? [] : [project]),
    planEnv(folder, emulator, app.prefix),
    planFile(join(source, app.isTyped ? 'svc.ts' : 'svc.js'), clientModule(app)),
    ...planServer(app, source),
    planIgnore(folder),
  ]
  // A clone has all files in git, so the app does without the missing ones.
  return files.filter(({ path, change }) => !app.isClone || change !== 'add' || basename(path) === envFile)
}

function planServer(app: AppFolder, source: string): PlannedFile[] {
  if (!app.server) return []
  const content = serverModule(app.server, { ...app, settings: readSettings(app, 'server') })
  return [planFile(join(source, app.isTyped ? 'svc-server.ts' : 'svc-server.js'), content)]
}

/** Returns the `svc.json` of a folder above, which applies here too. */
export function configAbove(folder: string): string | undefined {
  const [, ...above] = foldersFrom(folder)
  return above.map((at) => join(at, 'svc.json')).find((path) => existsSync(path))
}

/** Plans the address of the service for bundlers and `node --env-file`. Keeps existing lines. `svc dev` updates the new ones. */
function planEnv(folder: string, emulator: EmulatorInfo | undefined, prefix = ''): PlannedFile {
  const plan = planLines(
    join(folder, envFile),
    [`${prefix}SVC_URL=`, `${prefix}SVC_API_KEY=`].map((line) => ({ line, isThere: (text) => text.startsWith(line) })),
    ownersMark,
  )
  const address = { url: emulator?.url ?? 'http://127.0.0.1:4400', apiKey: emulator?.apiKey ?? '' }
  return plan.change === 'keep' ? plan : { ...plan, content: fillOwnLines(plan.content, address) }
}

function planIgnore(folder: string): PlannedFile {
  return planLines(join(folder, '.gitignore'), ignoredLines)
}

interface WantedLine {
  readonly line: string
  isThere(text: string): boolean
}

/** @param mark line to write before the added ones */
function planLines(path: string, wanted: readonly WantedLine[], mark?: string): PlannedFile {
  const before = readIfExists(path)
  const lines = (before ?? '').split('\n').map((line) => line.trim())
  const missing = wanted.filter(({ isThere }) => !lines.some(isThere)).map(({ line }) => line)
  const added = [...(mark === undefined ? [] : [mark]), ...missing].map((line) => `${line}\n`).join('')
  if (before === undefined) return { path, content: added, change: 'add' }
  if (missing.length === 0) return { path, content: before, change: 'keep' }
  return {
    path,
    content: `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${added}`,
    change: 'extend',
  }
}

/** Plans a file, unless it exists. */
export function planFile(path: string, content: string): PlannedFile {
  return { path, content, change: existsSync(path) ? 'keep' : 'add' }
}

function named(content: string, folder: string, version: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
  const manifest = JSON.parse(content)
  const packages = {
    dependencies: { ...manifest.dependencies, 'svc-toolkit-client': `^${version}` },
    devDependencies: { ...manifest.devDependencies, 'svc-toolkit': `^${version}` },
  }
  return `${JSON.stringify({ ...manifest, ...(name ? { name } : {}), ...packages }, null, 2)}\n`
}
