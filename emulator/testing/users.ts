/** The users of a project, as a test makes them and acts as them. */
import type { Control } from '../../client/control.js'
import type { Client } from '../../client/index.js'
import type { TestUsers } from './helper.js'

const usualPassword = 'Correct4Horse'

export function openTestUsers(
  control: Control['users'],
  { openClient, owner }: { readonly openClient: () => Client; readonly owner: Pick<Client, 'users'> },
): TestUsers {
  async function actAs({ id }: { readonly id: string }): Promise<Client> {
    const client = openClient()
    await client.auth.use((await control.token({ user: id })).token)
    return client
  }

  /** Under `require2fa` a sign-up makes the user, and tells nothing of them before the mailed code. Contract 6.7. */
  async function userOf(email: string): Promise<{ readonly id: string }> {
    const { items } = await owner.users.list({ where: { email: email.trim().normalize('NFC') }, limit: 1 })
    const [user] = items
    if (!user) throw new Error(`"${email}" was signed up, and is not among the users.`)
    return user
  }

  async function turnTwoFactorOn(user: { readonly id: string }): Promise<void> {
    const { auth } = await actAs(user)
    await auth.twoFactor.enable()
    await auth.twoFactor.verify((await control.code({ user: user.id })).code)
  }

  return {
    async create({ email = newAddress(), password = usualPassword, data = {}, ...given } = {}) {
      const { roles, verified = true, twoFactor = false } = given
      const signedUp = await openClient().auth.signUp({ email, password, data })
      const { id } = signedUp.requires2fa ? await userOf(email) : signedUp.user
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
