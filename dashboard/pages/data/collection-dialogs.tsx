/** Dialogs that create, rename, edit and delete a collection. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, useState } from 'react'
import type { Collection, Permissions, Schema } from '../../../client/index.js'
import { fieldTypes, permissionKinds } from '../../../client/protocol/model/collection.js'
import { useUndo } from '../../frame/undo.js'
import { Failure } from '../../live/failure.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { wordsIn } from '../../parts/words.js'
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

/** Edits schema and permissions in the format of the API. */
export function EditCollection({ collection, onClose, onDone }: CollectionDialogProps) {
  const { owner } = useSession()
  const queries = useQueryClient()
  const [wrong, setWrong] = useState<Error>()
  const [known, setKnown] = useState(collection)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const before = formatTexts(known)
  const texts: Record<string, string> = { ...before, ...typed }
  const of = (name: string) => ({
    ...{ name, value: texts[name] },
    onChange({ target: { value } }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) {
      // Restoring the original text is not a change.
      setTyped(({ [name]: _, ...rest }) => (value === before[name] ? rest : { ...rest, [name]: value }))
    },
  })
  const save = useMutation({
    async mutationFn(changes: { schema: Schema; permissions: Permissions }) {
      const now = await owner.collections.get(collection.name)
      const isChanged = JSON.stringify(formatTexts(now)) !== JSON.stringify(before)
      setKnown(now)
      if (!isChanged) return owner.collections.update(collection.name, changes)
      await queries.invalidateQueries({ queryKey: ['collections'] })
      throw new Error(
        'Changed elsewhere while this was open. Fields you did not edit show the new values. Save again to overwrite the others.',
      )
    },
    async onSuccess({ name }) {
      await queries.invalidateQueries({ queryKey: ['collections'] })
      onClose()
      onDone(name)
    },
  })
  const failure = wrong ?? save.error
  return (
    <FormDialog
      title={`Schema and permissions of ${collection.name}`}
      action="Save"
      isWide
      isBusy={save.isPending}
      failure={failure ? <Failure error={failure} /> : null}
      onClose={onClose}
      onSubmit={() => {
        try {
          const schema = JSON.parse(texts.schema ?? '')
          const permissions = permissionsIn(texts)
          setWrong(undefined)
          save.mutate({ schema, permissions })
        } catch (error) {
          setWrong(new Error(`Schema or rules are not valid JSON: ${error instanceof Error ? error.message : error}`))
        }
      }}
    >
      <Field
        label="Schema"
        hint={`Fields by name, each with a type (${fieldTypes.join(', ')}), required and default. Stored documents are not checked again. To check them, run svc collections check.`}
      >
        <textarea className="input" rows={10} spellCheck={false} {...of('schema')} />
      </Field>
      <fieldset className="permissions">
        <legend>Roles allowed to</legend>
        {permissionKinds.map((kind) => (
          <Field key={kind} label={kind}>
            <input className="input mono" placeholder="anyone with a key" {...of(kind)} />
          </Field>
        ))}
      </fieldset>
      <Field
        label="Rules for fields"
        hint='Roles that can read hidden fields and set read-only ones, besides the secret key: {"hidden": {"salary": ["hr"]}, "readonly": {"status": []}}'
      >
        <textarea className="input" rows={4} spellCheck={false} {...of('rules')} />
      </Field>
    </FormDialog>
  )
}

/** Returns the initial text of each form field. */
function formatTexts({ schema, permissions }: Collection): Record<string, string> {
  const { hidden = {}, readonly = {} } = permissions ?? {}
  return {
    schema: JSON.stringify(schema, undefined, 2),
    ...Object.fromEntries(permissionKinds.map((kind) => [kind, permissions?.[kind]?.join(' ') ?? ''])),
    rules: JSON.stringify({ hidden, readonly }, undefined, 2),
  }
}

/** @throws {SyntaxError} */
function permissionsIn({ rules = '', ...texts }: Readonly<Record<string, string>>): Permissions {
  const roles = permissionKinds.map((kind) => [kind, wordsIn(texts[kind] ?? '')] as const)
  return { ...Object.fromEntries(roles), ...JSON.parse(rules) }
}
