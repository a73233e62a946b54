/**
 * Builds what is missing, then runs the emulator with demo data: `npm start`. Passes further arguments to `svc dev`.
 */
import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))

execFileSync(process.execPath, [here('./build.js'), '--if-stale'], { stdio: 'inherit' })
process.stderr.write('Starting the emulator with demo data …\n')
const child = spawn(process.execPath, [here('../cli/bin/run.js'), 'dev', '--demo', ...process.argv.slice(2)], {
  stdio: 'inherit',
})
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
