/** Stdin is read where `-` names it, as slowly as it is written, and by nothing else. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endsByItself } from '../../fixtures/patience.js'
import { bin, cleanEnv, hungMilliseconds, openWorld, type World } from '../command-line.js'
import { openFakeService } from '../fake-service.js'

let world: World
let id: string
let request: string

beforeAll(async () => {
  world = await openWorld()
  await world.dev('--memory')
  await world.svc(['collections', 'create', 'posts'])
  id = ((await world.json(['docs', 'create', 'posts', 'title=Hello'])) as { id: string }).id
  await world.svc(['api', 'POST', '/collections/posts', 'title=Hi'])
  const [newest] = (await world.json(['requests', 'list', '--method', 'POST'])) as { id: string }[]
  request = newest?.id ?? ''
})
afterAll(() => world.close())

const options = () => ({
  ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false, timeout: hungMilliseconds },
  ...endsByItself,
})

const document = '{"title":"Slow"}'
const schema = '{"title":{"type":"string"}}'

test.each([
  ['docs create', document, () => ['docs', 'create', 'posts', '-f', '-']],
  ['docs update', document, () => ['docs', 'update', 'posts', id, '-f', '-']],
  ['docs replace', document, () => ['docs', 'replace', 'posts', id, '-f', '-']],
  ['api', document, () => ['api', 'POST', '/collections/posts', '-f', '-']],
  ['requests replay', document, () => ['requests', 'replay', request, '--body', '-']],
  ['collections create', schema, () => ['collections', 'create', 'drafts', '--schema', '-']],
  ['collections schema', schema, () => ['collections', 'schema', 'posts', '--schema', '-']],
])('svc %s waits for a writer that pauses', async (_, text, words) => {
  const child = execa(process.execPath, [bin, ...words()], options())

  // More than a pipe holds: once all of it is in there, the command has read most of it, and waits for the rest.
  await new Promise((resolve) => child.stdin.write(' '.repeat(500_000), resolve))
  await pause(500)
  child.stdin.end(text)

  const { exitCode, stderr } = await child
  expect(exitCode, stderr).toBe(0)
})

test('after what was typed as a document, a question can be answered', async () => {
  const times = { createdAt: '2030-01-01T00:00:00.000Z', updatedAt: '2030-01-01T00:00:00.000Z' }
  const service = await openFakeService(() => ({ status: 201, body: { id, data: { title: 'Typed' }, ...times } }))
  // It leads to this machine, but no rule says that it always does.
  const url = service.url.replace('127.0.0.1', '0.0.0.0')
  const line = `'${process.execPath}' '${bin}' docs create posts -f - --url ${url} --key svc_key_x`
  const child = execa('script', ['-qec', line, '/dev/null'], {
    ...options(),
    env: { ...cleanEnv(world.folder), TERM: 'xterm', NO_COLOR: '1' },
  })
  let seen = ''
  child.stdout.on('data', (piece) => {
    seen += piece
    if (!seen.includes('(y/N)')) return
    seen = ''
    child.stdin.write('y\r')
  })
  child.stdin.write('{"title":"Typed"}\n\u0004')

  const { exitCode, stdout } = await child
  service.close()
  expect(exitCode, stdout).toBe(0)
  expect(service.asked.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test.each([
  ['svc files list', 0],
  ['svc docs batch -f operations.ndjson --yes', 0],
  ['svc connections close --all', 0],
  ['svc profiles use --none', 0],
  ['svc docs get posts', 2],
  ['svc docs create', 2],
])('%s leaves the rest of the script that runs it', async (line, exit) => {
  const operation = { op: 'create', collection: 'posts', data: { title: 'Batch' } }
  writeFileSync(join(world.folder, 'operations.ndjson'), `${JSON.stringify(operation)}\n`)
  const script = `svc() { '${process.execPath}' '${bin}' "$@"; }\n${line}\necho "exit $?"\necho after\n`

  const ran = await execa('bash', ['-s'], { ...options(), input: script })

  expect(ran.stdout, ran.stderr).toMatch(new RegExp(`exit ${exit}\\nafter$`))
})
