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
import { describeCommands } from './command-answers.js'
import { bundleDashboard } from './dashboard.js'
import { keepOrMake } from './kept.js'
import { writeLlms } from './llms.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'dist', '.built')
const sources = [
  'client',
  'emulator',
  'seeds',
  'types',
  'cli',
  'dashboard',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/bundle.js',
  'scripts/client-package.js',
  'scripts/command-answers.js',
  'scripts/dashboard.js',
  'scripts/kept.js',
  'scripts/llms.js',
  '.oclifrc.json',
]

if (!process.argv.includes('--if-stale') || isStale()) await build()

/** Builds next to the old build and swaps at the end, so that running commands always find all files. */
async function build() {
  const begunAt = new Date()
  const stage = join(root, `dist.${process.pid}`)
  const made = join(stage, 'dist')
  const compiled = `${stage}.compiled`
  mkdirSync(stage)
  try {
    say('Compiling TypeScript')
    // Same depth as the final folder, so that source maps resolve.
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
    writeLlms(root, join(made, 'dashboard'))
    say('Creating the database that new state folders start from')
    await makeTemplate(made)
    say('Writing the list of commands')
    // The manifest tool works in its current folder.
    for (const name of ['package.json', '.oclifrc.json']) copyFileSync(join(root, name), join(stage, name))
    run(stage, 'oclif/bin/run.js', ['manifest'])
    describeCommands(root, join(stage, 'oclif.manifest.json'))
    writeFileSync(join(made, '.built'), '')
    // Uses the start time, because changes during the build are not included.
    utimesSync(join(made, '.built'), begunAt, begunAt)
    if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), join(stage, 'before'))
    for (const name of ['dist', 'oclif.manifest.json']) renameSync(join(stage, name), join(root, name))
  } finally {
    for (const folder of [stage, compiled]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Logs to stderr, because commands that build may print JSON. @param {string} step */
function say(step) {
  process.stderr.write(`${step} …\n`)
}

/** Packs the database template. @param {string} made */
async function makeTemplate(made) {
  await keepOrMake({ root, made, name: 'template.tar.gz', sources: templateSources() }, async (place) => {
    const { packTemplate } = await import(pathToFileURL(join(made, 'emulator/database/pglite/template.js')).href)
    await packTemplate(place)
  })
}

/** Returns the files under `emulator/database` and the file with the database version. */
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
    // Stops the manifest tool from checking the registry for updates.
    env: { ...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true' },
  })
}
