/** Builds the client package, the toolkit's re-exports of it, and the toolkit's files for `require`. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, posix, relative } from 'node:path'
import { rolldown } from 'rolldown'

const name = 'svc-toolkit-client'

/** The entries of the client package. The index is bundled apart, because it has a development variant. */
const otherEntries = [
  'deployed/index',
  'extensions',
  'offline/index',
  'react/index',
  'server',
  'store/index',
  'svelte/index',
  'vue/index',
]
const clientEntries = ['index', ...otherEntries]

/** Frameworks of the app. */
const frameworks = { react: '>=18', svelte: '>=5.7', vue: '>=3.4' }

/** The toolkit's own exports, which need types for `require`. */
const entries = ['emulator/assembly/dev.d.ts', 'emulator/testing/index.d.ts', 'emulator/testing/global-setup.d.ts']

/**
 * Returns the folder of the client package in a build. Code in `dist` resolves it like an installed package. @param
 * {string} made
 */
export function clientPackage(made) {
  return join(made, 'node_modules', name)
}

/**
 * Builds the client package: CommonJS with types for `require`, ES modules for everything else, and a development
 * variant of each.
 *
 * @param {string} root @param {string} made folder of the compiled files
 */
export async function makeClientPackage(root, made) {
  const folder = clientPackage(made)
  const { version, license, engines } = readManifest(root)
  for (const [format, ending] of /** @type {const} */ ([
    ['cjs', '.js'],
    ['esm', '.mjs'],
  ])) {
    await bundleClient(root, format, folder, ending)
    for (const entry of otherEntries) await bundleEntry(root, format, entry, folder, ending)
  }
  const copied = new Set()
  for (const entry of clientEntries) {
    const declarations = join(made, 'client', `${entry}.d.ts`)
    copyDeclarations(declarations, (file) => join(folder, relative(join(made, 'client'), file)), copied)
    writeFileSync(join(folder, `${entry}.d.mts`), `export * from './${posix.basename(entry)}.js'\n`)
  }
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  copyFileSync(join(root, 'client', 'README.md'), join(folder, 'README.md'))
  writeManifest(folder, {
    ...{ name, version, license, engines },
    description: 'The typed client of the service, for browsers, Node, Deno, Bun, React Native and workers.',
    ...{ sideEffects: false, main: './index.js', module: './index.mjs', types: './index.d.ts' },
    exports: {
      '.': {
        require: { types: './index.d.ts', development: './development.js', default: './index.js' },
        default: { types: './index.d.mts', development: './development.mjs', default: './index.mjs' },
      },
      ...Object.fromEntries(otherEntries.map(exportedAs)),
      './package.json': './package.json',
    },
    typesVersions: { '*': Object.fromEntries(otherEntries.map((entry) => [publicName(entry), [`./${entry}.d.ts`]])) },
    peerDependencies: frameworks,
    peerDependenciesMeta: Object.fromEntries(Object.keys(frameworks).map((name) => [name, { optional: true }])),
  })
}

/** Returns the name that apps import: `react` for `react/index`. @param {string} entry */
function publicName(entry) {
  return entry.replace(/\/?index$/, '')
}

/** @param {string} entry */
function exportedAs(entry) {
  const files = {
    require: { types: `./${entry}.d.ts`, default: `./${entry}.js` },
    default: { types: `./${entry}.d.mts`, default: `./${entry}.mjs` },
  }
  return [`./${publicName(entry)}`, files]
}

/**
 * Sets the published toolkit's dependency on the client of the same version. @param {string} folder the unpacked
 * package
 */
export function dependOnClient(folder) {
  const { private: _, dependencies, ...manifest } = readManifest(folder)
  writeManifest(folder, { ...manifest, dependencies: { ...dependencies, [name]: manifest.version } })
}

