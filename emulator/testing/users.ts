/** Creates users of a project, and acts as them. */
import type { Control } from '../../client/control.js'
import type { Client } from '../../client/index.js'
import type { TestUsers } from './helper.js'

const defaultPassword = 'Correct4Horse'

export function openTestUsers(
  control: Control['users'],
  { openClient, owner }: { readonly openClient: () => Client; readonly owner: Pick<Client, 'users'> },
): TestUsers {
  async function actAs({ id }: { readonly id: string }): Promise<Client> {
    const client = openClient()
    await client.auth.use((await control.token({ user: id })).token)
    return client
  }

  /** Looks the user up, because with `require2fa` the sign-up returns no user before the mailed code. Contract 6.7. */
  async function findUser(email: string): Promise<{ readonly id: string }> {
    const { items } = await owner.users.list({ where: { email: email.trim().normalize('NFC') }, limit: 1 })
    const [user] = items
    if (!user) throw new Error(`"${email}" signed up but was not found among the users.`)
    return user
  }

  async function turnTwoFactorOn(user: { readonly id: string }): Promise<void> {
    const { auth } = await actAs(user)
    await auth.twoFactor.enable()
    await auth.twoFactor.verify((await control.code({ user: user.id })).code)
  }

  return {
    async create({ email = newAddress(), password = defaultPassword, data = {}, ...given } = {}) {
      const { roles, verified = true, twoFactor = false } = given
      const signedUp = await openClient().auth.signUp({ email, password, data })
      const { id } = signedUp.requires2fa ? await findUser(email) : signedUp.user
      await control.update({ user: id, emailVerified: verified, ...(roles ? { roles: [...roles] } : {}) })
      if (twoFactor) await turnTwoFactorOn({ id })
      return { id, email, credentials: { email, password } }
    },
    actAs,
    code: async ({ id }) => (await control.code({ user: id })).code,
  }
}

function newAddress(): string {
  return `user-${crypto.randomUUID().slice(0, 8)}@example.com`
}
