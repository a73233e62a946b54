/** What coding agents are given besides tools: files in the app, skills whose commands run, and a map of the command line. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bin, cleanEnv, openWorld, type World } from '../command-line.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const skills = join(root, 'templates/agents/skills')

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const read = (path: string) => readFile(join(world.folder, path), 'utf8')
const readJson = async (path: string) => JSON.parse(await read(path))

describe('svc agent', () => {
  test('setup writes skills, AGENTS.md and .mcp.json once, and remove deletes all of it', async () => {
    const shown = await world.svc(['agent', 'setup', '--dry-run'])
    expect(shown.stderr).toContain('AGENTS.md  (new)')
    expect(await readdir(world.folder)).not.toContain('AGENTS.md')

    await world.svc(['agent', 'setup', '--yes'])
    const written = await read('AGENTS.md')
    const again = await world.json(['agent', 'setup', '--yes'])
    const status = (await world.json(['agent', 'status'])) as { files: { state: string }[] }
    expect(await readJson('.mcp.json')).toEqual({
      mcpServers: { svc: { command: 'npx', args: ['--no', 'svc', 'mcp'] } },
    })
    expect(await readdir(join(world.folder, '.agents/skills'))).toEqual((await readdir(skills)).sort())
    expect(again).toMatchObject({ isWritten: false })
    expect(await read('AGENTS.md')).toBe(written)
    expect(new Set(status.files.map(({ state }) => state))).toEqual(new Set(['current']))

    await world.svc(['agent', 'remove', '--yes'])
    for (const name of ['AGENTS.md', '.mcp.json', '.agents'])
      expect(existsSync(join(world.folder, name)), name).toBe(false)
  })

  test('setup keeps what others wrote, in the files of the editors that are used here', async () => {
    await mkdir(join(world.folder, '.cursor'))
    await mkdir(join(world.folder, '.vscode'))
    await writeFile(join(world.folder, 'AGENTS.md'), '# Ours\n')
    const before = '{\n  // ours\n  "servers": { "other": { "command": "other" } }\n}\n'
    await writeFile(join(world.folder, '.vscode/mcp.json'), before)

    await world.svc(['agent', 'setup', '--allow-writes', '--yes'])
    const [agents, code, cursor] = [
      await read('AGENTS.md'),
      await read('.vscode/mcp.json'),
      await readJson('.cursor/mcp.json'),
    ]
    await world.svc(['agent', 'remove', '--yes'])

    expect(agents).toMatch(/^# Ours\n\n<!-- svc: begin/)
    expect(code).toContain('// ours')
    expect(code).toContain('"--allow-writes"')
    expect(cursor.mcpServers.svc.args).toContain('mcp')
    expect(existsSync(join(world.folder, '.mcp.json'))).toBe(false)
    expect(await read('AGENTS.md')).toBe('# Ours\n')
    expect(JSON.parse((await read('.vscode/mcp.json')).replace('// ours', ''))).toEqual({
      servers: { other: { command: 'other' } },
    })
  })

  test('setup names the package manager of the app, and replaces an older block', async () => {
    await writeFile(join(world.folder, 'package.json'), '{"packageManager":"pnpm@9.1.0"}')
    await writeFile(join(world.folder, 'AGENTS.md'), '<!-- svc: begin. Old. -->\nold\n<!-- svc: end -->\nafter\n')

    const { files } = (await world.json(['agent', 'status'])) as { files: { path: string; state: string }[] }
    await world.svc(['agent', 'setup', '--yes'])

    expect(files).toContainEqual({ path: 'AGENTS.md', state: 'outdated' })
    expect(await read('AGENTS.md')).toMatch(/`pnpm exec svc dev --detach`[\s\S]*after\n$/)
    expect(await read('AGENTS.md')).not.toContain('old')
  })

  test('a broken file of an editor is refused, and nothing is written', async () => {
    await writeFile(join(world.folder, '.mcp.json'), '{ nonsense')

    const { exit, stderr } = await world.svc(['agent', 'setup', '--yes'])

    expect({ exit, stderr }).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('.mcp.json is not a JSON object'),
    })
    expect(existsSync(join(world.folder, 'AGENTS.md'))).toBe(false)
  })
})

describe('the skills', () => {
  test('each has a name and a description that says when to use it', async () => {
    for (const name of await readdir(skills)) {
      const text = await readFile(join(skills, name, 'SKILL.md'), 'utf8')

      expect(text).toMatch(new RegExp(`^---\nname: ${name}\ndescription: .*Use it .*\n---\n`))
      expect(text.length, name).toBeLessThan(2_500)
    }
  })

  test('their commands run, one after the other', async () => {
    const other = await openWorld()
    const hosted = await other.dev('--memory')
    await world.svc(['profiles', 'add', 'staging', '--url', hosted.url, '--key', hosted.apiKey])
    await useOwnPackages(world.folder)

    const names = ['svc-start', 'svc-find-out-why', 'svc-model-data', 'svc-test', 'svc-hosted']
    expect(names.toSorted()).toEqual((await readdir(skills)).sort())
    for (const name of names) {
      const text = await readFile(join(skills, name, 'SKILL.md'), 'utf8')
      await writeFile(join(world.folder, 'posts.test.js'), blocks(text, 'js').join('\n'))
      // Something must have failed before anyone asks why.
      if (name === 'svc-find-out-why') await world.svc(['docs', 'get', 'notes', 'missing'])
      for (const line of blocks(text, 'sh').flatMap((block) => block.trim().split('\n'))) await expectRun(line)
    }

    await world.svc(['stop'])
    await other.close()
  })
})

const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block)

/** Runs a line of a skill in the folder of the app. */
async function expectRun(line: string): Promise<void> {
  const said = line
    .replace('dev --detach', 'dev --detach --port 0')
    .replace('npx --no svc', `"${process.execPath}" "${bin}"`)
  const options = {
    cwd: world.folder,
    env: cleanEnv(world.folder),
    extendEnv: false,
    reject: false,
    all: true,
  } as const
  const ran = await execa('sh', ['-c', said], options)

  // A diff exits with 10 if there are differences.
  expect(line.includes('svc diff') ? [0, 10] : [0], `${line}\n${ran.all}`).toContain(ran.exitCode)
  if (line.includes('--json')) expect(() => JSON.parse(ran.stdout)).not.toThrow()
}

