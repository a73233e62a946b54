/** `kill -9` as soon as a reply promises a mail: the mail is in the mailbox afterwards. */
import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Devs, killed, openDevs } from '../../fixtures/dev.js'
import { type Ask, askerOf } from '../../fixtures/requests/ask.js'

let devs: Devs
beforeAll(async () => {
  devs = await openDevs()
})
afterAll(() => devs.stop())

async function startDev(): Promise<{ child: ChildProcess; ask: Ask; projectId: string }> {
  const state = join(devs.folder, 'state')
  const { child } = await devs.start('--data', state)
  const info = JSON.parse(await readFile(join(state, 'emulator.json'), 'utf8'))
  return { child, ask: askerOf(info), projectId: info.projectId }
}

it('contract 6.8 no mail that an answer promised is lost with the process', async () => {
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
    const { child, ask, projectId } = await startDev()
    cycle++
    if (token === '') token = String((await ask('POST', '/auth-collections/signup', { email, password })).body.token)
    await ask('PATCH', `/_svc/api/projects/${projectId}`, { settings: { require2fa: cycle === 3 } })
    expect((await promise(ask)).status).toBe(200)
    await killed(child)
    subjects.push(Object.keys(promises)[cycle - 1] ?? '')
  }
  const { ask } = await startDev()
  const { body } = await ask('GET', '/_svc/api/mail')

  const found = (body.mails as { subject: string }[]).map(({ subject }) => subject)
  expect(found).toHaveLength(3)
  for (const [at, subject] of subjects.toReversed().entries()) expect(found[at]).toContain(subject)
})
