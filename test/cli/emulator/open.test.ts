import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

test('svc open --print prints the address of a page with the control token behind its #, without it a pipe gets no token', async () => {
  await world.useEmulator()
  const { controlToken, dashboardUrl } = JSON.parse(readFileSync(join(world.folder, '.svc', 'emulator.json'), 'utf8'))

  const first = await world.svc(['open', '--print'])
  const deep = await world.svc(['open', 'data', 'posts/with space', '--print'])
  const piped = await world.svc(['open', 'data'])
  const json = await world.json(['open', 'requests'])
  const unknown = await world.svc(['open', 'nowhere'])

  expect(first.stdout).toBe(`${dashboardUrl}#token=${controlToken}\n`)
  expect(deep.stdout).toBe(`${dashboardUrl}data/posts/with%20space#token=${controlToken}\n`)
  expect(piped.stdout).toBe(`${dashboardUrl}data\n`)
  expect(piped.stderr).toMatch(/The control token is in \.svc\/emulator\.json\. --print/)
  expect(json).toEqual({ url: `${dashboardUrl}requests#token=${controlToken}`, isOpened: false })
  expect(unknown).toMatchObject({ exit: 2, stderr: expect.stringContaining('nowhere') })
})

test('what opens a browser names a file of the user alone, and no token', async () => {
  const browser = join(world.folder, 'browser')
  const opened = join(world.folder, 'opened')
  writeFileSync(browser, `#!/bin/sh\necho "$@" > ${opened}.draft && mv ${opened}.draft ${opened}\n`, { mode: 0o700 })

  // The app beside it ends once the browser was started, and the emulator with it.
  const wait = `setInterval(() => require('node:fs').existsSync('${opened}') && process.exit(0), 20)`
  await world.svc(['dev', '--port', '0', '--open', '--', process.execPath, '-e', wait], {
    env: { BROWSER: browser },
  })

  const controlToken: string = JSON.parse(readFileSync(join(world.folder, '.svc', 'keys', 'control-token'), 'utf8'))
  const given = readFileSync(opened, 'utf8')
    .trim()
    .replace(/^file:\/\//, '')
  expect(given).not.toContain(controlToken)
  expect(given).toBe(join(world.folder, '.svc', 'open.html'))
  expect(statSync(given).mode & 0o777).toBe(0o600)
  expect(readFileSync(given, 'utf8')).toMatch(new RegExp(`url=http:\\S+/_svc/#token=${controlToken}`))
})
