import { useMutation } from '@tanstack/react-query'
import type { Client, Fields } from '../../../client/index.js'
import { parseExactJson } from '../../../client/protocol/model/exact-json.js'
import { isObject } from '../../../client/protocol/model/json.js'
import { useCollections } from '../../frame/counts.js'
import { useUndo } from '../../frame/undo.js'
import { Failure } from '../../live/failure.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { useSession } from '../../session/context.js'

type Documents = ReturnType<Client['collection']>

/** Sends an event by a real write, so that subscribers receive stored data, and undo works. */
export function SendEvent({ onClose }: { onClose: () => void }) {
  const { client } = useSession()
  const { notify } = useUndo()
  const { data: collections } = useCollections()
  const create = async (documents: Documents, data: Fields) => {
    const { id } = await documents.create(data)
    notify({ text: `Created ${id}`, undo: () => documents.delete(id) })
  }
  const change = async (documents: Documents, id: string, data: Fields) => {
    const before = await documents.get(id)
    const { version } = await documents.update(id, data)
    const ifMatch = version === undefined ? {} : { ifMatch: version }
    notify({ text: `Changed ${id}`, undo: () => documents.replace(id, before.data, ifMatch) })
  }
  const send = useMutation({
    mutationFn(form: FormData) {
      const [collection, id, text] = ['collection', 'id', 'data'].map((name) => String(form.get(name) ?? '').trim())
      const data: unknown = parseExactJson(text || '{}')
      if (!isObject(data) || !collection) throw new Error('Enter a JSON object with the fields of the document.')
      return id ? change(client.collection(collection), id, data) : create(client.collection(collection), data)
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
      <p className="dim">This writes the document, so every subscriber gets the event.</p>
      <Field label="Collection">
        <select name="collection">
          {collections?.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <Field label="Document" hint="Id of the document to change. Leave it empty to create one.">
        <input className="input mono" name="id" autoComplete="off" />
      </Field>
      <Field label="Fields">
        <textarea className="input" name="data" rows={5} defaultValue={'{\n  "title": "Hello"\n}'} spellCheck={false} />
      </Field>
    </FormDialog>
  )
}
