/** Builds what the package ships: dist/, the database template and the command manifest. `--if-stale` builds only what changed. */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundleCommandLine, bundleEmulator } from './bundle.js'
import { bundleCommonJs, makeClientPackage, reexportClient } from './client-package.js'
import { bundleDashboard } from './dashboard.js'
import { keepOrMake } from './kept.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'dist', '.built')
const sources = [
  'client',
  'emulator',
  'seeds',
  'cli',
  'dashboard',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/bundle.js',
  'scripts/client-package.js',
  'scripts/dashboard.js',
  'scripts/kept.js',
  '.oclifrc.json',
]

if (!process.argv.includes('--if-stale') || isStale()) await build()

/** Builds beside the old build, and replaces it at the end: a command that starts meanwhile finds all files. */
async function build() {
  const begunAt = new Date()
  const stage = join(root, `dist.${process.pid}`)
  const made = join(stage, 'dist')
  const compiled = `${stage}.compiled`
  mkdirSync(stage)
  try {
    say('Compiling TypeScript')
    // As deep as its final place, so that the source maps find the sources.
    run(root, 'typescript/bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', compiled])
    renameSync(compiled, made)
    say('Bundling the emulator, the command line and the client')
    await bundleEmulator(root, made)
    await bundleCommandLine(root, made)
    await makeClientPackage(root, made)
    reexportClient(made)
    await bundleCommonJs(root, made)
    say('Building the dashboard')
    await bundleDashboard(root, made)
    say('Creating the database that new state folders start from')
    await makeTemplate(made)
    say('Writing the list of commands')
    // The tool that writes the manifest reads and writes in its working folder.
    for (const name of ['package.json', '.oclifrc.json']) copyFileSync(join(root, name), join(stage, name))
    run(stage, 'oclif/bin/run.js', ['manifest'])
    writeFileSync(join(made, '.built'), '')
    // Changes made while it builds are not in it.
    utimesSync(join(made, '.built'), begunAt, begunAt)
    if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), join(stage, 'before'))
    for (const name of ['dist', 'oclif.manifest.json']) renameSync(join(stage, name), join(root, name))
  } finally {
    for (const folder of [stage, compiled]) rmSync(folder, { recursive: true, force: true })
  }
}

/** On stderr, since commands that build may print JSON. @param {string} step */
function say(step) {
  process.stderr.write(`${step} …\n`)
}

/** Packs the template of the database. @param {string} made */
async function makeTemplate(made) {
  await keepOrMake({ root, made, name: 'template.tar.gz', sources: templateSources() }, async (place) => {
    const { packTemplate } = await import(pathToFileURL(join(made, 'emulator/database/pglite/template.js')).href)
    await packTemplate(place)
  })
}

/** Everything under `emulator/database`, and the file with the database's own version. */
function templateSources() {
  const folder = join(root, 'emulator', 'database')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[jt]s$/.test(name))
    .sort()
    .map((name) => join(folder, name))
  return [...files, join(root, 'node_modules/@electric-sql/pglite/package.json')]
}

function isStale() {
  if (!existsSync(stamp) || !existsSync(join(root, 'oclif.manifest.json'))) return true
  const builtAt = statSync(stamp).mtimeMs
  return sources.some((source) => newest(join(root, source)) > builtAt)
}

/** @param {string} path @returns {number} */
function newest(path) {
  const info = statSync(path)
  if (!info.isDirectory()) return info.mtimeMs
  return Math.max(info.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

/** @param {string} cwd @param {string} script @param {string[]} args */
function run(cwd, script, args) {
  execFileSync(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    // The tool that writes the manifest would ask the registry whether it is the newest.
    env: { ...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true' },
  })
}
