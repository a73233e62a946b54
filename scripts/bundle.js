/**
 * Bundles the emulator and the command line into a few files, including the packages they need to start, because
 * opening hundreds of files takes longer than the work.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { rolldown } from 'rolldown'

/** Modules that few commands load, or that need files next to them. */
const apart = [/^node:/, /^@electric-sql\/pglite/, 'pg', 'pg-native', '@node-rs/bcrypt', '@aws-sdk/client-s3']

/** Packages that nearly every command loads. */
const inCommands = /^(@oclif\/core|chalk)(\/|$)/

/** Stays unbundled, so that callers and the emulator compare errors with the same class. */
const errors = join('client', 'protocol', 'model', 'errors.js')
/** The test helper returns clients from the client package. */
const client = join('client', 'index.js')
/** The command line starts a thread that the emulator takes over, so both share this module. */
const thread = join('emulator', 'database', 'pglite', 'thread.js')
/** Locates the emulator's files relative to itself. */
const ownFolder = join('emulator', 'facts', 'own-folder.js')

/**
 * Merges what several commands load into one file, because opening forty files takes longer than reading some unneeded
 * code. The command overview needs none of it, and cryptography is only for commands that hash.
 */
const shared = [
  { name: 'prose', test: /\bcli.terminal.(prose|text-width)\.ts$/, priority: 1 },
  { name: 'hash', test: /\bcli.files.hash\.ts$/, priority: 1 },
  { name: 'common', minShareCount: 5 },
]

/** Packages that oclif needs only to run from source. */
const unused = ['ts-node', 'typescript']

/** Modules of the emulator that others import: the emulator and the test helper. */
const emulatorEntries = ['assembly/dev', 'testing/index']

/**
 * Bundles the emulator into `<made>/emulator/bundled`, and makes `<made>/emulator/assembly/dev.js` and the others re-export it.
 *
 * @param {string} root @param {string} made folder of the compiled files
 */
export async function bundleEmulator(root, made) {
  const build = await rolldown({
    input: Object.fromEntries(emulatorEntries.map((name) => [`bundled/${name}`, join(root, 'emulator', `${name}.ts`)])),
    cwd: root,
    platform: 'node',
    external: apart,
    plugins: [filesStay(root, [client, errors, thread, ownFolder, 'seeds'])],
  })
  await build.write({
    ...{ dir: join(made, 'emulator'), format: 'esm', sourcemap: true },
    chunkFileNames: 'bundled/[name].js',
  })
  await build.close()
  for (const name of emulatorEntries) {
    writeFileSync(join(made, 'emulator', `${name}.js`), `export * from '../bundled/${name}.js'\n`)
  }
}

/**
 * Bundles the files that are found by path, mainly commands, into `<made>/cli`. Leaves out the error class, which the
 * emulator shares.
 *
 * @param {string} root @param {string} made folder of the compiled files
 */
export async function bundleCommandLine(root, made) {
  const folder = join(root, 'cli')
  const sources = ['bin/start.ts', 'bin/overview.ts', ...sourcesIn(folder, 'commands'), ...sourcesIn(folder, 'hooks')]
  const build = await rolldown({
    input: Object.fromEntries(sources.map((path) => [path.replace(/\.ts$/, ''), join(folder, path)])),
    cwd: root,
    platform: 'node',
    external: (id, importer = '') =>
      /^node:/.test(id) || unused.includes(id) || (isPackage(id) && isOurs(importer) && !inCommands.test(id)),
    plugins: [filesStay(root, ['emulator', errors]), sortsPlainly()],
    transform: { define: { __dirname: 'import.meta.dirname' } },
    // Lazy imports matter to callers of the sources, even if the bundle loads the module anyway.
    checks: { ineffectiveDynamicImport: false },
  })
  rmSync(join(made, 'cli'), { recursive: true })
  await build.write({
    ...{ dir: join(made, 'cli'), format: 'esm', sourcemap: true },
    ...{ entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js' },
    codeSplitting: { groups: shared },
  })
  await build.close()
}

/** @param {string} id */
function isPackage(id) {
  return /^[a-z@]/.test(id)
}

/** @param {string} path */
function isOurs(path) {
  return !path.includes(`${sep}node_modules${sep}`)
}

/** @param {string} folder @param {string} path @returns {string[]} */
function sourcesIn(folder, path) {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) return sourcesIn(folder, inner)
    return inner.endsWith('.ts') && !inner.endsWith('.test.ts') ? [inner] : []
  })
}

/**
 * Leaves files and folders of ours out of the bundle. Built files keep the relative paths of the sources.
 *
 * @param {string} root @param {string[]} paths @returns {import('rolldown').Plugin}
 */
function filesStay(root, paths) {
  return {
    name: 'files-stay',
    resolveId(id, importer) {
      const path = importer && id.startsWith('.') ? relative(root, resolve(dirname(importer), id)) : ''
      const stays = paths.some((other) => path === other || path.startsWith(other + sep))
      return stays ? { id: join(root, path), external: true } : null
    },
  }
}

/**
 * Replaces oclif's locale-aware sort of command ids, which costs Node a tenth of its startup time. Plain order gives
 * the same result.
 *
 * @returns {import('rolldown').Plugin}
 */
function sortsPlainly() {
  const compare = 'a.id.localeCompare(b.id)'
  return {
    name: 'sorts-plainly',
    transform(code, id) {
      if (!id.endsWith(join('@oclif', 'core', 'lib', 'config', 'plugin.js'))) return null
      if (!code.includes(compare)) throw new Error(`${id} no longer sorts by ${compare}.`)
      return { code: code.replace(compare, '(a.id < b.id ? -1 : 1)'), map: null }
    },
  }
}
