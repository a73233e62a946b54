/** Builds the dashboard into `dist/dashboard`. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { keepOrMake } from './kept.js'

/** @param {string} root @param {string} made where the compiled files are */
export async function bundleDashboard(root, made) {
  await keepOrMake({ root, made, name: 'dashboard', sources: listSources(root) }, async (outDir) => {
    // Imported here, because loading it is slow.
    const { build } = await import('vite')
    await build({
      root: join(root, 'dashboard'),
      configFile: join(root, 'dashboard', 'vite.config.js'),
      build: { outDir, emptyOutDir: true },
      logLevel: 'warn',
    })
  })
}

/** Returns the dashboard's sources: its files, those of the rooms it imports, and the packages. @param {string} root */
function listSources(root) {
  const files = ['client', 'types', 'dashboard'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  return [...files.sort(), join(root, 'package-lock.json')]
}
