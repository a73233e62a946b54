/** Dialogs that edit or delete all matching documents, with a preview of the first ones. */

import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Client, Document, Fields } from '../../../client/index.js'
import { mergeFields, splitOperators } from '../../../client/protocol/model/document.js'
import { parseExactJson } from '../../../client/protocol/model/exact-json.js'
import { counted, formatCount } from '../../../client/protocol/model/figures.js'
import { isObject, objectOfMany } from '../../../client/protocol/model/json.js'
import { useUndo } from '../../frame/undo.js'
import { Failure } from '../../live/failure.js'
import { formatName } from '../../parts/columns.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { useStop } from '../../parts/use-stop.js'
import { useSession } from '../../session/context.js'
import type { QueryState } from './query-state.js'

interface BulkProps {
  readonly name: string
  readonly query: QueryState
  readonly total: number
  readonly onClose: () => void
}

const batchSize = 500
const previewed = 5

function usePreview(name: string, { where, populate, text }: QueryState) {
  const { client } = useSession()
  return useQuery({
    queryKey: ['documents', name, text, 'preview'],
    queryFn: () => client.collection(name).list({ where, populate, limit: previewed }),
  })
}

/** Collects the ids first, because changed documents may no longer match the filter. */
async function runInBatches(
  client: Client,
  name: string,
  { where, populate }: QueryState,
  change: (ids: readonly string[]) => Promise<unknown>,
  { onDone, signal }: { onDone: (count: number) => void; signal: AbortSignal },
) {
  const ids: string[] = []
  for await (const { id } of client.collection(name).iterate({ where, populate, signal })) ids.push(id)
  for (let at = 0; at < ids.length; at += batchSize) {
    signal.throwIfAborted()
    await change(ids.slice(at, at + batchSize))
    onDone(Math.min(at + batchSize, ids.length))
  }
}

export function BulkDelete({ name, query, total, onClose }: BulkProps) {
  const { client } = useSession()
  const { doUndoably } = useUndo()
  const [done, setDone] = useState(0)
  const stop = useStop()
  const { data } = usePreview(name, query)
  const remove = useMutation({
    mutationFn: () =>
      doUndoably(`Deleted ${counted(total, 'document')} in ${name}`, `docs delete ${name} --all`, () =>
        runInBatches(client, name, query, (ids) => client.collection(name).deleteMany(ids), {
          onDone: setDone,
          signal: stop(),
        }),
      ),
    onSuccess: (isDone) => isDone && onClose(),
  })
  return (
    <FormDialog
      title={`Delete ${counted(total, 'document')} in ${name}?`}
      action={remove.isPending ? `Deleted ${formatCount(done)}` : `Delete ${formatCount(total)}`}
      isBad
      isBusy={remove.isPending}
      failure={remove.error ? <Failure error={remove.error} /> : null}
      onClose={onClose}
      onSubmit={() => remove.mutate()}
    >
      <Preview documents={data?.items ?? []} total={total} />
      <p className="dim">You can undo this for ten seconds here, and later with svc undo.</p>
    </FormDialog>
  )
}

function Preview({ documents, total }: { documents: readonly Document[]; total: number }) {
  return (
    <ul className="preview">
      {documents.map((document) => (
        <li key={document.id} className="cut">
          <bdi>{formatName(document)}</bdi> <span className="mono dim">{document.id}</span>
        </li>
      ))}
      {total > documents.length ? <li className="dim">and {formatCount(total - documents.length)} more</li> : null}
    </ul>
  )
}

export function BulkEdit({ name, query, total, onClose }: BulkProps) {
  const { client } = useSession()
  const { doUndoably } = useUndo()
  const [text, setText] = useState('{\n  \n}')
  const [done, setDone] = useState(0)
  const stop = useStop()
  const { data } = usePreview(name, query)
  const [changes, wrong] = parseChanges(text)
  const edit = useMutation({
    mutationFn: () =>
      doUndoably(`Changed ${counted(total, 'document')} in ${name}`, `docs batch ${name}`, () =>
        runInBatches(
          client,
          name,
          query,
          (ids) =>
            client.collection(name).updateMany(objectOfMany(ids.map((id) => [id, changes])), { returning: false }),
          { onDone: setDone, signal: stop() },
        ),
      ),
    onSuccess: (isDone) => isDone && onClose(),
  })
  const failure = wrong ?? edit.error
  return (
    <FormDialog
      title={`Edit ${counted(total, 'document')} in ${name}`}
      action={edit.isPending ? `Changed ${formatCount(done)}` : `Change ${formatCount(total)}`}
      isWide
      isBusy={edit.isPending || wrong !== undefined}
      failure={failure ? <Failure error={failure} /> : null}
      onClose={onClose}
      onSubmit={() => edit.mutate()}
    >
      <Field label="Fields to set" hint="Other fields stay. Use $append and $remove to change lists.">
        <textarea
          className="input"
          rows={6}
          value={text}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      <div className="differences mono">
        {(data?.items ?? []).map((document) => (
          <Difference key={document.id} document={document} changes={changes} />
        ))}
      </div>
    </FormDialog>
  )
}

function parseChanges(text: string): [Fields, Error | undefined] {
  try {
    const value = parseExactJson(text)
    if (isObject(value)) return [value, undefined]
    return [{}, new Error('Enter a JSON object with the fields to set.')]
  } catch (error) {
    return [{}, error instanceof Error ? error : undefined]
  }
}

function Difference({ document, changes }: { document: Document; changes: Fields }) {
  let after: Fields
  try {
    const { operators, rest } = splitOperators(changes)
    after = mergeFields(document.data, { fields: rest, ...operators })
  } catch (error) {
    return <p className="bad">{error instanceof Error ? error.message : String(error)}</p>
  }
  const names = Object.keys(after).filter(
    (field) => JSON.stringify(after[field]) !== JSON.stringify(document.data[field]),
  )
  return (
    <p>
      <span className="dim">{formatName(document)} </span>
      {names.length === 0 ? <span className="dim">no change</span> : null}
      {names.map((field) => (
        <span key={field}>
          {field} <del>{JSON.stringify(document.data[field])?.slice(0, 60)}</del>{' '}
          <ins>{JSON.stringify(after[field])?.slice(0, 60)}</ins>{' '}
        </span>
      ))}
    </p>
  )
}
