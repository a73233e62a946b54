import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Control } from '../../../client/control.js'
import { isObject } from '../../../client/protocol/model/json.js'
import { useUndo } from '../../frame/undo.js'
import { Failure } from '../../live/failure.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { useSession } from '../../session/context.js'

export type Account = Awaited<ReturnType<Control['idp']['accounts']['list']>>['accounts'][number]

/** Creates, edits or removes an account of the built-in provider. */
export function AccountDialog({ account, onClose }: { account: Account | undefined; onClose: () => void }) {
  const { control } = useSession()
  const queries = useQueryClient()
  const { notify } = useUndo()
  const done = {
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['flows'] })
      onClose()
    },
  }
  const save = useMutation({
    mutationFn(form: FormData) {
      const [id, name, email, claims] = ['id', 'name', 'email', 'claims'].map((each) =>
        String(form.get(each) ?? '').trim(),
      )
      const parsed: unknown = JSON.parse(claims || '{}')
      if (!isObject(parsed)) throw new Error('Claims must be a JSON object.')
      const fields = { email: email || null, emailVerified: form.get('verified') === 'on', claims: parsed }
      if (account) return control.idp.accounts.change({ account: account.id, ...fields, ...(name ? { name } : {}) })
      return control.idp.accounts.add({ id: id ?? '', ...fields, ...(name ? { name } : {}) })
    },
    ...done,
  })
  const remove = useMutation({
    mutationFn: async (known: Account) => {
      await control.idp.accounts.remove({ account: known.id })
      notify({ text: `Removed ${known.id}`, undo: () => control.idp.accounts.add(known).then(done.onSuccess) })
    },
    ...done,
  })
  const error = save.error ?? remove.error
  return (
    <FormDialog
      title={account ? `Account ${account.id}` : 'New account'}
      action="Save"
      isBusy={save.isPending}
      failure={error ? <Failure error={error} /> : null}
      onClose={onClose}
      onSubmit={(form) => save.mutate(form)}
    >
      {account ? null : (
        <Field label="Id" hint="The subject at the provider, such as ada.">
          <input className="input mono" name="id" required autoComplete="off" />
        </Field>
      )}
      <Field label="Name">
        <input className="input" name="name" defaultValue={account?.name} autoComplete="off" />
      </Field>
      <Field label="Email" hint="Leave it empty for a profile without an email.">
        <input className="input" name="email" type="email" defaultValue={account?.email ?? ''} autoComplete="off" />
      </Field>
      <label className="field row">
        <input type="checkbox" name="verified" defaultChecked={account?.emailVerified ?? true} /> The email is verified
      </label>
      <Field label="Claims" hint="More claims about the account, as JSON.">
        <textarea
          className="input"
          name="claims"
          rows={4}
          defaultValue={JSON.stringify(account?.claims ?? {}, undefined, 2)}
          spellCheck={false}
        />
      </Field>
      {account ? (
        <button type="button" className="link bad" onClick={() => remove.mutate(account)}>
          Remove this account
        </button>
      ) : null}
    </FormDialog>
  )
}
