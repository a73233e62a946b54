/** An empty value comes of a variable that a script did not set: no flag with one is read as if it were left out. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endsByItself } from '../../fixtures/patience.js'
import { cleanEnv, openWorld, type World } from '../command-line.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

let world: World
let empty: World

beforeAll(async () => {
  ;[world, empty] = await Promise.all([openWorld(), openWorld()])
  await world.dev('--memory')
  await world.svc(['collections', 'create', 'posts'])
  await world.svc(['docs', 'create', 'posts', 'title=Hello'])
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(world.folder, name), name)
  await world.svc(['files', 'upload', 'a.txt', 'b.txt', '--to', 'albums'])
})
afterAll(() => Promise.all([world.close(), empty.close()]))

test.each([
  ['docs', 'delete', 'posts', '--all', '--yes', '--profile', ''],
  ['docs', 'delete', 'posts', '--all', '--yes', '--url='],
  ['docs', 'delete', 'posts', '--all', '--yes', '--key', ''],
  ['docs', 'delete', 'posts', '--all', '--yes', '--as', ''],
  ['docs', 'delete', 'posts', '--where', 'title=Hello', '--where', '', '--yes'],
  ['files', 'delete', '--folder', '', '--yes'],
])('svc %s %s %s %s %s %s %s deletes nothing', async (...words) => {
  const ran = await world.svc(words)

  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringMatching(/^error {2}--\w+ is empty\.\n.*variable/) })
  expect(await world.json(['docs', 'count', 'posts'])).toEqual({ count: 1 })
  expect(await world.json(['files', 'list', 'albums'])).toMatchObject({ total: 2 })
})

test('a state folder without a name is not the working folder', async () => {
  const ran = await empty.svc(['dev', '--data', '', '--port', '0'], { isRefused: true })

  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('--data is empty.') })
  expect(readdirSync(empty.folder)).toEqual([])
})

test('one that may be empty hides no other', async () => {
  const ran = await world.svc(['idp', 'update', 'ada', '--email', '', '--data', ''])

  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('--data is empty.') })
})

test('one of several columns that is empty is pointed out, too', async () => {
  const ran = await world.svc(['docs', 'export', 'posts', '--columns', 'title,'])

  expect(ran).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('--columns is empty.') })
})

interface Described {
  readonly name: string
  readonly type: string
  readonly required?: boolean
  readonly options?: readonly string[]
  readonly dependsOn?: readonly string[]
}
interface Command {
  readonly args: Record<string, Described>
  readonly flags: Record<string, Described>
}
const commands: [string, Command][] = Object.entries(
  JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')).commands,
)

/** Flags for which an empty value has a meaning, or its own refusal. */
const meant = [
  ...['idp:add --name', 'idp:add --email', 'idp:update --name', 'idp:update --email'],
  ...['docs:import --delimiter', 'docs:transfer --to'],
]

/** Each flag that takes a value, with none; and what the command cannot do without. */
const given = commands.flatMap(([id, { args, flags }]) => {
  const needed = (all: Record<string, Described>) => Object.values(all).filter(({ required }) => required)
  const words = needed(args).map(({ options }) => options?.[0] ?? 'x')
  const valued = Object.values(flags).filter(
    ({ type, name }) => type === 'option' && !meant.includes(`${id} --${name}`),
  )
  return valued.map(({ name, dependsOn = [] }) => {
    const others = needed(flags).filter((flag) => flag.name !== name)
    const beside = [
      ...others.map((flag) => `--${flag.name}=x`),
      ...dependsOn.map((flag) => (flags[flag]?.type === 'option' ? `--${flag}=x` : `--${flag}`)),
    ]
    return { id, name, words: [...words, ...beside, `--${name}=`] }
  })
})

/** Runs all of them in one process, since there are hundreds. */
const script = `
  import { createRequire } from 'node:module'
  const [root, given] = process.argv.slice(1)
  const { Config } = createRequire(root)('@oclif/core/config')
  const config = await Config.load({ root })
  const print = process.stdout.write.bind(process.stdout)
  const ran = []
  let said = ''
  for (const stream of [process.stdout, process.stderr]) stream.write = (text) => { said += text; return true }
  for (const { id, name, words } of JSON.parse(given)) {
    said = ''
    process.exitCode = 0
    await config.runCommand(id, words).catch((error) => { said += error })
    ran.push({ flag: id + ' --' + name, exit: process.exitCode, said })
  }
  print(JSON.stringify(ran), () => process.exit(0))`

/** Refusals of numbers, times and choices. */
const wrongKind = /Expected an integer|Expected a duration|to be one of/

test('every flag of every command refuses an empty value and names itself', async () => {
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', script, root, JSON.stringify(given)], {
    cwd: empty.folder,
    env: cleanEnv(empty.folder),
    extendEnv: false,
    stdin: 'ignore',
    ...endsByItself,
  })

  const ran: { flag: string; exit: number; said: string }[] = JSON.parse(stdout)
  expect(ran.length).toBeGreaterThan(400)
  const others = ran.filter(({ flag, exit, said }) => {
    const isNamed = said.includes(flag.slice(flag.indexOf('--')))
    return exit !== 2 || !isNamed || !(said.includes('Check whether a variable is unset.') || wrongKind.test(said))
  })
  expect(others).toEqual([])
  expect(existsSync(join(empty.folder, '.svc'))).toBe(false)
})

test('an account of the provider may have no email', async () => {
  await world.svc(['idp', 'add', 'grace', '--email', 'grace@example.com'])

  const changed = await world.json(['idp', 'update', 'grace', '--email', ''])

  expect(changed).toMatchObject({ id: 'grace', email: null })
})
