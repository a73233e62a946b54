/** `npm run pack`: both packages as they would be published, in `dist/packages`. Prints their paths. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleClient, bundleReact, copyDeclarations } from './client-package.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const packages = join(dist, 'packages')
// Not in dist, which another build may replace meanwhile.
const stage = join(root, `dist.${process.pid}.packages`)

execFileSync(process.execPath, [join(root, 'scripts', 'build.js'), '--if-stale'], { stdio: 'inherit' })
try {
  await stageClient()
  for (const folder of [root, stage]) {
    const name = pack(folder)
    mkdirSync(packages, { recursive: true })
    // Concurrent readers get a whole one.
    renameSync(join(stage, name), join(packages, name))
    console.log(relative(root, join(packages, name)))
  }
} finally {
  rmSync(stage, { recursive: true, force: true })
}

/** The client by itself: CommonJS for `require` and its types, and ES modules for all else; each once more for development. */
async function stageClient() {
  const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const commonJs = join(dist, 'commonjs', 'client')
  mkdirSync(stage)
  for (const name of ['index.js', 'development.js']) copyFileSync(join(commonJs, name), join(stage, name))
  const copied = new Set()
  for (const name of ['index.d.ts', join('react', 'index.d.ts')]) {
    copyDeclarations(join(commonJs, name), (path) => join(stage, relative(commonJs, path)), copied)
  }
  await bundleClient(root, 'esm', stage, '.mjs')
  await bundleReact(root, 'esm', join(stage, 'react'), '.mjs')
  copyFileSync(join(commonJs, 'react', 'index.js'), join(stage, 'react', 'index.js'))
  for (const folder of ['.', 'react']) writeFileSync(join(stage, folder, 'index.d.mts'), "export * from './index.js'\n")
  copyFileSync(join(root, 'LICENSE'), join(stage, 'LICENSE'))
  copyFileSync(join(root, 'client', 'README.md'), join(stage, 'README.md'))
  const manifest = {
    ...{ name: 'svc-toolkit-client', version, license, engines },
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
  }
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** @param {string} folder @returns {string} the file's name */
function pack(folder) {
  const args = ['pack', '--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', stage]
  const said = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(said)[0].filename
}
