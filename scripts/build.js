/** Builds what the package ships: dist/, the database template and the command manifest. `--if-stale` builds only what changed. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'dist', '.built')
const sources = [
  'client',
  'emulator',
  'cli',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  '.oclifrc.json',
]

if (!process.argv.includes('--if-stale') || isStale()) await build()

async function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  run('typescript/bin/tsc', ['-p', 'tsconfig.build.json'])
  const { packTemplate } = await import(new URL('../dist/emulator/database/template.js', import.meta.url).href)
  await packTemplate(join(root, 'dist', 'template.tar.gz'))
  run('oclif/bin/run.js', ['manifest'])
  writeFileSync(stamp, '')
  utimesSync(stamp, new Date(), new Date())
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

/** @param {string} script @param {string[]} args */
function run(script, args) {
  execFileSync(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    // The tool that writes the manifest would ask the registry whether it is the newest.
    env: { ...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true' },
  })
}
