import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanEnv, openWorld, type World } from '../command-line.js'
import { defineShellFunction } from '../warm/shell-function.js'

// The commands of docs/guides/users.md are one script, which is run unchanged.

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
})
afterAll(() => world.close())

test('the guide to users is a script that runs', async () => {
  const guide = readFileSync(fileURLToPath(new URL('../../../docs/guides/users.md', import.meta.url)), 'utf8')
  const blocks = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text)
  const script = join(world.folder, 'users.sh')
  const env = cleanEnv(world.folder)
  const svc = await defineShellFunction(env)
  writeFileSync(script, ['set -euo pipefail', svc, ...blocks].join('\n'))

  const { stdout } = await execa('bash', [script], { cwd: world.folder, env, extendEnv: false })

  expect(blocks.length).toBeGreaterThanOrEqual(6)
  const [token] = stdout.match(/[\w-]+\.[\w-]+\.[\w-]+$/m) ?? []
  expect(token).toBeDefined()
  const { items } = (await world.json(['users', 'list'])) as { items: Record<string, unknown>[] }
  expect(items).toMatchObject([{ email: 'ada@example.com', emailVerified: true, roles: ['editor'] }])
  expect(await world.json(['collections', 'permissions', 'articles'])).toEqual({
    create: ['editor'],
    read: ['authenticated'],
  })
})
