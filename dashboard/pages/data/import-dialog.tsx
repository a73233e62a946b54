/** Imports documents from a file or pasted text: JSON, NDJSON, CSV, or spreadsheet cells. */
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Client, Fields } from '../../../client/index.js'
import { placed } from '../../../client/protocol/model/errors.js'
import { keptAsText } from '../../../client/protocol/model/exact-json.js'
import { counted, formatCount } from '../../../client/protocol/model/figures.js'
import { useUndo } from '../../frame/undo.js'
import { Failure } from '../../live/failure.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { readRows } from '../../parts/rows/csv.js'
import { isMissing } from '../../parts/states.js'
import { useStop } from '../../parts/use-stop.js'
import { useSession } from '../../session/context.js'

const batchSize = 500
const maxCharacters = 2_000_000
const previewed = 3
/** Larger files would exhaust the memory of the page. The command line streams them. */
const maxBytes = 50 * 2 ** 20

interface Created {
  readonly rows: readonly Fields[]
  readonly lastId: string
}

const nothing: Created = { rows: [], lastId: '' }

interface ImportProps {
  readonly name: string
  /** A dropped file. */
  readonly file?: File
  readonly onClose: () => void
}

export function ImportDialog({ name, file: dropped, onClose }: ImportProps) {
  const { client, owner } = useSession()
  const { doUndoably } = useUndo()
  const [rows, setRows] = useState<readonly Fields[]>([])
  /** First integer that is imported as text because a number would change it. */
  const [kept, setKept] = useState<string>()
  const [wrong, setWrong] = useState<unknown>()
  const [done, setDone] = useState(0)
  /** Rows that a failed attempt created. A retry skips them if it starts with the same rows. */
  const created = useRef(nothing)

  async function take(read: () => Promise<string>) {
    create.reset()
    try {
      let first: string | undefined
      const taken = await readRows(await read(), (literal) => {
        first ??= literal
      })
      setRows(taken)
      setKept(first)
      setDone(beginsWith(taken, created.current.rows) ? created.current.rows.length : 0)
      setWrong(undefined)
    } catch (error) {
      setRows([])
      setKept(undefined)
      setDone(0)
      setWrong(error)
    }
  }

  const stop = useStop()
  const left = formatCount(rows.length - done)
  const create = useMutation({
    async mutationFn() {
      if (done > 0 && !(await isThere(owner, name, created.current.lastId))) {
        created.current = nothing
        setDone(0)
        throw new Error('The documents that were created already no longer exist. Try again to create all of them.')
      }
      return doUndoably(`Imported into ${name}`, `docs import ${name}`, async () => {
        for (let at = done; at < rows.length; ) {
          stop().throwIfAborted()
          const from = at
          const batch = rows.slice(from, from + countFitting(rows, from))
          const documents = await client
            .collection(name)
            .createMany(batch)
            .catch((error) => {
              // The service counts rows within the request, so add the offset.
              throw placed(error, ([row, ...path]) => (typeof row === 'number' ? [from + row, ...path] : path))
            })
          at += batch.length
          created.current = { rows: rows.slice(0, at), lastId: documents.at(-1)?.id ?? '' }
          setDone(at)
        }
      })
    },
    onSuccess: (isDone) => isDone && onClose(),
  })
  useEffect(() => {
    if (dropped) void take(() => readText(dropped))
  }, [dropped])
  const failure = wrong ?? create.error
  return (
    <FormDialog
      title={`Import into ${name}`}
      action={create.isPending ? `${formatCount(done)} of ${formatCount(rows.length)}` : `Create ${left}`}
      isWide
      isBusy={create.isPending || rows.length === done}
      failure={failure ? <Failure error={failure} /> : null}
      onClose={onClose}
      onSubmit={() => create.mutate()}
    >
      <Field
        label="File"
        hint={`JSON, NDJSON or CSV, up to 50 MB. For larger files, or to replace documents, use svc docs import ${name}.`}
      >
        <input
          type="file"
          accept=".json,.ndjson,.jsonl,.csv,.tsv,.txt"
          disabled={create.isPending}
          onChange={({ target }) => {
            const file = target.files?.[0]
            if (file) void take(() => readText(file))
          }}
          // Clear the choice, so that choosing the corrected file again counts as a change.
          onClick={({ currentTarget }) => {
            currentTarget.value = ''
          }}
        />
      </Field>
      <Field label="Or paste it">
        <textarea
          className="input"
          rows={6}
          placeholder={'title\tviews\nHello\t1'}
          spellCheck={false}
          disabled={create.isPending}
          onChange={({ target }) => void take(async () => target.value)}
        />
      </Field>
      {done > 0 && !create.isPending ? <p className="dim">Created {counted(done, 'document')} already.</p> : null}
      {kept === undefined ? null : <p role="status">{keptAsText(kept)}</p>}
      {rows.length > 0 ? (
        <ul className="preview mono">
          {rows.slice(0, previewed).map((row, at) => (
            <li key={at} className="cut">
              {JSON.stringify(row).slice(0, 200)}
            </li>
          ))}
        </ul>
      ) : null}
    </FormDialog>
  )
}

/** Checks whether earlier rows still exist, because the user may have undone the attempt. */
async function isThere(owner: Client, name: string, id: string): Promise<boolean> {
  try {
    await owner.collection(name).get(id)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function beginsWith(rows: readonly Fields[], beginning: readonly Fields[]): boolean {
  return beginning.every((row, at) => JSON.stringify(row) === JSON.stringify(rows[at]))
}

async function readText(file: File): Promise<string> {
  if (file.size > maxBytes) throw new Error('The file is larger than 50 MB. Import it with svc docs import.')
  return file.text()
}

/** Returns how many rows fit into one request. */
function countFitting(rows: readonly Fields[], from: number): number {
  let characters = 0
  let count = 0
  for (const row of rows.slice(from, from + batchSize)) {
    characters += JSON.stringify(row).length
    if (count > 0 && characters > maxCharacters) break
    count++
  }
  return count
}
