import { expect, it } from 'vitest'
import type { Control } from '../../client/control.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import { openTestMailbox } from './mail.js'

it('keeps waiting beyond the limit of one request, and fails with the mails that arrived', async () => {
  const waits: unknown[] = []
  const head = { id: 'm', subject: 'Reset your password', to: 'ada@example.com', refused: null }
  const control = {
    list: async () => ({ mails: waits.length < 2 ? [] : [head] }),
    wait: async ({ timeout }: { timeout: number }) => {
      waits.push(timeout)
      if (waits.length === 1) throw new SvcError('NOT_FOUND', 'No matching mail arrived in time.')
    },
    get: async () => ({ ...head, links: ['http://127.0.0.1/'], codes: [] }),
  }
  const mailbox = openTestMailbox(control as object as Control['mail'], 'p')

  const mail = await mailbox.waitFor({ subject: 'Reset', timeout: 120_000 })
  const never = await mailbox.waitFor({ subject: 'Welcome', timeout: 0 }).catch(({ message }) => message)

  expect(mail).toMatchObject({ id: 'm', link: 'http://127.0.0.1/' })
  expect(waits).toEqual([60, 60])
  expect(never).toContain('"Reset your password" to ada@example.com')
})
