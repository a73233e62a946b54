/** `svc.json`, as `svc dev` reads and watches it: contract 12.4. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endsByItself } from '../../fixtures/patience.js'
import { bin, cleanEnv, nodeOptions, openWorld, type World } from '../command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const inFolder = (name: string) => join(world.folder, name)
const writeJson = (config: object) => writeFileSync(inFolder('svc.json'), JSON.stringify(config))

/** As editors that write a temporary file and rename it. */
function replaceText(text: string) {
  writeFileSync(inFolder('draft'), text)
  renameSync(inFolder('draft'), inFolder('svc.json'))
}
const replaceJson = (config: object) => replaceText(JSON.stringify(config))

const settings = async () =>
  ((await world.json(['project', 'show'])) as { settings: Readonly<Record<string, unknown>> }).settings

test('configuration that is code is refused', async () => {
  await world.useLeftFolder()

  for (const name of ['svc.config.ts', 'svc.config.mts', 'svc.config.js', 'svc.config.mjs']) {
    writeFileSync(inFolder(name), `throw new Error('it ran')`)
    const dev = await world.svc(['dev', '--memory', '--port', '0', '--json'], { isRefused: true })
    rmSync(inFolder(name))
    const failure = { code: 'BAD_CONFIG', message: `${name} is not supported.`, hint: 'Move its settings to svc.json.' }
    expect(dev.exit, name).toBe(2)
    expect(JSON.parse(dev.stdout), name).toMatchObject({ error: failure })
  }
  writeFileSync(inFolder('svc.config.ts'), '')
  const exec = await world.svc(['exec', '--', 'true'], { isRefused: true })

  expect(exec).toMatchObject({ exit: 2, stderr: expect.stringContaining('svc.config.ts is not supported.') })
})

test('12.4 svc.json that says how svc dev runs is refused where svc was not used before, without a terminal', async () => {
  writeJson({ dev: { project: 'blog' }, settings: { tier: 'free' } })

  const refused = [
    await world.svc(['dev', '--memory', '--port', '0'], { isRefused: true }),
    await world.svc(['exec', '--', 'true'], { isRefused: true }),
  ]
  const accepted = await world.svc(['profiles', 'trust'])
  await world.dev('--memory')

  for (const ran of refused) {
    expect(ran).toMatchObject({ exit: 3, stdout: '', stderr: expect.stringContaining('In CI: SVC_TRUST_CODE=1') })
  }
  expect(accepted.exit).toBe(0)
  expect(await world.json(['project', 'show'])).toMatchObject({ id: 'blog', settings: { tier: 'free' } })
})

test('12.4 at a terminal it asks once, and a yes holds for the folder', async () => {
  writeJson({ dev: { port: 0 }, settings: { tokenTtl: 60 } })

  const no = await world.terminal(['dev', '--memory'], [['Use it?', 'n\n']])
  const yes = await world.terminal(
    ['dev', '--memory'],
    [
      ['Use it?', 'y\n'],
      ['Ctrl-C stops', '\x03'],
    ],
  )
  const again = await world.svc(['dev', '--memory', '--', 'true'])

  expect(no.stdout).toContain('Cancelled. Nothing was changed.')
  expect(yes.stdout).toContain('is ready in')
  expect(again.exit).toBe(0)
})

test('a saved svc.json is in effect without a restart, and data stay', async () => {
  await world.useLeftFolder()
  writeJson({ settings: { tokenTtl: 60 }, dev: { project: 'dev' } })
  const dev = await world.dev()
  await world.svc(['collections', 'create', 'posts'])
  expect(await settings()).toMatchObject({ tokenTtl: 60, require2fa: false })

  replaceJson({ settings: { require2fa: true }, dev: { project: 'other' } })

  // A setting that the file no longer names returns to its default.
  await expect.poll(settings).toMatchObject({ tokenTtl: 7 * 86_400, require2fa: true })
  expect(await world.json(['collections', 'list'])).toMatchObject([{ name: 'posts' }])
  expect((await dev.stop()).exit).toBe(0)
})

