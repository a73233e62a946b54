/** Packs both packages as for publishing into `dist/packages` and prints their paths: `npm run pack`. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { clientPackage, dependOnClient } from './client-package.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const packages = join(dist, 'packages')
// Outside dist, because another build may replace it in the meantime.
const stage = join(root, `dist.${process.pid}.packages`)

execFileSync(process.execPath, [join(root, 'scripts', 'build.js'), '--if-stale'], { stdio: 'inherit' })
try {
  mkdirSync(stage)
  for (const name of [packToolkit(), pack(clientPackage(dist))]) {
    mkdirSync(packages, { recursive: true })
    // Renames, so that concurrent readers get a complete file.
    renameSync(join(stage, name), join(packages, name))
    console.log(relative(root, join(packages, name)))
  }
} finally {
  rmSync(stage, { recursive: true, force: true })
}

/**
 * Packs the toolkit with its dependency on the client, which the repository itself does not need. Changes the packed
 * files, because npm takes seconds to pack them again. @returns {string} the file's name
 */
function packToolkit() {
  const name = pack(root)
  execFileSync('tar', ['-xzf', name], { cwd: stage })
  dependOnClient(join(stage, 'package'))
  execFileSync('tar', ['-czf', name, 'package'], { cwd: stage })
  return name
}

/** @param {string} folder @returns {string} the file's name */
function pack(folder) {
  const args = ['pack', '--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', stage]
  const said = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(said)[0].filename
}
