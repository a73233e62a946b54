/** `npm run pack`: both packages as they would be published, in `dist/packages`. Prints their paths. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { clientPackage, dependOnClient } from './client-package.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const packages = join(dist, 'packages')
// Not in dist, which another build may replace meanwhile.
const stage = join(root, `dist.${process.pid}.packages`)

execFileSync(process.execPath, [join(root, 'scripts', 'build.js'), '--if-stale'], { stdio: 'inherit' })
try {
  mkdirSync(stage)
  for (const folder of [stageToolkit(), clientPackage(dist)]) {
    const name = pack(folder)
    mkdirSync(packages, { recursive: true })
    // Concurrent readers get a whole one.
    renameSync(join(stage, name), join(packages, name))
    console.log(relative(root, join(packages, name)))
  }
} finally {
  rmSync(stage, { recursive: true, force: true })
}

/** The toolkit with its dependency on the client, which the repository has no use for. @returns {string} its folder */
function stageToolkit() {
  execFileSync('tar', ['-xzf', join(stage, pack(root)), '-C', stage])
  const folder = join(stage, 'package')
  dependOnClient(folder)
  return folder
}

/** @param {string} folder @returns {string} the file's name */
function pack(folder) {
  const args = ['pack', '--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', stage]
  const said = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(said)[0].filename
}
