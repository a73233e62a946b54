import { expect, test } from 'vitest'
import { anEmail, aTown } from '../../fixtures/accounts.js'
import { control, countMails, mailTo } from '../../fixtures/mail/mails.js'
import { expectFailure, inDialects } from '../../fixtures/wires.js'

inDialects(
  'The control API',
  (wire) => {
    test('contract 2.1 an empty id names nothing there either: no mail is deleted', async () => {
      const { api, anAccount } = await aTown(wire)
      const email = anEmail()
      await anAccount({ email })
      await api.post('/auth/request-password-reset', { email })
      await mailTo(email)

      for (const path of ['/mail/', '/mail//', `/mail/?to=${encodeURIComponent(email)}`]) {
        expectFailure(await control('DELETE', path), 404, 'NOT_FOUND')
      }

      expect(await countMails(email)).toBeGreaterThan(0)
    })
  },
  ['a'],
)
