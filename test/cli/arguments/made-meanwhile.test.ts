/** Files that are created or edited while svc init asks stay, because it has shown another content. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const path = (...names: string[]) => join(world.folder, ...names)
const text = (...names: string[]) => readFileSync(path(...names), 'utf8')

/** Runs it at a terminal, and says yes once that has happened. */
const initWhile = (words: readonly string[], happens: () => void) => {
  const yes = async () => {
    happens()
    return 'y\n'
  }
  return world.terminal(['init', ...words], [['Write these files?', yes]])
}

test('a file that came is left as it is, and lines are added to what others hold by then', async () => {
  writeFileSync(path('package.json'), '{"name":"app"}')
  writeFileSync(path('.gitignore'), 'dist\n')
  writeFileSync(path('.env.local'), 'OTHER=1\n', { mode: 0o644 })

  const ran = await initWhile([], () => {
    writeFileSync(path('svc.js'), '// mine')
    writeFileSync(path('.gitignore'), 'dist\ncoverage\n')
    writeFileSync(path('.env.local'), 'OTHER=2\n')
  })

  expect(ran.exit).toBe(0)
  expect(ran.stdout).toContain('svc.js  (exists, unchanged)')
  expect(text('svc.js')).toBe('// mine')
  expect(text('.gitignore')).toBe('dist\ncoverage\n.svc/\n.env.local\nnode_modules/\n')
  expect(text('.env.local')).toMatch(/^OTHER=2\n# svc dev .*\nSVC_URL=.*\nSVC_API_KEY=\n$/)
  // It is to hold a key.
  expect(statSync(path('.env.local')).mode & 0o777).toBe(0o600)
})

test('a template is not put over an app that came', async () => {
  const ran = await initWhile(['notes', '--template', 'node'], () => {
    mkdirSync(path('notes'))
    writeFileSync(path('notes', 'package.json'), '{}')
  })

  expect(ran).toMatchObject({ exit: 5, stdout: expect.stringContaining('An app already exists in ') })
  expect([text('notes', 'package.json'), existsSync(path('notes', 'main.js'))]).toEqual(['{}', false])
})
