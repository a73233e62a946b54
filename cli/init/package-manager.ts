/** What each package manager is called with: on the user's machine, and where the tests run by themselves. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { foldersFrom, packageIn, textOf } from './repository.js'

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
  /** Where its lock file is, or will be. */
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
// Yarn 1 takes the `--` of `svc exec --` for its own.
const yarn1: Words = {
  ...{ add: 'yarn add', addDev: 'yarn add -D', run: 'yarn', installAll: 'yarn install' },
  ...{ install: 'yarn install --frozen-lockfile', runInstalled: 'npx --no', test: 'yarn test', cache: 'yarn' },
}
// GitHub's machines have Yarn 1, and corepack for later ones.
const yarn: Words = {
  ...yarn1,
  ...{ install: 'yarn install --immutable', runInstalled: 'yarn', setup: '      - run: corepack enable\n' },
}
// `bun run svc` would take the file svc.js for the command, and `bunx` alone asks nobody before it runs what the registry has.
const bun: Words = {
  ...{ add: 'bun add', addDev: 'bun add -d', run: 'bunx --no-install', installAll: 'bun install' },
  ...{ install: 'bun install --frozen-lockfile', runInstalled: 'bunx --no-install', test: 'bun run test' },
  setup: '      - uses: oven-sh/setup-bun@v2\n',
}

const managers = { npm, pnpm, yarn, bun }

type Name = keyof typeof managers

/** In the order in which they are looked for. */
const locks: readonly (readonly [file: string, name: Name])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
]

/**
 * The one that the folder names, by `packageManager` in its package.json or by a lock file, else that of the nearest folder above:
 * a package of a workspace has neither.
 *
 * @param root the last folder that is looked at
 */
export function packageManagerOf(folder: string, root: string): PackageManager {
  const folders = foldersFrom(folder, root)
  const [{ name, version } = npmUnnamed] = folders.flatMap((at) => namedIn(at) ?? [])
  const own = locks.flatMap(([file, owner]) => (owner === name ? [file] : []))
  const found = folders.flatMap((at) => own.map((file) => join(at, file))).find((path) => existsSync(path))
  // Where there is none yet, the first installation makes it.
  const lock = found ?? join(folder, own[0] ?? '')
  if (name === 'pnpm') return { ...pnpm, lock, setup: pnpmSetup(root, version, lock) }
  const isYarn1 = name === 'yarn' && !(Number.parseInt(version, 10) > 1 || textOf(lock).includes('__metadata:'))
  return { ...(isYarn1 ? yarn1 : managers[name]), lock }
}

interface Named {
  readonly name: Name
  /** Empty where a lock file alone names it. */
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
 * The action reads a version that the package.json of the repository declares, and wants to be told one else: that which is declared
 * elsewhere, or that which wrote the lock file.
 */
function pnpmSetup(root: string, declared: string, lock: string): string {
  const step = '      - uses: pnpm/action-setup@v6\n'
  if (String(packageIn(root).packageManager).startsWith('pnpm@')) return step
  const [, format] = /^lockfileVersion: '?(\d+)/m.exec(textOf(lock)) ?? []
  const versions: Readonly<Record<string, string>> = { 5: '7', 6: '8', 9: '10' }
  return `${step}        with:\n          version: ${declared || (versions[format ?? ''] ?? 'latest')}\n`
}
