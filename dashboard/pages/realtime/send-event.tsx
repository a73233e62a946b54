import { useMutation } from '@tanstack/react-query'
import { isObject } from '../../../client/protocol/model/json.js'
import { useCollections } from '../../frame/counts.js'
import { useUndo } from '../../frame/undo.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { Failure } from '../../parts/states.js'
import { useSession } from '../../session/context.js'

/** An event by hand is a real write: what is heard is what is stored, and it can be undone. */
export function SendEvent({ onClose }: { onClose: () => void }) {
  const { client } = useSession()
  const { doUndoably } = useUndo()
  const { data: collections } = useCollections()
  const send = useMutation({
    mutationFn(form: FormData) {
      const [collection, id, text] = ['collection', 'id', 'data'].map((name) => String(form.get(name) ?? '').trim())
      const data: unknown = JSON.parse(text || '{}')
      if (!isObject(data) || !collection) throw new Error('Write an object of fields.')
      const documents = client.collection(collection)
      return doUndoably(
        id ? `Changed ${id}` : `Created a document in ${collection}`,
        id ? `svc docs update ${collection} ${id}` : `svc docs create ${collection}`,
        () => (id ? documents.update(id, data) : documents.create(data)),
      )
    },
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title="Send an event"
      action="Write"
      isBusy={send.isPending}
      failure={send.error ? <Failure error={send.error} /> : null}
      onClose={onClose}
      onSubmit={(form) => send.mutate(form)}
    >
      <p className="dim">The document is really written, so that everybody who listens gets the event.</p>
      <Field label="Collection">
        <select name="collection">
          {collections?.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <Field label="Document" hint="Id of the one to change; left out, a new one.">
        <input className="input mono" name="id" autoComplete="off" />
      </Field>
      <Field label="Fields">
        <textarea className="input" name="data" rows={5} defaultValue={'{\n  "title": "Hello"\n}'} spellCheck={false} />
      </Field>
    </FormDialog>
  )
}
