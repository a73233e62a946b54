/** The client as CommonJS and as one ES module, for those who cannot or need not load it file by file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

/** What the package exports, and so what `require` needs types of. */
const entries = ['client/index.d.ts', 'emulator/main.d.ts', 'emulator/testing.d.ts']

/**
 * Puts the client as CommonJS into `<made>/commonjs`, with types for `require` of all that the package exports: a
 * declaration belongs to CommonJS or to ES modules by the package.json it stands below.
 *
 * @param {string} root @param {string} made where the compiled files are
 */
export async function bundleCommonJs(root, made) {
  const folder = join(made, 'commonjs')
  await bundleClient(root, 'cjs', join(folder, 'client', 'index.js'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n')
  for (const entry of entries) copyDeclarations(join(made, entry), (path) => join(folder, relative(made, path)))
}

/**
 * The client in one minified file.
 *
 * @param {string} root @param {'cjs' | 'esm'} format @param {string} file
 */
export async function bundleClient(root, format, file) {
  const build = await rolldown({ input: join(root, 'client', 'index.ts'), cwd: root, platform: 'neutral' })
  await build.write({ file, format, minify: true, codeSplitting: false })
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
