/** The client and the test helper as CommonJS, and the client as an ES module, for those who cannot or need not load them file by file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

/** The package's exports, for which `require` needs types. */
const entries = [
  'client/index.d.ts',
  'client/react/index.d.ts',
  'emulator/dev.d.ts',
  'emulator/testing.d.ts',
  'emulator/testing/global-setup.d.ts',
]

/**
 * Puts the client and the test helper as CommonJS into `<made>/commonjs`, with types for `require` of all that the package exports: a
 * declaration belongs to CommonJS or to ES modules by the package.json it stands below.
 *
 * @param {string} root @param {string} made where the compiled files are
 */
export async function bundleCommonJs(root, made) {
  const folder = join(made, 'commonjs')
  await bundleClient(root, 'cjs', join(folder, 'client'), '.js')
  await bundleReact(root, 'cjs', join(folder, 'client', 'react'), '.js')
  await bundleTestHelper(root, join(folder, 'emulator'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n')
  for (const entry of entries) copyDeclarations(join(made, entry), (path) => join(folder, relative(made, path)))
}

/**
 * The client in one minified file, and beside it what development builds load in its place, which loads it.
 *
 * @param {string} root @param {'cjs' | 'esm'} format @param {string} folder @param {'.js' | '.mjs'} ending
 */
export async function bundleClient(root, format, folder, ending) {
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
export async function bundleReact(root, format, folder, ending) {
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
export function copyDeclarations(file, placeOf, copied = new Set()) {
  if (copied.has(file)) return
  copied.add(file)
  const text = readFileSync(file, 'utf8')
  mkdirSync(dirname(placeOf(file)), { recursive: true })
  writeFileSync(placeOf(file), text)
  for (const [, path = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
    copyDeclarations(join(dirname(file), `${path}.d.ts`), placeOf, copied)
  }
}
