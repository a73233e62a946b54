import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bin, cleanEnv, nodeOptions, openWorld, type World } from '../command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

interface Entry {
  readonly type: string
  readonly method?: string
  readonly path?: string
  readonly status?: number
  readonly who?: string
}
const entries = async (...words: string[]) => ((await world.json(['logs', ...words])) as { entries: Entry[] }).entries

test('svc logs shows what was answered to whom, and never a query, a key or the emulator itself', async () => {
  const dev = await world.dev()
  const ask = (path: string, headers: Record<string, string> = { 'x-api-key': dev.apiKey }) =>
    fetch(dev.url + path, { headers })
  await ask('/collections?views__gte=sought')
  await ask('/collections/no%0Asuch')
  await ask('/collections', { 'x-api-key': 'svc_key_wrong' })
  await ask('/_svc/api/health')

  await expect.poll(() => entries()).toHaveLength(3)
  expect(await entries()).toMatchObject([
    { type: 'request', method: 'GET', path: '/collections', status: 200, who: 'key' },
    { type: 'request', method: 'GET', path: '/collections/no%0Asuch', status: 404, who: 'key' },
    { type: 'request', method: 'GET', path: '/collections', status: 401, who: 'nobody' },
  ])
  const file = join(world.folder, '.svc', 'requests.log')
  const kept = readFileSync(file, 'utf8')
  expect(kept).not.toMatch(/sought|svc_key_/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await entries('-n', '1')).toMatchObject([{ status: 401 }])
  expect(await entries('--only', 'failures')).toEqual([])
  await dev.stop()
  const { stdout } = await world.svc(['logs', '-n', '1'])
  expect(stdout).toMatch(/^\d\d:\d\d:\d\d {2}GET {4}\/collections {2}401 {2}\d.* ms {2}nobody\n$/)
  expect(await world.svc(['logs', '-n', '0'])).toEqual({ exit: 0, stdout: '', stderr: '' })
})

test('svc logs -f --json says that it is ready, then each entry as a line, until Ctrl-C', async () => {
  const dev = await world.dev('--memory')
  const env = cleanEnv(world.folder)
  const words = [bin, 'logs', '-f', '--json', '--only', 'requests']
  const following = execa(process.execPath, words, { cwd: world.folder, env, extendEnv: false, reject: false })
  let said = ''
  following.stdout.on('data', (piece) => {
    said += piece
  })
  await expect.poll(() => said).toBe('{"type":"ready"}\n')

  await fetch(`${dev.url}/collections`, { headers: { 'x-api-key': dev.apiKey } })

  await expect.poll(() => said).toMatch(/\n\{.*"path":"\/collections".*"type":"request".*\}\n$/)
  following.kill('SIGINT')
  expect((await following).exitCode).toBe(130)
})

test('keys of svc dev show requests, mail and what they are, and q leaves the terminal as it was', async () => {
  const { stdout, exit } = await world.terminal(
    ['dev', '--memory', '--port', '0'],
    [
      ['? lists keys, Ctrl-C stops', '?'],
      ['q  stop, like Ctrl-C', 'r'],
      ['Press r to hide them', 'n'],
      ['POST   /collections/notes', 'm'],
      ['No mail yet', 'r'],
      ['Hiding requests.', 'q'],
    ],
    { columns: 100 },
  )

  expect(exit).toBe(0)
  expect(stdout).toMatch(/POST {3}\/collections\/notes {2}201 {2}\d.* ms {2}key/)
  expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+ · \d+ requests · showing requests · \? for keys/)
})

test.each(['q', '\x03'])('the terminal takes lines again after %j', async (key) => {
  const dev = [process.execPath, ...nodeOptions, bin, 'dev', '--memory', '--port', '0'].map((word) => `'${word}'`)
  const line = `stty cols 100; ${dev.join(' ')}; stty -a`
  const child = execa('script', ['-qec', line, '/dev/null'], {
    cwd: world.folder,
    env: { ...cleanEnv(world.folder), TERM: 'xterm' },
    extendEnv: false,
    reject: false,
  })
  let seen = ''
  child.stdout.on('data', (piece) => {
    seen += piece
  })
  await expect.poll(() => seen).toContain('? for keys')

  child.stdin.write(key)
  await child

  expect(seen.slice(seen.lastIndexOf('stopped'))).toMatch(/ icanon [\s\S]* echo /)
})
