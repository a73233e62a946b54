/** What kind of app is in a folder, by its package.json: how it is given settings, and how it installs packages. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { parseJsonFile } from '../../seeds/json-text.js'
import { CliFailure, exits } from '../base/failure.js'
import { isSetUp } from '../target/env-file.js'
import { type PackageManager, packageManagerOf } from './package-manager.js'
import { repositoryRoot } from './repository.js'

/** In the order in which they are looked for: an app made with Expo or Next may have Vite for its tests. */
const kinds = {
  next: { title: 'Next', prefix: 'NEXT_PUBLIC_', read: (name: string) => `process.env.${name} ?? ''` },
  expo: { title: 'Expo', prefix: 'EXPO_PUBLIC_', read: (name: string) => `process.env.${name} ?? ''` },
  vite: { title: 'Vite', prefix: 'VITE_', read: (name: string) => `import.meta.env.${name}` },
  node: { title: 'Node', prefix: '', read: (name: string) => `process.env.${name} ?? ''` },
} as const

export type Kind = keyof typeof kinds

export interface AppFolder {
  readonly folder: string
  readonly kind: Kind
  readonly title: string
  /** What the names of settings begin with that its bundler lets into a browser. */
  readonly prefix: string
  readonly isTyped: boolean
  /** Whether its files are CommonJS: a plain script of Node without `"type": "module"`. */
  readonly isCommonJs: boolean
  /** The package of the client: `svc-toolkit` has it too, where it ships with the app already. */
  readonly clientPackage: 'svc-toolkit-client' | 'svc-toolkit'
  readonly manager: PackageManager
  /** Whether `npm test` runs something: the script that `npm init` writes fails. */
  readonly hasTests: boolean
  /** Whether `svc init` has been here, or in the folder of which this is a clone. */
  readonly isClone: boolean
  /** What is still to be installed. */
  readonly installs: readonly string[]
  /** What starts the emulator. */
  readonly start: string
}

export function readApp(folder: string): AppFolder {
  const { type, scripts, dependencies, devDependencies } = readManifest(join(folder, 'package.json'))
  const all = new Set([...namesOf(dependencies), ...namesOf(devDependencies)])
  const order: readonly Kind[] = ['next', 'expo', 'vite']
  const kind = order.find((name) => all.has(name)) ?? 'node'
  const { title, prefix } = kinds[kind]
  const isTyped = existsSync(join(folder, 'tsconfig.json'))
  const manager = packageManagerOf(folder, repositoryRoot(folder))
  const { add, addDev, run, installAll } = manager
  const test = isObject(scripts) ? scripts.test : undefined
  const forDevelopment = ['svc-toolkit', ...(kind === 'node' && isTyped ? ['@types/node'] : [])]
  const missing = forDevelopment.filter((name) => !all.has(name))
  const shipped = namesOf(dependencies)
  const clientPackage =
    shipped.includes('svc-toolkit') && !shipped.includes('svc-toolkit-client') ? 'svc-toolkit' : 'svc-toolkit-client'
  const added = [
    ...(shipped.includes(clientPackage) ? [] : [`${add} ${clientPackage}`]),
    ...(missing.length === 0 ? [] : [`${addDev} ${missing.join(' ')}`]),
  ]
  return {
    ...{ folder, kind, title, prefix, isTyped, clientPackage, manager },
    hasTests: typeof test === 'string' && !test.includes('no test specified'),
    isClone: isSetUp(folder) && shipped.includes(clientPackage),
    isCommonJs: kind === 'node' && !isTyped && type !== 'module',
    installs: added.length > 0 || isInstalled(folder, [clientPackage, ...forDevelopment]) ? added : [installAll],
    start: `${run} svc dev`,
  }
}

/** Whether packages of the app are there, as in a fresh clone they are not. Yarn may keep them without a `node_modules`. */
function isInstalled(folder: string, names: readonly string[]): boolean {
  const above = dirname(folder)
  if (existsSync(join(folder, '.pnp.cjs'))) return true
  const missing = names.filter((name) => !existsSync(join(folder, 'node_modules', name)))
  return missing.length === 0 || (above !== folder && isInstalled(above, missing))
}

/** The module through which the app speaks to the service. */
export function clientModule(app: AppFolder): string {
  const { read } = kinds[app.kind]
  const options = `{\n  url: ${read(`${app.prefix}SVC_URL`)},\n  apiKey: ${read(`${app.prefix}SVC_API_KEY`)},\n}`
  const warning =
    app.kind === 'node'
      ? ''
      : '// Anyone who opens the app can read this key. The permissions of collections say what it may do.\n'
  const shared =
    app.kind === 'next'
      ? '// On the server all visitors share this client. Log nobody in with it there; make a client for each request.\n'
      : ''
  if (app.isCommonJs) {
    return `const { createClient } = require('${app.clientPackage}')\n\nexports.svc = createClient(${options})\n`
  }
  const parts = [
    app.isTyped && app.kind === 'vite' ? '/// <reference types="vite/client" />\n' : '',
    `import { createClient } from '${app.clientPackage}'\n\n`,
    app.isTyped ? collections : '',
    warning,
    shared,
    `export const svc = createClient${app.isTyped ? '<Collections>' : ''}(${options})\n`,
  ]
  return parts.join('')
}

const collections = `/** The documents of each collection. Fields that are not named here are refused by the compiler, not by the service. */
export interface Collections {
  posts: { title: string; status?: 'draft' | 'published'; views?: number }
}

`

interface Manifest {
  readonly type?: unknown
  readonly scripts?: unknown
  readonly dependencies?: unknown
  readonly devDependencies?: unknown
}

function readManifest(path: string): Manifest {
  try {
    const content: unknown = parseJsonFile(readFileSync(path, 'utf8'))
    if (isObject(content)) return content
  } catch (cause) {
    throw new CliFailure('BAD_CONFIG', exits.misuse, `${path} is not JSON.`, 'Mend it first.', { cause })
  }
  throw new CliFailure('BAD_CONFIG', exits.misuse, `${path} does not hold an object.`, 'Mend it first.')
}

function namesOf(dependencies: unknown): string[] {
  return isObject(dependencies) ? Object.keys(dependencies) : []
}
