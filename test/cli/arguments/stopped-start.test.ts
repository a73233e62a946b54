/** A signal while `svc dev` starts: it ends as a running one does, and nothing follows that would have come next. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ownersMark } from '../../../cli/target/env-file.js'
import { endsByItself, patiently } from '../../fixtures/patience.js'
import { bin, cleanEnv, hungMilliseconds, nodeOptions, openWorld, ran, type World } from '../command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const path = (name: string) => join(world.folder, name)
const envOfApp = `${ownersMark}\nSVC_URL=http://127.0.0.1:1\nSVC_API_KEY=svc_key_former\n`
const saysBegun = `import('node:fs').then(({ writeFileSync }) => writeFileSync('begun', ''))`

/** Starts it with a seed and an app, and sends the signal once the seed has begun. */
async function stoppedInSeed(seed: string, signal: NodeJS.Signals, ...flags: string[]) {
  writeFileSync(path('.env.local'), envOfApp)
  const app = ['--', process.execPath, '-e', `require('node:fs').writeFileSync('app', '')`]
  const child = execa(process.execPath, [...nodeOptions, bin, 'dev', '--port', '0', '--seed', seed, ...flags, ...app], {
    ...{ cwd: world.folder, env: { ...cleanEnv(world.folder), SVC_TRUST_CODE: '1' }, extendEnv: false },
    ...{ reject: false, timeout: hungMilliseconds, ...endsByItself },
  })
  await vi.waitUntil(() => existsSync(path('begun')), patiently)
  child.kill(signal)
  return ran(await child)
}

const seeds = {
  'that waits': `export default () =>
    new Promise((resolve) => {
      setTimeout(resolve, 400_000)
      ${saysBegun}
    })`,
  'that is done at the signal': `export default () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => resolve([{ n: 1 }]))
      ${saysBegun}
    })`,
}

test.each([
  ['SIGINT', 'that waits', []],
  ['SIGTERM', 'that waits', ['--watch']],
  ['SIGINT', 'that is done at the signal', ['--json']],
  ['SIGTERM', 'that is done at the signal', ['--memory']],
] as const)('%s in a seed %s stops svc dev with 0, and no app is started (%s)', async (signal, kind, flags) => {
  writeFileSync(path('posts.mjs'), seeds[kind])

  const stopped = await stoppedInSeed('posts.mjs', signal, ...flags)

  expect(stopped).toMatchObject({ exit: 0, stdout: '', stderr: expect.not.stringContaining('error') })
  expect(existsSync(path('app'))).toBe(false)
  expect(existsSync(path('.svc/emulator.json'))).toBe(false)
  expect(readFileSync(path('.env.local'), 'utf8')).toBe(envOfApp)
})
