import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Failure } from '../../live/failure.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { wordsIn } from '../../parts/words.js'
import { useSession } from '../../session/context.js'

interface CreateProps {
  readonly onClose: () => void
  readonly onCreated: (user: { readonly id: string }) => void
}

/** Creates a user with any roles, without a session and without mail. */
export function CreateUser({ onClose, onCreated }: CreateProps) {
  const { control, project } = useSession()
  const queries = useQueryClient()
  const create = useMutation({
    mutationFn: (form: FormData) =>
      control.users.create({
        project: project.id,
        email: String(form.get('email')),
        password: String(form.get('password')),
        roles: wordsIn(String(form.get('roles'))),
        emailVerified: form.get('verified') === 'on',
      }),
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
      <Field label="Password" hint="At least 8 characters.">
        <input className="input" name="password" type="text" required autoComplete="off" defaultValue="Correct4Horse" />
      </Field>
      <Field label="Roles" hint="Separate roles with spaces, such as editor admin.">
        <input className="input mono" name="roles" autoComplete="off" />
      </Field>
      <label className="field row">
        <input type="checkbox" name="verified" defaultChecked /> The email is verified
      </label>
    </FormDialog>
  )
}
