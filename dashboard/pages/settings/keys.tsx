/** Lists the keys of the project, with scopes, expiry and last use. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAction, useUndo } from '../../frame/undo.js'
import { Failure } from '../../live/failure.js'
import { Button, Copy } from '../../parts/button.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { Time } from '../../parts/time.js'
import { wordsIn } from '../../parts/words.js'
import { useSession } from '../../session/context.js'
import type { ProjectRecord } from '../../session/session.js'

type Key = ProjectRecord['keys'][number]

export function Keys({ project }: { project: ProjectRecord }) {
  const { control } = useSession()
  const { confirm } = useUndo()
  const queries = useQueryClient()
  const [made, setMade] = useState<string>()
  const [isCreating, setCreating] = useState(false)
  const [isBusy, run] = useAction()
  const remove = (id: string) =>
    run(async () => {
      const text = 'Requests with this key are refused from now on, and its open connections close.'
      if (!(await confirm('Delete this key?', text, 'Delete'))) return
      await control.keys.revoke({ project: project.id, key: id })
      await queries.invalidateQueries({ queryKey: ['project'] })
    })
  return (
    <>
      <h2 className="section">
        Keys
        <Button data-key="new" onClick={() => setCreating(true)}>
          New key
        </Button>
      </h2>
      {made === undefined ? null : (
        <p className="why">
          <b>Copy the new key now. It is not shown again.</b>
          <span>
            <code className="mono">{made}</code> <Copy text={made} />
          </span>
        </p>
      )}
      <ul className="keys-list">
        {project.keys.map((each) => (
          <KeyRow key={each.id} of={each} isBusy={isBusy} onDelete={() => remove(each.id)} />
        ))}
      </ul>
      {isCreating ? <CreateKey project={project.id} onClose={() => setCreating(false)} onMade={setMade} /> : null}
    </>
  )
}

function KeyRow({ of, isBusy, onDelete }: { of: Key; isBusy: boolean; onDelete: () => void }) {
  const { ownerKey } = useSession()
  const { id, secret, key, name, scopes, expiresAt, createdAt, lastUsedAt } = of
  const isOwn = id === ownerKey.id
  return (
    <li>
      <span className={`tag ${secret ? 'warn' : ''}`}>{secret ? 'secret' : 'public'}</span>
      <code className="mono cut grow">{key ?? `${id}${isOwn ? ' · this dashboard' : ''}`}</code>
      {name === null ? null : <span className="dim">{name}</span>}
      {scopes?.map((scope) => (
        <span key={scope} className="tag mono">
          {scope}
        </span>
      ))}
      <span className="dim key-times">
        created <Time at={createdAt} /> · {lastUsedAt === null ? 'never used' : 'used '}
        {lastUsedAt === null ? null : <Time at={lastUsedAt} />}
        {expiresAt === null ? null : (
          <>
            {' '}
            · until <Time at={expiresAt} />
          </>
        )}
      </span>
      {key === null ? null : <Copy text={key} />}
      <Button disabled={isBusy || isOwn} onClick={onDelete}>
        Delete
      </Button>
    </li>
  )
}

/** Choices for the expiry of a key. */
const lifetimes: readonly (readonly [label: string, days: number | undefined])[] = [
  ['never', undefined],
  ['after a day', 1],
  ['after 30 days', 30],
  ['after a year', 365],
]

interface CreateProps {
  readonly project: string
  readonly onClose: () => void
  readonly onMade: (key: string) => void
}

function CreateKey({ project, onClose, onMade }: CreateProps) {
  const { control } = useSession()
  const queries = useQueryClient()
  const create = useMutation({
    mutationFn(form: FormData) {
      const [name, scopes] = [String(form.get('name')).trim(), wordsIn(String(form.get('scopes')))]
      const days = lifetimes[Number(form.get('lifetime'))]?.[1]
      return control.keys.create({
        ...{ project, secret: form.get('kind') === 'secret' },
        ...(name === '' ? {} : { name }),
        ...(scopes.length === 0 ? {} : { scopes }),
        ...(days === undefined ? {} : { expiresInSeconds: days * 86_400 }),
      })
    },
    async onSuccess({ key }) {
      onMade(key)
      onClose()
      await queries.invalidateQueries({ queryKey: ['project'] })
    },
  })
  return (
    <FormDialog
      title="New key"
      action="Create"
      isBusy={create.isPending}
      failure={create.error ? <Failure error={create.error} /> : null}
      onClose={onClose}
      onSubmit={(form) => create.mutate(form)}
    >
      <Field label="Kind" hint="A secret key has every role. Never ship it in an app.">
        <select name="kind">
          <option>public</option>
          <option>secret</option>
        </select>
      </Field>
      <Field label="Name" hint="Shown in lists.">
        <input className="input" name="name" autoComplete="off" />
      </Field>
      <Field
        label="Scopes"
        hint="read, write or admin, for all collections or one: read write:posts. Leave it empty to allow everything that the kind allows."
      >
        <input className="input mono" name="scopes" autoComplete="off" placeholder="read write:posts" />
      </Field>
      <Field label="Expires">
        <select name="lifetime">
          {lifetimes.map(([label], at) => (
            <option key={label} value={at}>
              {label}
            </option>
          ))}
        </select>
      </Field>
    </FormDialog>
  )
}
