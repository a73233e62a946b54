import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { type AppUser, createClient } from '../../../client/index.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { Failure } from '../../parts/states.js'
import { wordsIn } from '../../parts/words.js'
import { useSession } from '../../session/context.js'

interface CreateProps {
  readonly onClose: () => void
  readonly onCreated: (user: AppUser) => void
}

/** Signs somebody up as the app would, and gives the roles that only the owner may give. */
export function CreateUser({ onClose, onCreated }: CreateProps) {
  const { control, owner, url, publicKey, guard } = useSession()
  const queries = useQueryClient()
  // Where roles are refused the user is there already: the second try goes on with that one.
  const made = useRef<{ readonly account: string; readonly user: AppUser }>(undefined)
  async function signUp(email: string, password: string): Promise<AppUser> {
    const app = createClient({ url, apiKey: publicKey, fetch: guard.fetch })
    const login = await app.auth.signUp({ email, password })
    if (!login.requires2fa) return login.user
    // The project wants a second factor before it opens a session; the user is created all the same.
    const { items } = await owner.users.list({ where: { email: email.trim().normalize('NFC') }, limit: 1 })
    const user = items[0]
    if (!user) throw new Error(login.message)
    return user
  }
  const create = useMutation({
    async mutationFn(form: FormData) {
      const [email, password] = [String(form.get('email')), String(form.get('password'))]
      const roles = wordsIn(String(form.get('roles')))
      const account = JSON.stringify([email, password])
      const user = made.current?.account === account ? made.current.user : await signUp(email, password)
      made.current = { account, user }
      const emailVerified = form.get('verified') === 'on'
      if (roles.length > 0 || emailVerified) {
        await control.users.update({
          user: user.id,
          ...(roles.length > 0 ? { roles } : {}),
          ...(emailVerified ? { emailVerified } : {}),
        })
      }
      return user
    },
    async onSuccess(user) {
      await queries.invalidateQueries({ queryKey: ['users'] })
      onClose()
      onCreated(user)
    },
  })
  return (
    <FormDialog
      title="New user"
      action="Create"
      isBusy={create.isPending}
      failure={create.error ? <Failure error={create.error} /> : null}
      onClose={onClose}
      onSubmit={(form) => create.mutate(form)}
    >
      <Field label="Email">
        <input className="input" name="email" type="email" required autoComplete="off" />
      </Field>
      <Field label="Password" hint="At least 8 characters, as your app asks for it.">
        <input className="input" name="password" type="text" required autoComplete="off" defaultValue="Correct4Horse" />
      </Field>
      <Field label="Roles" hint="With spaces between them, such as editor admin.">
        <input className="input mono" name="roles" autoComplete="off" />
      </Field>
      <label className="field row">
        <input type="checkbox" name="verified" defaultChecked /> The address is verified
      </label>
    </FormDialog>
  )
}
