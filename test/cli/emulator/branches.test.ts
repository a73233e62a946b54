import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openBranchFolder } from '../../../emulator/assembly/branch-folder.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService } from '../../../emulator/assembly/open-service.js'
import { sql } from '../../../emulator/database/port.js'
import { endsByItself } from '../../fixtures/patience.js'
import { bin, cleanEnv, nodeOptions, openWorld, type World } from '../command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const git = (...words: string[]) => execa('git', words, { cwd: world.folder })
const names = async () =>
  ((await world.json(['collections', 'list'])) as { name: string }[]).map(({ name }) => name).sort()

test('--per-branch keeps the data of branches apart, under the same key', async () => {
  await git('init', '-q', '-b', 'main')
  const main = await world.dev('--per-branch')
  await world.svc(['collections', 'create', 'posts'])
  await main.stop()
  await git('checkout', '-q', '-b', 'feature/login')

  const feature = await world.dev('--per-branch')
  const there = await names()
  const status = await world.svc(['status'])
  await world.svc(['collections', 'create', 'drafts'])
  await git('symbolic-ref', 'HEAD', 'refs/heads/main')
  const moved = await world.json(['status'])
  await feature.stop()
  const again = await world.dev('--per-branch')

  expect(there).toEqual([])
  expect(await names()).toEqual(['posts'])
  expect(status.stdout).toMatch(/^branch +feature\/login$/m)
  expect(status.stdout).not.toContain('checkedOut')
  expect(moved).toMatchObject({ branch: 'feature/login', checkedOut: 'main' })
  expect([feature.apiKey, again.apiKey]).toEqual([main.apiKey, main.apiKey])
  expect(existsSync(join(world.folder, '.svc', 'branches', 'feature%2Flogin', 'data'))).toBe(true)
  expect((await world.svc(['dev', '--port', '0'], { isRefused: true })).stderr).toContain('is in use by process')
})

const long = `topic/${'x'.repeat(220)}`

test.each([
  ['that are long, and differ at their end', `${long}/one`, `${long}/two`],
  ['of other alphabets', `${'課'.repeat(22)}一`, `${'課'.repeat(22)}二`],
])('branches %s have different folders, and keep them', async (_, one, two) => {
  const branches = join(world.folder, 'branches')
  mkdirSync(branches)

  const first = await openBranchFolder(branches, one)
  const second = await openBranchFolder(branches, two)

  expect(second).not.toBe(first)
  expect(await openBranchFolder(branches, one)).toBe(first)
  expect(await openBranchFolder(branches, two)).toBe(second)
})

test('on a disk to which Fix is fix, each branch has a folder of its own, and keeps it when the other is gone', async () => {
  const branches = join(world.folder, 'branches')
  const old = join(branches, 'old')
  mkdirSync(join(branches, 'fix'), { recursive: true })
  mkdirSync(old)
  writeFileSync(join(branches, 'fix', 'branch'), 'Fix')

  const fix = await openBranchFolder(branches, 'fix')
  rmSync(join(branches, 'fix'), { recursive: true })

  expect(fix).not.toBe(join(branches, 'fix'))
  expect(await openBranchFolder(branches, 'fix')).toBe(fix)
  expect(await openBranchFolder(branches, 'old')).toBe(old)
})

test('a branch that is checked out meanwhile is named, with what to do', async () => {
  await git('init', '-q', '-b', 'main')
  const env = cleanEnv(world.folder)
  const words = [...nodeOptions, bin, 'dev', '--port', '0', '--per-branch']
  const dev = execa(process.execPath, words, { cwd: world.folder, env, extendEnv: false, ...endsByItself })
  let said = ''
  for (const stream of [dev.stdout, dev.stderr]) {
    stream.on('data', (piece) => {
      said += piece
    })
  }
  await expect.poll(() => said).toMatch(/Data +saved in \.svc, branch main\n/)

  await git('symbolic-ref', 'HEAD', 'refs/heads/next')

  await expect
    .poll(() => said)
    .toContain('"next" is checked out, but the emulator still serves the data of "main". Restart svc dev')
  dev.kill()
  await dev
})

test('--per-branch outside of a repository is misuse', async () => {
  const env = { GIT_CEILING_DIRECTORIES: '/' }

  const ran = await world.svc(['dev', '--per-branch', '--port', '0'], { env, isRefused: true })

  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('--per-branch needs a git repository') })
})

test('--snapshot loads it at the start, keeps it where the one before it needs space, and svc undo takes that back', async () => {
  await world.useLeftFolder()
  const first = await world.dev()
  for (const name of ['posts', 'drafts']) await world.svc(['collections', 'create', name])
  for (const name of ['posts', 'drafts']) await world.svc(['collections', 'delete', name, '--yes'])
  const snapshots = async () => (await world.json(['snapshot', 'list'])) as { name: string; command: string }[]
  const { name = '' } = (await snapshots()).find(({ command }) => command === 'collections delete posts') ?? {}
  await first.stop()
  const service = await openService({ ...defaultConfig, dir: join(world.folder, '.svc') })
  await service.backend.db.query(sql`update snapshots set bytes = ${10 ** 15} where name <> ${name}`)
  await service.close()

  const second = await world.dev('--snapshot', name)
  const loaded = await names()
  const kept = (await snapshots()).map(({ command }) => command)
  const undone = await world.svc(['undo', '--yes'])
  const after = await names()
  await second.stop()

  expect(loaded).toEqual(['drafts', 'posts'])
  expect(kept).toEqual([`dev --snapshot ${name}`, 'collections delete posts'])
  expect(undone.exit).toBe(0)
  expect(after).toEqual([])
  expect(await world.svc(['dev', '--port', '0', '--snapshot', 'none'])).toMatchObject({ exit: 4 })
})
