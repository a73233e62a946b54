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

it('a store whose writes take their time holds the newest login, and all are told of it last', async () => {
  let stored: string | null = JSON.stringify(ada)
  const begun: (() => void)[] = []
  const auth = openAuthState({
    read: () => stored,
    write: (text) =>
      new Promise((resolve) =>
        begun.push(() => {
          stored = text
          resolve()
        }),
      ),
  })
  const heard: unknown[] = []
  auth.onChange((session) => heard.push(session?.token))
  const changed = Promise.all([
    auth.amend(() => true, { token: 'second' }),
    turns().then(() => auth.begin()(undefined)),
  ])

  // The login that was begun last ends first.
  for (let ended = 0; ended < 2; ended++) {
    await turns()
    begun.pop()?.()
  }
  await changed

  expect(stored).toBeNull()
  expect(heard).toEqual(['second', undefined])
})

/** Runs all pending microtasks. */
async function turns() {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}
