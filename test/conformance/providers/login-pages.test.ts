import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { aPerson, choose, comeBack, loginUrl, providerKeys } from '../../fixtures/providers/provider.js'
import { changeSettings } from '../../fixtures/service.js'
import { expectStatus, inDialects } from '../../fixtures/wires.js'

inDialects(
  'A page that a login ends on, with letters beyond ASCII',
  (wire) => {
    const pages = [
      ['https://app.example/日/é?名=日#top', 'https://app.example/%E6%97%A5/%C3%A9?%E5%90%8D=%E6%97%A5#top'],
      ['https://app.example/a\tb\nc', 'https://app.example/abc'],
      ['https://app.example/%E6%97%A5?to=%2Fhome', 'https://app.example/%E6%97%A5?to=%2Fhome'],
    ] as const

    test.each(pages)('IDP-04 IDP-05 is where the browser is sent that asked for %j', async (asked, sent) => {
      const { api, project } = await aTown(wire)
      await changeSettings(project, { idp: providerKeys(project.id) })
      const query = `returnTo=${encodeURIComponent(asked)}`
      const answer = expectStatus(200, await api.get(`/auth-collections/login-idp?${query}`))
      const { url } = wire.record(answer) as { url: string }

      const { page, token } = await comeBack(await choose(url, await aPerson()))

      expect([page, token]).toEqual([sent, expect.any(String)])
    })

    test.each([...pages, ['app.example:/日', 'app.example:/%E6%97%A5']] as const)(
      'IDP-04 IDP-05 is where browsers are sent that IDP_COMPLETE_URL sends to %j, logged in or not',
      async (complete, sent) => {
        const { api, project } = await aTown(wire)
        await changeSettings(project, { idp: { ...providerKeys(project.id), IDP_COMPLETE_URL: complete } })

        const succeeded = await comeBack(await choose(await loginUrl(wire, { api }), await aPerson()))
        const cancelled = await comeBack(await choose(await loginUrl(wire, { api }), undefined))

        expect([succeeded.page, succeeded.token]).toEqual([sent, expect.any(String)])
        expect([cancelled.page, cancelled.failure]).toEqual([sent, 'authentication_failed'])
      },
    )
  },
  ['a'],
)
