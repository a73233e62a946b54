/** Builds the dashboard into `dist/dashboard`, or takes the one that is there while what it is made of is the same. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** @param {string} root @param {string} made where the compiled files are */
export async function bundleDashboard(root, made) {
  const key = keyOf(root)
  const kept = join(root, 'dist', 'dashboard')
  const keptKey = join(root, 'dist', '.dashboard-key')
  if (existsSync(kept) && existsSync(keptKey) && readFileSync(keptKey, 'utf8') === key) {
    cpSync(kept, join(made, 'dashboard'), { recursive: true, preserveTimestamps: true })
  } else {
    // Only here is it worth the time that loading it takes.
    const { build } = await import('vite')
    await build({
      root: join(root, 'dashboard'),
      configFile: join(root, 'dashboard', 'vite.config.js'),
      build: { outDir: join(made, 'dashboard'), emptyOutDir: true },
      logLevel: 'warn',
    })
  }
  writeFileSync(join(made, '.dashboard-key'), key)
}

/** Of its sources, of the client that it is built with, and of the packages. @param {string} root */
function keyOf(root) {
  const hash = createHash('sha256')
  const files = ['client', 'dashboard'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  for (const file of [...files.sort(), join(root, 'package-lock.json')]) {
    hash.update(`${relative(root, file)}\0`).update(readFileSync(file))
  }
  return hash.digest('hex')
}
