/** `svc.config.ts` and `svc.json`, as `svc dev` reads and watches them: contract 12.4. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endsByItself } from '../../fixtures/patience.js'
import { bin, cleanEnv, openWorld, type World } from '../command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const inFolder = (name: string) => join(world.folder, name)
const codeOf = (config: object) => `interface Unused {}\nexport default ${JSON.stringify(config)} satisfies object\n`
const writeCode = (config: object) => writeFileSync(inFolder('svc.config.ts'), codeOf(config))
const writeJson = (config: object) => writeFileSync(inFolder('svc.json'), JSON.stringify(config))

/** As editors that write a temporary file and rename it. */
function replaceCode(text: string) {
  writeFileSync(inFolder('draft'), text)
  renameSync(inFolder('draft'), inFolder('svc.config.ts'))
}

const settings = async () =>
  ((await world.json(['project', 'show'])) as { settings: Readonly<Record<string, unknown>> }).settings

async function useFolder() {
  await (await world.dev('--memory')).stop()
}

test('12.4 svc.config.ts is not run in a folder where svc was not used before, and without a terminal that is exit 3', async () => {
  const code = `import { writeFileSync } from 'node:fs'\nwriteFileSync('ran', '')\nexport default {}\n`
  writeFileSync(inFolder('svc.config.ts'), code)

  const dev = await world.svc(['dev', '--memory', '--port', '0'])
  const exec = await world.svc(['exec', '--', 'true'])

  for (const ran of [dev, exec]) {
    expect(ran).toMatchObject({ exit: 3, stdout: '', stderr: expect.stringContaining('In CI: SVC_TRUST_CODE=1') })
  }
  expect(existsSync(inFolder('ran'))).toBe(false)
})

test('12.4 at a terminal it asks once, and a yes holds for the folder', async () => {
  writeCode({ dev: { port: 0 }, settings: { tokenTtl: 60 } })

  const no = await world.terminal(['dev', '--memory'], [['Use it?', 'n\n']])
  const yes = await world.terminal(
    ['dev', '--memory'],
    [
      ['Use it?', 'y\n'],
      ['Ctrl-C stops', '\x03'],
    ],
  )
  const again = await world.terminal(['dev', '--memory'], [['Ctrl-C stops', '\x03']])

  expect(no.stdout).toContain('Cancelled; nothing was done.')
  expect(yes.stdout).toContain('is ready in')
  expect(again.stdout).toContain('is ready in')
  expect(again.stdout).not.toContain('Use it?')
})

test('12.4 a folder that svc was used in runs what comes later, and no other command runs anything', async () => {
  await useFolder()
  writeFileSync(inFolder('svc.config.ts'), `throw new Error('it ran')\n`)

  const dev = await world.svc(['dev', '--memory', '--port', '0'])
  const others = await Promise.all(
    [['config'], ['whoami'], ['docs', 'list', 'posts'], ['doctor']].map((words) => world.svc(words)),
  )

  expect(dev).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(/svc\.config\.ts: it could not be run: it ran\./),
  })
  for (const { stderr, stdout } of others) expect(stdout + stderr).not.toContain('it ran')
  expect(others[2]?.stderr).toContain('What svc.config.ts names is for svc dev; commands read svc.json')
})

test('12.4 svc.json that says how svc dev runs is asked about as well, and goes on working', async () => {
  writeJson({ dev: { project: 'blog' }, settings: { tier: 'free' } })

  const refused = await world.svc(['dev', '--memory', '--port', '0'])
  const accepted = await world.svc(['profiles', 'trust'])
  await world.dev('--memory')

  expect([refused.exit, accepted.exit]).toEqual([3, 0])
  expect(await world.json(['project', 'show'])).toMatchObject({ id: 'blog', settings: { tier: 'free' } })
})

test('a saved svc.config.ts is in effect without a restart, and data stay', async () => {
  await useFolder()
  writeCode({ settings: { tokenTtl: 60 }, dev: { project: 'dev' } })
  const dev = await world.dev()
  await world.svc(['collections', 'create', 'posts'])
  expect(await settings()).toMatchObject({ tokenTtl: 60, require2fa: false })

  replaceCode(codeOf({ settings: { require2fa: true }, dev: { project: 'other' } }))

  // What the file no longer names has its default again.
  await expect.poll(settings).toMatchObject({ tokenTtl: 7 * 86_400, require2fa: true })
  expect(await world.json(['collections', 'list'])).toMatchObject([{ name: 'posts' }])
  expect((await dev.stop()).exit).toBe(0)
})

test('of the keys of providers, the file names all that there are: at a start, and while it runs', async () => {
  await useFolder()
  const keys = (...names: string[]) => ({ settings: { idp: Object.fromEntries(names.map((name) => [name, 'x'])) } })
  writeCode(keys('IDP_CLIENT_ID', 'IDP_CLIENT_SECRET'))
  await (await world.dev()).stop()

  writeCode(keys('IDP_CLIENT_ID', 'IDP_ISSUER'))
  const dev = await world.dev()
  const started = await settings()
  replaceCode(codeOf(keys('IDP_ISSUER')))
  await expect.poll(settings).toMatchObject({ idp: ['IDP_ISSUER'] })
  replaceCode(codeOf({}))
  await expect.poll(settings).toMatchObject({ idp: [] })

  expect(started).toMatchObject({ idp: ['IDP_CLIENT_ID', 'IDP_ISSUER'] })
  await dev.stop()
})

