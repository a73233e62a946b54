/** Detects the kind of an app by its package.json, to choose how it reads settings and installs packages. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { parseJsonFile } from '../../seeds/json-text.js'
import { CliFailure, exits } from '../base/failure.js'
import { isSetUp } from '../target/env-file.js'
import { detectPackageManager, type PackageManager } from './package-manager.js'
import { repositoryRoot } from './repository.js'
import { detectServer, type ServerFramework } from './server-module.js'

const fromProcess = (name: string) => `process.env.${name} ?? ''`
const fromBundler = (name: string) => `import.meta.env.${name}`

interface AppKind {
  readonly title: string
  /** The prefix of variables that its bundler exposes to browsers. */
  readonly prefix: string
  read(name: string): string
  /** If its bundler does not build all of the server. */
  readonly readOnServer?: (name: string) => string
  /** Starts the app with `.env.local`, if it does not load that file. */
  readonly startWithEnv?: string
}

/** Checked in this order, because an app with Expo, Next or Nuxt may use Vite for its tests. */
const kinds = {
  next: { title: 'Next', prefix: 'NEXT_PUBLIC_', read: fromProcess },
  expo: { title: 'Expo', prefix: 'EXPO_PUBLIC_', read: fromProcess },
  nuxt: {
    ...{ title: 'Nuxt', prefix: 'VITE_', read: fromBundler, readOnServer: fromProcess },
    startWithEnv: 'nuxt dev --dotenv .env.local',
  },
  vite: { title: 'Vite', prefix: 'VITE_', read: fromBundler },
  node: { title: 'Node', prefix: '', read: fromProcess, startWithEnv: 'node --env-file=.env.local' },
} as const satisfies Record<string, AppKind>

export type Kind = keyof typeof kinds

export interface AppFolder {
  readonly folder: string
  readonly kind: Kind
  readonly title: string
  readonly prefix: string
  readonly startWithEnv?: string
  /** The framework that answers requests, for sessions in cookies. */
  readonly server?: ServerFramework
  readonly isTyped: boolean
  /** Whether its files are CommonJS: plain Node without `"type": "module"`. */
  readonly isCommonJs: boolean
  /** The package to import the client from. `svc-toolkit` has it too, for apps that already ship it. */
  readonly clientPackage: 'svc-toolkit-client' | 'svc-toolkit'
  readonly manager: PackageManager
  /** Whether `npm test` runs tests. The placeholder that `npm init` writes does not count. */
  readonly hasTests: boolean
  /** Whether `svc init` was run here or before the clone. */
  readonly isClone: boolean
  /** Commands that install missing packages. */
  readonly installs: readonly string[]
  /** The command that starts the emulator. */
  readonly start: string
}

export function readApp(folder: string): AppFolder {
  const { type, scripts, dependencies, devDependencies } = readManifest(join(folder, 'package.json'))
  const all = new Set([...packageNames(dependencies), ...packageNames(devDependencies)])
  const order: readonly Kind[] = ['next', 'expo', 'nuxt', 'vite']
  const kind = order.find((name) => all.has(name)) ?? 'node'
  const { title, prefix, startWithEnv }: AppKind = kinds[kind]
  const isTyped = existsSync(join(folder, 'tsconfig.json'))
  const manager = detectPackageManager(folder, repositoryRoot(folder))
  const { add, addDev, run, installAll } = manager
  const test = isObject(scripts) ? scripts.test : undefined
  const needsNodeTypes = isTyped && (kind === 'node' || kind === 'nuxt')
  const forDevelopment = ['svc-toolkit', ...(needsNodeTypes ? ['@types/node'] : [])]
  const missing = forDevelopment.filter((name) => !all.has(name))
  const shipped = packageNames(dependencies)
  const clientPackage =
    shipped.includes('svc-toolkit') && !shipped.includes('svc-toolkit-client') ? 'svc-toolkit' : 'svc-toolkit-client'
  const added = [
    ...(shipped.includes(clientPackage) ? [] : [`${add} ${clientPackage}`]),
    ...(missing.length === 0 ? [] : [`${addDev} ${missing.join(' ')}`]),
  ]
  return {
    ...{ folder, kind, title, prefix, startWithEnv, isTyped, clientPackage, manager, server: detectServer(all) },
    hasTests: typeof test === 'string' && !test.includes('no test specified'),
    isClone: isSetUp(folder) && shipped.includes(clientPackage),
    isCommonJs: kind === 'node' && !isTyped && type !== 'module',
    installs: added.length > 0 || isInstalled(folder, [clientPackage, ...forDevelopment]) ? added : [installAll],
    start: `${run} svc dev`,
  }
}

