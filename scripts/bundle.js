/** The emulator and what it needs of other packages in a few files: opening eight hundred takes longer than the database. */
import { writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { rolldown } from 'rolldown'

/** What is loaded by few, has files of its own beside it, or is what a caller compares errors with: the client. */
const apart = [/^node:/, /^@electric-sql\/pglite/, 'pg', 'pg-native', '@aws-sdk/client-s3']

/**
 * Puts `emulator/main.ts` as one module into `<made>/emulator/bundled`, and has `<made>/emulator/main.js` be it.
 *
 * @param {string} root @param {string} made where the compiled files are
 */
export async function bundleEmulator(root, made) {
  const folder = join(made, 'emulator', 'bundled')
  const build = await rolldown({
    input: join(root, 'emulator', 'main.ts'),
    cwd: root,
    platform: 'node',
    external: apart,
    plugins: [ownFilesStay(root)],
  })
  await build.write({ dir: folder, format: 'esm', sourcemap: true, chunkFileNames: '[name].js' })
  await build.close()
  writeFileSync(join(made, 'emulator', 'main.js'), "export * from './bundled/main.js'\n")
}

/**
 * Files are found where they were compiled to, and the client stays outside.
 *
 * @param {string} root @returns {import('rolldown').Plugin}
 */
function ownFilesStay(root) {
  const toBuilt = (/** @type {string} */ path) => `../../${relative(root, path).split(sep).join('/')}`
  return {
    name: 'own-files-stay',
    resolveId(id, importer) {
      const path = importer && id.startsWith('.') ? resolve(dirname(importer), id) : ''
      return path.startsWith(join(root, 'client', sep)) ? { id: toBuilt(path), external: true } : null
    },
    transform(code, id) {
      if (!id.startsWith(join(root, 'emulator', sep)) || !code.includes('import.meta.url')) return null
      const place = `new URL('${toBuilt(id)}', import.meta.url).href`
      return { code: code.replaceAll('import.meta.url', place), map: null }
    },
  }
}
