/** A store of an app's own that fails for a moment, as one on a phone that is locked. */
import { expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'

const session = { token: 't1', user: { id: 'u1', email: 'ada@example.com', data: {} } }

it('asks a store that has failed again, and goes on with the login in it', async () => {
  const tokens: (string | null)[] = []
  let reads = 0
  const svc = createClient({
    url: 'http://service.test',
    session: {
      async read() {
        reads += 1
        if (reads === 1) throw new Error('The device is locked.')
        return JSON.stringify(session)
      },
      async write() {},
    },
    fetch: async (_url, init = {}) => {
      tokens.push(new Headers(init.headers).get('authorization'))
      return new Response(JSON.stringify({ ...session.user, ...session }))
    },
  })
  await expect(svc.auth.session()).rejects.toThrow('The device is locked.')

  expect(await svc.auth.session()).toMatchObject(session)
  await svc.auth.me()
  expect(tokens).toEqual(['Bearer t1'])
})
