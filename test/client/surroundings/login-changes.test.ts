/** Changes of one login that are kept at the same time. */
import { expect, it } from 'vitest'
import { openAuthState, type SignedIn } from '../../../client/auth/auth-state.js'

const ada: SignedIn = {
  token: 'first',
  user: {
    id: 'ada',
    email: 'ada@example.com',
    roles: [],
    oauthId: null,
    emailVerified: true,
    data: {},
    createdAt: '',
    updatedAt: '',
  },
}

it('a new token and a new state of the user that come together are both kept', async () => {
  const auth = openAuthState({ read: async () => JSON.stringify(ada), write: async () => undefined })
  await auth.current()

  const user = { ...ada.user, email: 'lovelace@example.com' }
  await Promise.all([auth.amend(() => true, { token: 'second' }), auth.amend(() => true, { user })])

  expect(await auth.current()).toEqual({ token: 'second', user })
})

it('a login that ends meanwhile is not changed any more', async () => {
  const auth = openAuthState({ read: async () => JSON.stringify(ada), write: async () => undefined })
  await auth.current()

  await Promise.all([auth.begin()(undefined), auth.amend(() => true, { token: 'second' })])

  expect(await auth.current()).toBeUndefined()
})
