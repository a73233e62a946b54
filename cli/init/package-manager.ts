/** Commands of each package manager, for the user's machine and for CI. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { foldersFrom, packageIn, readIfThere } from './repository.js'

export interface PackageManager {
  readonly add: string
  readonly addDev: string
  /** Runs a command of an installed package. */
  readonly run: string
  /** Installs the packages in package.json. */
  readonly installAll: string
  /** Installs the packages in the lock file, or fails. */
  readonly install: string
  /** Runs an installed command, or fails. It must not fetch `svc`, which is an unrelated package in the registry. */
  readonly runInstalled: string
  readonly test: string
  /** The value for `cache` of `actions/setup-node`. */
  readonly cache?: string
  /** Steps of a GitHub workflow that must run before Node is set up. */
  readonly setup?: string
  /** The path of its lock file, which may not exist yet. */
  readonly lock: string
}

type Words = Omit<PackageManager, 'lock'>

const npm: Words = {
  ...{ add: 'npm install', addDev: 'npm install --save-dev', run: 'npx', installAll: 'npm install' },
  ...{ install: 'npm ci', runInstalled: 'npx --no', test: 'npm test', cache: 'npm' },
}
const pnpm: Words = {
  ...{ add: 'pnpm add', addDev: 'pnpm add -D', run: 'pnpm exec', installAll: 'pnpm install' },
  ...{ install: 'pnpm install --frozen-lockfile', runInstalled: 'pnpm exec', test: 'pnpm test', cache: 'pnpm' },
}
// Yarn 1 swallows the `--` of `svc exec --`.
const yarn1: Words = {
  ...{ add: 'yarn add', addDev: 'yarn add -D', run: 'yarn', installAll: 'yarn install' },
  ...{ install: 'yarn install --frozen-lockfile', runInstalled: 'npx --no', test: 'yarn test', cache: 'yarn' },
}
// GitHub runners have Yarn 1, and corepack for later versions.
const yarn: Words = {
  ...yarn1,
  ...{ install: 'yarn install --immutable', runInstalled: 'yarn', setup: '      - run: corepack enable\n' },
}
// `bun run svc` would run the file svc.js, and `bunx` alone would run a package from the registry without asking.
const bun: Words = {
  ...{ add: 'bun add', addDev: 'bun add -d', run: 'bunx --no-install', installAll: 'bun install' },
  ...{ install: 'bun install --frozen-lockfile', runInstalled: 'bunx --no-install', test: 'bun run test' },
  setup: '      - uses: oven-sh/setup-bun@v2\n',
}

const managers = { npm, pnpm, yarn, bun }

type Name = keyof typeof managers

/** Checked in this order. */
const locks: readonly (readonly [file: string, name: Name])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
]

/**
 * Detects the package manager by `packageManager` in package.json or by a lock file. Searches the folders above too, because a
 * package in a workspace has neither.
 *
 * @param root the last folder to search
 */
export function detectPackageManager(folder: string, root: string): PackageManager {
  const folders = foldersFrom(folder, root)
  const [{ name, version } = npmUnnamed] = folders.flatMap((at) => namedIn(at) ?? [])
  const own = locks.flatMap(([file, owner]) => (owner === name ? [file] : []))
  const found = folders.flatMap((at) => own.map((file) => join(at, file))).find((path) => existsSync(path))
  // The first installation creates a missing lock file.
  const lock = found ?? join(folder, own[0] ?? '')
  if (name === 'pnpm') return { ...pnpm, lock, setup: pnpmSetup(root, version, lock) }
  const isYarn1 = name === 'yarn' && !(Number.parseInt(version, 10) > 1 || readIfThere(lock).includes('__metadata:'))
  return { ...(isYarn1 ? yarn1 : managers[name]), lock }
}

interface Named {
  readonly name: Name
  /** Empty if only a lock file names it. */
  readonly version: string
}

const npmUnnamed: Named = { name: 'npm', version: '' }

function namedIn(folder: string): Named | undefined {
  const [, declared, version = ''] = /^(\w+)@(\d[\w.-]*)/.exec(String(packageIn(folder).packageManager)) ?? []
  const [, name] =
    locks.find(([, known]) => known === declared) ?? locks.find(([file]) => existsSync(join(folder, file))) ?? []
  return name && { name, version: name === declared ? version : '' }
}

/**
 * Sets the pnpm version, because the action only reads the package.json at the root of the repository. Uses the version that is
 * declared elsewhere, or the one that wrote the lock file.
 */
function pnpmSetup(root: string, declared: string, lock: string): string {
  const step = '      - uses: pnpm/action-setup@v6\n'
  if (String(packageIn(root).packageManager).startsWith('pnpm@')) return step
  const [, format] = /^lockfileVersion: '?(\d+)/m.exec(readIfThere(lock)) ?? []
  const versions: Readonly<Record<string, string>> = { 5: '7', 6: '8', 9: '10' }
  return `${step}        with:\n          version: ${declared || (versions[format ?? ''] ?? 'latest')}\n`
}
