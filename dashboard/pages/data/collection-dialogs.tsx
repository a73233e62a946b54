/** Dialogs that create, rename and delete a collection. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Collection } from '../../../client/index.js'
import { useUndo } from '../../frame/undo.js'
import { Failure } from '../../live/failure.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { useSession } from '../../session/context.js'
import { draftKey, moveDraft } from '../../session/drafts.js'

export function CreateCollection({ onClose, onCreated }: { onClose: () => void; onCreated: (name: string) => void }) {
  const { owner } = useSession()
  const queries = useQueryClient()
  const create = useMutation({
    mutationFn: (name: string) => owner.collections.create({ name }),
    async onSuccess({ name }) {
      await queries.invalidateQueries({ queryKey: ['collections'] })
      onClose()
      onCreated(name)
    },
  })
  return (
    <FormDialog
      title="New collection"
      action="Create"
      isBusy={create.isPending}
      failure={create.error ? <Failure error={create.error} /> : null}
      onClose={onClose}
      onSubmit={(form) => create.mutate(String(form.get('name')))}
    >
      <Field label="Name" hint="Letters, digits, _ and -, such as posts.">
        <input className="input mono" name="name" required maxLength={63} autoComplete="off" spellCheck={false} />
      </Field>
    </FormDialog>
  )
}

interface CollectionDialogProps {
  readonly collection: Collection
  readonly onClose: () => void
  readonly onDone: (name: string | undefined) => void
}

export function RenameCollection({ collection, onClose, onDone }: CollectionDialogProps) {
  const session = useSession()
  const { owner } = session
  const queries = useQueryClient()
  const rename = useMutation({
    mutationFn: (name: string) => owner.collections.rename(collection.name, name),
    async onSuccess({ name }) {
      moveDraft(draftKey(session, collection.name), draftKey(session, name))
      await queries.invalidateQueries({ queryKey: ['collections'] })
      onClose()
      onDone(name)
    },
  })
  return (
    <FormDialog
      title={`Rename ${collection.name}`}
      action="Rename"
      isBusy={rename.isPending}
      failure={rename.error ? <Failure error={rename.error} /> : null}
      onClose={onClose}
      onSubmit={(form) => rename.mutate(String(form.get('name')))}
    >
      <Field label="Name" hint="Documents keep their ids. Code that uses the old name stops working.">
        <input className="input mono" name="name" defaultValue={collection.name} required autoComplete="off" />
      </Field>
    </FormDialog>
  )
}

export function DeleteCollection({ collection, onClose, onDone }: CollectionDialogProps) {
  const { owner } = useSession()
  const { doUndoably } = useUndo()
  const { name } = collection
  const remove = useMutation({
    mutationFn: () =>
      doUndoably(`Deleted ${name}`, `svc collections delete ${name}`, () => owner.collections.delete(name)),
    onSuccess(isDone) {
      if (!isDone) return
      onClose()
      onDone(undefined)
    },
  })
  return (
    <FormDialog
      title={`Delete ${name}?`}
      action="Delete"
      isBad
      isBusy={remove.isPending}
      failure={remove.error ? <Failure error={remove.error} /> : null}
      onClose={onClose}
      onSubmit={() => remove.mutate()}
    >
      <p>
        This deletes all its documents and their files. You can undo it for ten seconds here, and later with svc undo.
      </p>
    </FormDialog>
  )
}