/** Checks whether the packages are installed, which they are not in a fresh clone. Yarn may not use `node_modules`. */
function isInstalled(folder: string, names: readonly string[]): boolean {
  const above = dirname(folder)
  if (existsSync(join(folder, '.pnp.cjs'))) return true
  const missing = names.filter((name) => !existsSync(join(folder, 'node_modules', name)))
  return missing.length === 0 || (above !== folder && isInstalled(above, missing))
}

/** Returns the expressions that read address and key. */
export function readSettings(
  { kind, prefix }: Pick<AppFolder, 'kind' | 'prefix'>,
  side: 'page' | 'server' = 'page',
): readonly string[] {
  const { read, readOnServer = read }: AppKind = kinds[kind]
  const chosen = side === 'page' ? read : readOnServer
  return [`url: ${chosen(`${prefix}SVC_URL`)}`, `apiKey: ${chosen(`${prefix}SVC_API_KEY`)}`]
}

type ClientApp = Pick<AppFolder, 'kind' | 'prefix' | 'server' | 'isTyped' | 'isCommonJs' | 'clientPackage'>

/** Writes the module with the app's client. */
export function clientModule(app: ClientApp): string {
  const options = `{\n${readSettings(app)
    .map((line) => `  ${line},\n`)
    .join('')}}`
  const warning =
    app.kind === 'node'
      ? ''
      : '// Anyone who opens the app can read this key. The permissions of collections say what it may do.\n'
  const shared =
    app.server && app.kind !== 'node'
      ? '// On the server, all visitors share this client. Never log in with it there. Use openVisitor of svc-server instead.\n'
      : ''
  if (app.isCommonJs) {
    return `const { createClient } = require('${app.clientPackage}')\n\nexports.svc = createClient(${options})\n`
  }
  const parts = [
    app.isTyped && app.kind === 'vite' ? '/// <reference types="vite/client" />\n' : '',
    `import { createClient } from '${app.clientPackage}'\n\n`,
    app.isTyped ? collections : '',
    app.isTyped && app.kind === 'nuxt' ? variables : '',
    warning,
    shared,
    `export const svc = createClient${app.isTyped ? '<Collections>' : ''}(${options})\n`,
  ]
  return parts.join('')
}

const collections = `/** The documents of each collection. The compiler refuses other fields; the service does not. */
export interface Collections {
  posts: { title: string; status?: 'draft' | 'published'; views?: number }
}

`

/** Compiles wherever Nuxt checks the file: on its server, and with pnpm, the types of Vite are missing. */
const variables = `declare global {
  interface ImportMetaEnv {
    readonly VITE_SVC_URL: string
    readonly VITE_SVC_API_KEY: string
  }
  interface ImportMeta {
    readonly env: ImportMetaEnv
  }
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
    throw new CliFailure('BAD_CONFIG', exits.misuse, `${path} is not valid JSON.`, 'Fix it and try again.', { cause })
  }
  throw new CliFailure('BAD_CONFIG', exits.misuse, `${path} is not a JSON object.`, 'Fix it and try again.')
}

function packageNames(dependencies: unknown): string[] {
  return isObject(dependencies) ? Object.keys(dependencies) : []
}
