/** What each package manager is called with: on the user's machine, and where the tests run by themselves. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PackageManager {
  /** What adds a package, adds one for development, and runs a command of one. */
  readonly add: string
  readonly addDev: string
  readonly run: string
  /** Installs what package.json names. */
  readonly installAll: string
  /** Installs what the lock file says, or fails. */
  readonly install: string
  /** Runs the command that is installed. Where none is, it fails: the package called `svc` in the registry is somebody else's. */
  readonly runInstalled: string
  readonly test: string
  /** What `actions/setup-node` calls it, where it keeps its downloads. */
  readonly cache?: string
  /** The steps of a GitHub workflow that it needs before Node is set up. */
  readonly setup?: string
}

const npm: PackageManager = {
  ...{ add: 'npm install', addDev: 'npm install --save-dev', run: 'npx', installAll: 'npm install' },
  ...{ install: 'npm ci', runInstalled: 'npx --no', test: 'npm test', cache: 'npm' },
}
const pnpm: PackageManager = {
  ...{ add: 'pnpm add', addDev: 'pnpm add -D', run: 'pnpm exec', installAll: 'pnpm install' },
  ...{ install: 'pnpm install --frozen-lockfile', runInstalled: 'pnpm exec', test: 'pnpm test', cache: 'pnpm' },
}
// Yarn 1 takes the `--` of `svc exec --` for its own.
const yarn1: PackageManager = {
  ...{ add: 'yarn add', addDev: 'yarn add -D', run: 'yarn', installAll: 'yarn install' },
  ...{ install: 'yarn install --frozen-lockfile', runInstalled: 'npx --no', test: 'yarn test', cache: 'yarn' },
}
// GitHub's machines have Yarn 1, and corepack for later ones.
const yarn: PackageManager = {
  ...yarn1,
  ...{ install: 'yarn install --immutable', runInstalled: 'yarn', setup: '      - run: corepack enable\n' },
}
// `bun run svc` would take the file svc.js for the command, and `bunx` alone asks nobody before it runs what the registry has.
const bun: PackageManager = {
  ...{ add: 'bun add', addDev: 'bun add -d', run: 'bunx --no-install', installAll: 'bun install' },
  ...{ install: 'bun install --frozen-lockfile', runInstalled: 'bunx --no-install', test: 'bun run test' },
  setup: '      - uses: oven-sh/setup-bun@v2\n',
}

const locks = { 'pnpm-lock.yaml': 'pnpm', 'yarn.lock': 'yarn', 'bun.lock': 'bun', 'bun.lockb': 'bun' } as const

/** @param declared the field `packageManager` of its package.json */
export function packageManagerOf(folder: string, declared: unknown): PackageManager {
  const [, named, major = ''] = /^(npm|pnpm|yarn|bun)@(\d+)/.exec(String(declared)) ?? []
  const lock = Object.entries(locks).find(([file]) => existsSync(join(folder, file)))
  const name = named ?? lock?.[1]
  if (name === 'bun') return bun
  if (name === 'pnpm') return { ...pnpm, setup: pnpmSetup(folder, named) }
  if (name !== 'yarn') return npm
  return Number(major) > 1 || lockText(folder, 'yarn.lock').includes('__metadata:') ? yarn : yarn1
}

/** The action reads a version that package.json declares, and wants to be told one else: that which wrote the lock file. */
function pnpmSetup(folder: string, declared: string | undefined): string {
  const step = '      - uses: pnpm/action-setup@v6\n'
  if (declared !== undefined) return step
  const [, format] = /^lockfileVersion: '?(\d+)/m.exec(lockText(folder, 'pnpm-lock.yaml')) ?? []
  const versions: Readonly<Record<string, string>> = { 5: '7', 6: '8', 9: '10' }
  return `${step}        with:\n          version: ${versions[format ?? ''] ?? 'latest'}\n`
}

function lockText(folder: string, file: string): string {
  const path = join(folder, file)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
