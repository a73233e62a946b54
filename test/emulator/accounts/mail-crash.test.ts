/** `kill -9` as soon as a reply promises a mail: the mail is in the mailbox afterwards. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { type Ask, askerOf } from '../../fixtures/requests/ask.js'

const folder = await mkdtemp(join(tmpdir(), 'svc-mail-crash-'))
const cli = fileURLToPath(new URL('../../../cli/bin/run.js', import.meta.url))
const children: ChildProcess[] = []

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

async function startDev(cycle: number): Promise<{ child: ChildProcess; ask: Ask; projectId: string }> {
  const readyFile = join(folder, `ready-${cycle}.json`)
  const state = join(folder, 'state')
  const words = [cli, 'dev', '--port', '0', '--data', state, '--ready-file', readyFile]
  const child = spawn(process.execPath, words, { stdio: 'ignore' })
  children.push(child)
  for (;;) {
    const text = await readFile(readyFile, 'utf8').catch(() => '')
    if (text.endsWith('}\n')) {
      const info = JSON.parse(text)
      return { child, ask: askerOf(info), projectId: info.projectId }
    }
    if (child.exitCode !== null) throw new Error(`svc dev stopped with ${child.exitCode} in cycle ${cycle}.`)
    await pause(25)
  }
}

it('contract 6.8 no mail that an answer promised is lost with the process', { timeout: 240_000 }, async () => {
  const [email, password] = ['ada@example.com', 'Correct4Horse']
  let token = ''
  const promises: { readonly [subject: string]: (ask: Ask) => Promise<{ status: number }> } = {
    Reset: (ask) => ask('POST', '/auth/request-password-reset', { email }),
    Verify: (ask) => ask('POST', '/auth/request-verification', {}, token),
    login: (ask) => ask('POST', '/auth-collections/login', { email, password }),
  }
  const subjects: string[] = []

  let cycle = 0
  for (const promise of Object.values(promises)) {
    const { child, ask, projectId } = await startDev(cycle++)
    if (token === '') token = String((await ask('POST', '/auth-collections/signup', { email, password })).body.token)
    await ask('PATCH', `/_svc/api/projects/${projectId}`, { settings: { require2fa: cycle === 3 } })
    expect((await promise(ask)).status).toBe(200)
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    subjects.push(Object.keys(promises)[cycle - 1] ?? '')
  }
  const { ask } = await startDev(cycle)
  const { body } = await ask('GET', '/_svc/api/mail')

  const found = (body.mails as { subject: string }[]).map(({ subject }) => subject)
  expect(found).toHaveLength(3)
  for (const [at, subject] of subjects.toReversed().entries()) expect(found[at]).toContain(subject)
})
