/**
 * The emulator and the command line in a few files each, with what they need of other packages to start: to open hundreds
 * of files takes longer than the work.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { rolldown } from 'rolldown'

/** Modules that few commands load, or that have files beside them. */
const apart = [/^node:/, /^@electric-sql\/pglite/, 'pg', 'pg-native', '@node-rs/bcrypt', '@aws-sdk/client-s3']

/** Packages that nearly every command loads. */
const inCommands = /^(@oclif\/core|chalk)(\/|$)/

/** Callers of the emulator or a command compare errors with its class, so there is one of it. */
const errors = join('client', 'protocol', 'model', 'errors.js')
/** The test helper hands out clients of the client's package. */
const client = join('client', 'index.js')
/** The command line starts a thread that the emulator takes over, so there is one of it too. */
const thread = join('emulator', 'database', 'pglite', 'thread.js')
/** It says where the files of the emulator are, by its own place. */
const ownFolder = join('emulator', 'own-folder.js')

/**
 * What several commands load is one file: to open forty takes longer than to read what few of them need besides. The
 * overview of all commands is printed without any of it, and what loads cryptography is for those that hash.
 */
const shared = [
  { name: 'prose', test: /\bcli.terminal.(prose|text-width)\.ts$/, priority: 1 },
  { name: 'hash', test: /\bcli.files.hash\.ts$/, priority: 1 },
  { name: 'common', minShareCount: 5 },
]

/** Packages that the command framework needs only where sources are run. */
const unused = ['ts-node', 'typescript']

/** Modules of the emulator that others import: the emulator itself, and the helper of tests. */
const emulatorEntries = ['dev', 'testing']

/**
 * Puts the entries of the emulator into a few files in `<made>/emulator/bundled`, and has `<made>/emulator/dev.js` and the like be them.
 *
 * @param {string} root @param {string} made where the compiled files are
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
    writeFileSync(join(made, 'emulator', `${name}.js`), `export * from './bundled/${name}.js'\n`)
  }
}

/**
 * Puts what is found by its path, the commands above all, into `<made>/cli` in place of the compiled files. The class of
 * errors is the emulator's too, so it stays outside.
 *
 * @param {string} root @param {string} made where the compiled files are
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
    // Imports are lazy for callers of the sources, too, where the bundle has the module in a file that is loaded anyway.
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
 * Files and folders of ours that are not bundled. Built files keep the sources' relative paths.
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
 * The framework sorts the ids of all commands at each start as people of some language would; to make ready for that takes Node a tenth of
 * its own start. They are in plain order, which is the same for them.
 *
 * @returns {import('rolldown').Plugin}
 */
function sortsPlainly() {
  const compare = 'a.id.localeCompare(b.id)'
  return {
    name: 'sorts-plainly',
    transform(code, id) {
      if (!id.endsWith(join('@oclif', 'core', 'lib', 'config', 'plugin.js'))) return null
      if (!code.includes(compare)) throw new Error(`${id} does not sort by ${compare} any more.`)
      return { code: code.replace(compare, '(a.id < b.id ? -1 : 1)'), map: null }
    },
  }
}
