/** Documents from a file, or from what was pasted: JSON, NDJSON, CSV, or the cells of a spreadsheet. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Fields } from '../../../client/index.js'
import { formatCount } from '../../../client/protocol/model/figures.js'
import { useUndo } from '../../frame/undo.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { readRows } from '../../parts/rows/csv.js'
import { Failure } from '../../parts/states.js'
import { useStop } from '../../parts/use-stop.js'
import { useSession } from '../../session/context.js'

const batchSize = 500
const mostCharacters = 2_000_000
const previewed = 3
/** Larger ones would fill the page's memory; the command line reads them as they come. */
const mostBytes = 50 * 2 ** 20

export function ImportDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { client } = useSession()
  const { doUndoably } = useUndo()
  const [rows, setRows] = useState<readonly Fields[]>([])
  const [wrong, setWrong] = useState<unknown>()
  const [done, setDone] = useState(0)

  async function take(read: () => Promise<string>) {
    try {
      setRows(await readRows(await read()))
      setDone(0)
      setWrong(undefined)
    } catch (error) {
      setRows([])
      setWrong(error)
    }
  }

  const stop = useStop()
  const create = useMutation({
    mutationFn: () =>
      doUndoably(`Imported ${formatCount(rows.length)} documents`, `docs import ${name}`, async () => {
        // What is there already is not created again when it is tried once more.
        for (let at = done; at < rows.length; ) {
          stop().throwIfAborted()
          const batch = rows.slice(at, at + fitting(rows, at))
          await client.collection(name).createMany(batch, { returning: false })
          at += batch.length
          setDone(at)
        }
      }),
    onSuccess: onClose,
  })
  const failure = wrong ?? create.error
  return (
    <FormDialog
      title={`Import into ${name}`}
      action={
        create.isPending ? `${formatCount(done)} of ${formatCount(rows.length)}` : `Create ${formatCount(rows.length)}`
      }
      isWide
      isBusy={create.isPending || rows.length === 0}
      failure={failure ? <Failure error={failure} /> : null}
      onClose={onClose}
      onSubmit={() => create.mutate()}
    >
      <Field
        label="File"
        hint={`JSON, NDJSON or CSV up to 50 MB. Larger ones, and those that replace: svc docs import ${name}`}
      >
        <input
          type="file"
          accept=".json,.ndjson,.jsonl,.csv,.tsv,.txt"
          onChange={({ target }) => {
            const file = target.files?.[0]
            if (!file) return
            if (file.size > mostBytes) setWrong(new Error('The file is over 50 MB.'))
            else void take(() => file.text())
          }}
        />
      </Field>
      <Field label="Or paste it">
        <textarea
          className="input"
          rows={6}
          placeholder={'title\tviews\nHello\t1'}
          spellCheck={false}
          onChange={({ target }) => void take(async () => target.value)}
        />
      </Field>
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

/** How many rows from there on go into one request, which has a limit of bytes. */
function fitting(rows: readonly Fields[], from: number): number {
  let characters = 0
  let count = 0
  for (const row of rows.slice(from, from + batchSize)) {
    characters += JSON.stringify(row).length
    if (count > 0 && characters > mostCharacters) break
    count++
  }
  return count
}