/** @param {string} folder */
function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** @param {string} folder @param {object} manifest */
function writeManifest(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/**
 * Re-exports the client package from the toolkit, so that an app with both has one error class and one set of types.
 *
 * @param {string} made folder of the compiled files
 */
export function reexportClient(made) {
  for (const kind of ['js', 'js.map', 'd.ts']) rmSync(join(made, 'client', `development.${kind}`))
  for (const entry of clientEntries) {
    const exported = posix.join(name, publicName(entry))
    const [esm, cjs] = [join(made, 'client', entry), join(made, 'commonjs', 'client', entry)]
    mkdirSync(dirname(cjs), { recursive: true })
    rmSync(`${esm}.js.map`)
    for (const file of [`${esm}.js`, `${esm}.d.ts`, `${cjs}.d.ts`]) writeFileSync(file, `export * from '${exported}'\n`)
    writeFileSync(`${cjs}.js`, `module.exports = require('${exported}')\n`)
  }
}

/**
 * Bundles the test helper as CommonJS into `<made>/commonjs`, with types for `require` of all toolkit exports, because
 * the nearest package.json decides the module kind of a declaration.
 *
 * @param {string} root @param {string} made folder of the compiled files
 */
export async function bundleCommonJs(root, made) {
  const folder = join(made, 'commonjs')
  await bundleTestHelper(root, join(folder, 'emulator'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n')
  for (const entry of entries) copyDeclarations(join(made, entry), (path) => join(folder, relative(made, path)))
}

/**
 * Bundles the client into one minified file, and next to it the development variant, which loads it.
 *
 * @param {string} root @param {'cjs' | 'esm'} format @param {string} folder @param {'.js' | '.mjs'} ending
 */
async function bundleClient(root, format, folder, ending) {
  const paths = { [join(root, 'client', 'index.js')]: `./index${ending}` }
  for (const name of /** @type {const} */ (['index', 'development'])) {
    const build = await openClient(root, name)
    await build.write({ file: join(folder, name + ending), format, minify: true, codeSplitting: false, paths })
    await build.close()
  }
}

/** @param {string} root @param {'index' | 'development'} name */
function openClient(root, name) {
  return rolldown({
    input: join(root, 'client', `${name}.ts`),
    cwd: root,
    platform: 'neutral',
    external: ['./index.js'],
  })
}

/**
 * Provides the client as published: the path of a single file that exists until `use` is done.
 *
 * @template Result
 * @param {string} root @param {(path: string) => Promise<Result>} use @returns {Promise<Result>}
 */
export async function withPublishedClient(root, use) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-client-'))
  try {
    await bundleClient(root, 'esm', folder, '.mjs')
    return await use(join(folder, 'index.mjs'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/**
 * Bundles another entry into one minified file, which imports the other entries that it uses.
 *
 * @param {string} root @param {'cjs' | 'esm'} format @param {string} entry @param {string} folder of the package
 * @param {'.js' | '.mjs'} ending
 */
async function bundleEntry(root, format, entry, folder, ending) {
  const build = await openEntry(root, entry)
  const up = entry.includes('/') ? '..' : '.'
  const paths = Object.fromEntries(
    clientEntries.map((other) => [join(root, 'client', `${other}.ts`), `${up}/${other}${ending}`]),
  )
  await build.write({ file: join(folder, entry + ending), format, minify: true, codeSplitting: false, paths })
  await build.close()
}

/** @param {string} root @param {string} entry */
function openEntry(root, entry) {
  const entries = clientEntries.map((other) => join(root, 'client', `${other}.ts`))
  return rolldown({
    ...{ input: join(root, 'client', `${entry}.ts`), cwd: root, platform: 'neutral' },
    external: (id) => Object.keys(frameworks).includes(id.split('/')[0] ?? ''),
    plugins: [
      {
        name: 'other-entries',
        resolveId(id, importer) {
          const file = importer && id.startsWith('.') ? join(dirname(importer), id.replace(/\.js$/, '.ts')) : ''
          return entries.includes(file) ? { id: file, external: true } : null
        },
      },
    ],
  })
}

/**
 * Returns the code of an entry as published, without the other entries that it imports.
 *
 * @param {string} root @param {string} entry @returns {Promise<{ code: string, imports: string[] }>}
 */
export async function publishedEntry(root, entry) {
  const build = await openEntry(root, entry)
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false })
  await build.close()
  return output[0]
}

/**
 * Bundles the test helper into one file for Jest, which loads no ES modules. It loads the emulator only on start.
 *
 * @param {string} root @param {string} folder
 */
async function bundleTestHelper(root, folder) {
  const build = await rolldown({
    input: join(root, 'emulator', 'testing', 'index.ts'),
    cwd: root,
    platform: 'node',
    external: (id) => /\/(client\/index|dev|thread|seed)\.js$/.test(id),
  })
  await build.write({
    file: join(folder, 'testing', 'index.js'),
    format: 'cjs',
    codeSplitting: false,
    paths: {
      [join(root, 'client', 'index.js')]: '../../client/index.js',
      [join(root, 'emulator', 'assembly', 'dev.js')]: '../../../emulator/assembly/dev.js',
      [join(root, 'emulator', 'database', 'pglite', 'thread.js')]: '../../../emulator/database/pglite/thread.js',
      [join(root, 'seeds', 'seed.js')]: '../../../seeds/seed.js',
    },
  })
  await build.close()
}

/**
 * Copies a declaration file and its imports.
 *
 * @param {string} file @param {(path: string) => string} targetFor
 */
function copyDeclarations(file, targetFor, copied = new Set()) {
  if (copied.has(file)) return
  copied.add(file)
  const text = readFileSync(file, 'utf8')
  mkdirSync(dirname(targetFor(file)), { recursive: true })
  // The compiler indents by four spaces, which add 4 KB to the package.
  writeFileSync(
    targetFor(file),
    text.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4)),
  )
  for (const [, path = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
    copyDeclarations(join(dirname(file), `${path}.d.ts`), targetFor, copied)
  }
}
