/** The package of the client, the toolkit's own exports that pass it on, and what of the toolkit `require` needs. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, posix, relative } from 'node:path'
import { rolldown } from 'rolldown'

const name = 'svc-toolkit-client'

/** Exports of the toolkit that are its own: `require` needs types for them. */
const entries = ['emulator/dev.d.ts', 'emulator/testing.d.ts', 'emulator/testing/global-setup.d.ts']

/** Where a build has the client's package: code in `dist` finds it as installed code finds the published one. @param {string} made */
export function clientPackage(made) {
  return join(made, 'node_modules', name)
}

/**
 * Makes the client's package: CommonJS for `require` and its types, and ES modules for all else; each once more for development.
 *
 * @param {string} root @param {string} made where the compiled files are
 */
export async function makeClientPackage(root, made) {
  const folder = clientPackage(made)
  const { version, license, engines } = manifestOf(root)
  for (const [format, ending] of /** @type {const} */ ([
    ['cjs', '.js'],
    ['esm', '.mjs'],
  ])) {
    await bundleClient(root, format, folder, ending)
    await bundleReact(root, format, join(folder, 'react'), ending)
  }
  const copied = new Set()
  for (const path of ['index.d.ts', join('react', 'index.d.ts')]) {
    copyDeclarations(join(made, 'client', path), (file) => join(folder, relative(join(made, 'client'), file)), copied)
  }
  for (const path of ['.', 'react']) writeFileSync(join(folder, path, 'index.d.mts'), "export * from './index.js'\n")
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
      './react': {
        require: { types: './react/index.d.ts', default: './react/index.js' },
        default: { types: './react/index.d.mts', default: './react/index.mjs' },
      },
      './package.json': './package.json',
    },
    typesVersions: { '*': { react: ['./react/index.d.ts'] } },
    peerDependencies: { react: '>=18' },
    peerDependenciesMeta: { react: { optional: true } },
  })
}

/** The toolkit's manifest as it is published: it needs the client of its own version. @param {string} folder the unpacked package */
export function dependOnClient(folder) {
  const { private: _, dependencies, ...manifest } = manifestOf(folder)
  writeManifest(folder, { ...manifest, dependencies: { ...dependencies, [name]: manifest.version } })
}

/** @param {string} folder */
function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** @param {string} folder @param {object} manifest */
function writeManifest(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/**
 * Has the toolkit export the client's package, so that an app with both has one class of errors and one set of types.
 *
 * @param {string} made where the compiled files are
 */
export function reexportClient(made) {
  for (const kind of ['js', 'js.map', 'd.ts']) rmSync(join(made, 'client', `development.${kind}`))
  for (const path of ['', 'react']) {
    const exported = posix.join(name, path)
    const [esm, cjs] = [join(made, 'client', path), join(made, 'commonjs', 'client', path)]
    mkdirSync(cjs, { recursive: true })
    rmSync(join(esm, 'index.js.map'))
    for (const file of [join(esm, 'index.js'), join(esm, 'index.d.ts'), join(cjs, 'index.d.ts')])
      writeFileSync(file, `export * from '${exported}'\n`)
    writeFileSync(join(cjs, 'index.js'), `module.exports = require('${exported}')\n`)
  }
}

/**
 * Puts the test helper as CommonJS into `<made>/commonjs`, with types for `require` of all that the toolkit exports: a
 * declaration belongs to CommonJS or to ES modules by the package.json it stands below.
 *
 * @param {string} root @param {string} made where the compiled files are
 */
export async function bundleCommonJs(root, made) {
  const folder = join(made, 'commonjs')
  await bundleTestHelper(root, join(folder, 'emulator'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n')
  for (const entry of entries) copyDeclarations(join(made, entry), (path) => join(folder, relative(made, path)))
}

/**
 * The client in one minified file, and beside it what development builds load in its place, which loads it.
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
 * Uses the client as it is published: the path of its one file, which is there until that is done.
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
 * The hooks for React in one minified file. They call the client that they are given, and load none.
 *
 * @param {string} root @param {'cjs' | 'esm'} format @param {string} folder @param {'.js' | '.mjs'} ending
 */
async function bundleReact(root, format, folder, ending) {
  const build = await rolldown({
    input: join(root, 'client', 'react', 'index.ts'),
    ...{ cwd: root, platform: 'neutral', external: ['react'] },
  })
  await build.write({ file: join(folder, `index${ending}`), format, minify: true, codeSplitting: false })
  await build.close()
}

/**
 * The test helper in one file, which loads the emulator only where it is started: Jest loads no ES modules.
 *
 * @param {string} root @param {string} folder
 */
async function bundleTestHelper(root, folder) {
  const build = await rolldown({
    input: join(root, 'emulator', 'testing.ts'),
    cwd: root,
    platform: 'node',
    external: (id) => /\/(client\/index|dev|thread|seed)\.js$/.test(id),
  })
  await build.write({
    file: join(folder, 'testing.js'),
    format: 'cjs',
    codeSplitting: false,
    paths: {
      [join(root, 'client', 'index.js')]: '../client/index.js',
      [join(root, 'emulator', 'dev.js')]: '../../emulator/dev.js',
      [join(root, 'emulator', 'database', 'pglite', 'thread.js')]: '../../emulator/database/pglite/thread.js',
      [join(root, 'seeds', 'seed.js')]: '../../seeds/seed.js',
    },
  })
  await build.close()
}

/**
 * Copies a declaration file and those it imports.
 *
 * @param {string} file @param {(path: string) => string} placeOf
 */
function copyDeclarations(file, placeOf, copied = new Set()) {
  if (copied.has(file)) return
  copied.add(file)
  const text = readFileSync(file, 'utf8')
  mkdirSync(dirname(placeOf(file)), { recursive: true })
  // The compiler indents by four spaces, which add 4 KB to the package.
  writeFileSync(
    placeOf(file),
    text.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4)),
  )
  for (const [, path = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
    copyDeclarations(join(dirname(file), `${path}.d.ts`), placeOf, copied)
  }
}