test('of the keys of providers, the file names all that there are: at a start, and while it runs', async () => {
  await world.useLeftFolder()
  const keys = (...names: string[]) => ({ settings: { idp: Object.fromEntries(names.map((name) => [name, 'x'])) } })
  writeJson(keys('IDP_CLIENT_ID', 'IDP_ISSUER'))
  const dev = await world.dev()
  const started = await settings()
  replaceJson(keys('IDP_ISSUER'))
  await expect.poll(settings).toMatchObject({ idp: ['IDP_ISSUER'] })
  replaceJson({})
  await expect.poll(settings).toMatchObject({ idp: [] })

  expect(started).toMatchObject({ idp: ['IDP_CLIENT_ID', 'IDP_ISSUER'] })
  await dev.stop()
})

test('a broken svc.json says so, and the last good one stays in effect', async () => {
  await world.useLeftFolder()
  writeJson({ settings: { tokenTtl: 60 } })
  const env = cleanEnv(world.folder)
  const dev = execa(process.execPath, [...nodeOptions, bin, 'dev', '--port', '0'], {
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
    ['{', /svc\.json: is not valid JSON\. The previous settings stay in effect\./],
    [JSON.stringify({ settings: { tokenTtl: 'x' } }), /svc\.json: .*tokenTtl.*The previous settings stay in effect\./],
    [
      JSON.stringify({ sttings: {} }),
      /"sttings" is not a valid setting\. The previous settings stay in effect\. Did you mean/,
    ],
    [JSON.stringify({ dev: { latency: '2s-100ms' } }), /Invalid latency "2s-100ms" /],
    [JSON.stringify({ dev: { latency: '5x' } }), /Invalid latency "5x" \(.*svc\.json\)\./],
  ] as const

  for (const [text, words] of broken) {
    replaceText(text)
    await expect.poll(() => said).toMatch(words)
    expect(await settings()).toMatchObject({ tokenTtl: 60 })
  }
  replaceJson({ settings: { tokenTtl: 61 }, dev: { port: 4500 } })

  await expect.poll(() => said).toContain('svc.json: tokenTtl changed and applied')
  // Another line of the same stream, which may come in another piece.
  await expect.poll(() => said).toContain('svc.json: dev.port changed; restart svc dev to apply')
  expect(await settings()).toMatchObject({ tokenTtl: 61 })
  dev.kill()
  await dev
})

test('flags beat the file, and what it names is found from its folder', async () => {
  await world.useLeftFolder()
  writeFileSync(inFolder('authors.json'), '[{"name":"Ada"}]')
  writeJson({ dev: { data: 'state', seed: 'authors.json', latency: 0 }, settings: { dialect: 'b', tier: 'pro' } })

  const dev = await world.dev('--tier', 'free', '--data', 'state', '--latency', '400-500')
  const begunAt = performance.now()
  await fetch(`${dev.url}/collections`, { headers: { 'x-api-key': dev.apiKey } })

  expect(performance.now() - begunAt).toBeGreaterThan(395)
  expect(existsSync(inFolder('state/emulator.json'))).toBe(true)
  const shown = await world.json(['project', 'show', '--data', 'state'])
  expect(shown).toMatchObject({ settings: { dialect: 'b', tier: 'free' } })
})

test.each(['5x', '500-100', '60001', ''])('--latency %j is misuse', async (latency) => {
  const ran = await world.svc(['dev', '--memory', '--port', '0', '--latency', latency], { isRefused: true })

  expect(ran.exit).toBe(2)
})

test('the svc.json of the guide is one', async () => {
  await world.useLeftFolder()
  const guide = readFileSync(new URL('../../../docs/guides/dev.md', import.meta.url), 'utf8')
  const [, text = ''] = /^```json\n(\{\n {2}"dev".*?)^```$/ms.exec(guide) ?? []
  const { dev, settings: named } = JSON.parse(text)
  writeJson({ dev: { ...dev, port: 0, seed: [] }, settings: named })

  await world.dev('--memory')

  expect(await settings()).toMatchObject(named)
})

test('svc exec has the settings of the file', async () => {
  await world.useLeftFolder()
  writeJson({ settings: { tier: 'free' } })
  const script = `
    const headers = { 'svc-control-token': process.env.SVC_CONTROL_TOKEN }
    const answer = await fetch(process.env.SVC_URL + '/_svc/api/projects/dev', { headers })
    console.log((await answer.json()).settings.tier)`

  const ran = await world.svc(['exec', '--', process.execPath, '--input-type=module', '-e', script])

  expect(ran).toMatchObject({ exit: 0, stdout: 'free\n' })
})