/** Makes `svc-toolkit` resolve to this tree. */
async function useOwnPackages(folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/svc-toolkit'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
}

test('svc map describes every command with flags, exit codes and examples', async () => {
  const { commands } = JSON.parse(await readFile(join(root, 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, { hidden?: boolean }>
  }

  const map = (await world.json(['map'])) as {
    commands: { command: string; prints: string; effect: string; examples: string[]; flags: { name: string }[] }[]
    exitCodes: { exit: number }[]
  }

  const ids = Object.keys(commands).map((id) => `svc ${id.replaceAll(':', ' ')}`)
  expect(map.commands.map(({ command }) => command)).toEqual(ids.sort())
  expect(map.commands.filter(({ examples }) => examples.length < 2)).toEqual([])
  expect(JSON.stringify(map)).not.toContain('<%')
  expect(map.exitCodes.map(({ exit }) => exit)).toEqual(expect.arrayContaining([0, 2, 8, 130]))
  const list = map.commands.find(({ command }) => command === 'svc docs list')
  expect(list?.flags.map(({ name }) => name)).toEqual(expect.arrayContaining(['--where', '--json', '--profile']))
})

test.each([
  ['docs count', '{ count }', 'only reads the service'],
  [
    'docs delete',
    '{ documents, dependants: [{ collection, deleted, changed, left }] } or { deleted }',
    'writes to the service unless you pass --dry-run',
  ],
  [
    'doctor',
    '{ folder, url, elsewhere, isWell, checks: [{ check, said, findings }] }',
    'only reads unless you pass --repair',
  ],
  ['mail clear', '{ deleted }', 'writes to the emulator'],
  ['api', '{ body, bodyBase64, status, headers }', 'may write to the service, depending on the arguments'],
  ['tail', 'an object per line', 'only reads the service'],
  ['serve', '', 'writes'],
])(
  'the help of svc %s says in one line what --json prints and what the command changes, as svc map does',
  async (command, prints, effect) => {
    const [{ stdout }, map] = await Promise.all([world.svc([...command.split(' '), '--help']), world.json(['map'])])

    const { commands } = map as { commands: { command: string; prints: string; effect: string }[] }
    expect(commands.find((one) => one.command === `svc ${command}`)).toMatchObject({ prints, effect })
    const shown = stdout.replace(/\s+/g, ' ')
    expect(shown).toContain(`--json print ${prints || 'failures'} as JSON; this command ${effect}`)
  },
)

test('the emulator serves the guides for language models', async () => {
  const { url } = await world.useEmulator()

  const [index, full] = await Promise.all(
    ['llms.txt', 'llms-full.txt'].map(async (name) => {
      const answer = await fetch(`${url}/_svc/${name}`)
      return { type: answer.headers.get('content-type'), text: await answer.text() }
    }),
  )

  expect(index).toMatchObject({
    type: expect.stringContaining('text/plain'),
    text: expect.stringMatching(/^# svc\n\n> /),
  })
  for (const guide of await readdir(join(root, 'docs/guides'))) {
    if (guide !== 'README.md') expect(full?.text, guide).toContain(`<!-- ${guide} -->`)
  }
})
