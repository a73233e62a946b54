/** The templates, by the lines of their README as they stand, once `npm install` has run. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { cleanEnv } from '../cli/command-line.js'
import { type Installed, install, pack } from '../fixtures/packages/packages.js'

const children: ChildProcess[] = []
let project: Installed | undefined

afterEach(async () => {
  for (const child of children.splice(0).reverse()) await end(child)
  await project?.remove()
})

test.each([
  ['node', ['npm start', 'npm test'], /1 notes\.[\s\S]*pass 2\b/],
  ['web', ['npm start'], /^http:\/\/127\.0\.0\.1:\d+\n$/m],
])('the README of the template "%s" runs to the letter', async (template, lines, said) => {
  project = await install(Object.values(await pack()))
  const { exitCode, all } = await project.node('node_modules/.bin/svc', 'init', 'app', '--template', template, '--yes')
  expect(exitCode, all).toBe(0)
  const folder = join(project.folder, 'app')
  await symlink(join(project.folder, 'node_modules'), join(folder, 'node_modules'))
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  const typed = [...readme.matchAll(/^(np[mx] .*?) *(#.*)?$/gm)].map(([, line = '']) => line)
  expect(typed).toEqual(['npm install', 'npx svc dev', ...lines])

  await until(start(folder, 'npx svc dev'), /\.env\.local has this address and key/)
  let output = ''
  for (const line of lines) output += await until(start(folder, line), said, true)

  expect(output).toMatch(said)
})

function start(folder: string, line: string): ChildProcess {
  const env = { ...cleanEnv(folder), PORT: '0' }
  const child = spawn('bash', ['-c', `exec ${line}`], { cwd: folder, env, detached: true })
  children.push(child)
  return child
}

/** What a process says until that comes, or it ends well where it may. */
async function until(child: ChildProcess, said: RegExp, mayEnd = false): Promise<string> {
  let text = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (piece) => {
        text += piece
        if (said.test(text)) resolve()
      })
    }
    child.on('close', (code) => (mayEnd && code === 0 ? resolve() : reject(new Error(`It ended: ${text}`))))
  })
  return text
}

/** npm starts the program itself, so all of them get the signal. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  process.kill(-child.pid, 'SIGTERM')
  await once(child, 'exit')
}