test('a broken svc.config.ts says so, and the last good one stays in effect', async () => {
  await useFolder()
  writeCode({ settings: { tokenTtl: 60 } })
  const env = cleanEnv(world.folder)
  const dev = execa(process.execPath, [bin, 'dev', '--port', '0'], {
    cwd: world.folder,
    env,
    extendEnv: false,
    ...endsByItself,
  })
  let said = ''
  dev.stderr.on('data', (piece) => {
    said += piece
  })
  expect((await world.svc(['wait', '--timeout', '2m'])).exit).toBe(0)
  const broken = [
    ['export default {', /svc\.config\.ts: it could not be run: .*What was in effect stays in effect\./],
    [codeOf({ settings: { tokenTtl: 'x' } }), /svc\.config\.ts: .*tokenTtl.*What was in effect stays in effect\./],
    [codeOf({ sttings: {} }), /"sttings" is not a valid setting\. What was in effect stays in effect\. Did you mean/],
    [codeOf({ dev: { latency: '2s-100ms' } }), /Not a valid latency: "2s-100ms" /],
    [codeOf({ dev: { latency: '5x' } }), /Not a valid latency: "5x" \(.*svc\.config\.ts\)\./],
  ] as const

  for (const [text, words] of broken) {
    replaceCode(text)
    await expect.poll(() => said).toMatch(words)
    expect(await settings()).toMatchObject({ tokenTtl: 60 })
  }
  replaceCode(codeOf({ settings: { tokenTtl: 61 }, dev: { port: 4500 } }))

  await expect.poll(() => said).toContain('svc.config.ts: tokenTtl changed, in effect')
  // Another line of the same stream, which may come in another piece.
  await expect.poll(() => said).toContain('svc.config.ts: dev.port changed, in effect at the next start')
  expect(await settings()).toMatchObject({ tokenTtl: 61 })
  dev.kill()
  await dev
})

test('flags beat the file, and what it names is found from its folder', async () => {
  await useFolder()
  writeFileSync(inFolder('authors.json'), '[{"name":"Ada"}]')
  writeCode({ dev: { data: 'state', seed: 'authors.json', latency: 0 }, settings: { dialect: 'b', tier: 'pro' } })

  await world.dev('--tier', 'free', '--data', 'state')

  expect(existsSync(inFolder('state/emulator.json'))).toBe(true)
  const shown = await world.json(['project', 'show', '--data', 'state'])
  expect(shown).toMatchObject({ settings: { dialect: 'b', tier: 'free' } })
})

test('--latency lets answers of the project come later', async () => {
  const dev = await world.dev('--memory', '--latency', '400-500')

  const begunAt = performance.now()
  await fetch(`${dev.url}/collections`, { headers: { 'x-api-key': dev.apiKey } })

  expect(performance.now() - begunAt).toBeGreaterThan(395)
})

test.each(['5x', '500-100', '60001', ''])('--latency %j is misuse', async (latency) => {
  expect((await world.svc(['dev', '--memory', '--port', '0', '--latency', latency])).exit).toBe(2)
})

test('svc config convert and svc dev --save-config turn one file into the other', async () => {
  await useFolder()
  const said = { dialect: 'a', dev: { latency: '1-2' }, settings: { tokenTtl: 60, idp: { IDP_GOOGLE_CLIENT_ID: 'x' } } }
  writeJson(said)

  const converted = await world.svc(['config', 'convert'])
  const code = readFileSync(inFolder('svc.config.ts'), 'utf8')
  const left = JSON.parse(readFileSync(inFolder('svc.json'), 'utf8'))
  const taken = await world.svc(['dev', '--save-config'])
  renameSync(inFolder('svc.json'), inFolder('former.json'))
  const saved = await world.svc(['dev', '--save-config'])

  expect(converted.exit).toBe(0)
  expect(code).toContain('tokenTtl: 60,')
  expect(code).toContain('} satisfies SvcConfig\n')
  expect(left).toEqual({ dialect: 'a' })
  expect(taken).toMatchObject({ exit: 5, stderr: expect.stringContaining('already') })
  expect(saved.exit).toBe(0)
  expect({ ...left, ...JSON.parse(readFileSync(inFolder('svc.json'), 'utf8')) }).toEqual(said)
  expect((await world.svc(['config', 'convert'])).exit).toBe(5)
})

test('the svc.config.ts of the guide is one', async () => {
  await useFolder()
  const guide = readFileSync(new URL('../../../docs/guides/dev.md', import.meta.url), 'utf8')
  const [, code = ''] = /^```typescript\n(.*?)^```$/ms.exec(guide) ?? []
  writeFileSync(inFolder('svc.config.ts'), code)

  const saved = await world.svc(['dev', '--save-config'])

  expect(saved.exit).toBe(0)
  expect(JSON.parse(readFileSync(inFolder('svc.json'), 'utf8'))).toEqual({
    dev: { port: 4500, seed: 'seeds/blog.json', latency: '100-300' },
    settings: { allowedOrigins: ['https://app.example'], tokenTtl: 3600 },
  })
})

test('svc exec has the settings of the file', async () => {
  await useFolder()
  writeCode({ settings: { tier: 'free' } })
  const script = `
    const headers = { 'svc-control-token': process.env.SVC_CONTROL_TOKEN }
    const answer = await fetch(process.env.SVC_URL + '/_svc/api/projects/dev', { headers })
    console.log((await answer.json()).settings.tier)`

  const ran = await world.svc(['exec', '--', process.execPath, '--input-type=module', '-e', script])

  expect(ran).toMatchObject({ exit: 0, stdout: 'free\n' })
})
