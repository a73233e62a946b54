/** Imports documents from a file or pasted text: JSON, NDJSON, CSV, or spreadsheet cells. */
import { useEffect } from 'react'
import { keptAsText } from '../../../client/protocol/model/exact-json.js'
import { counted, formatCount } from '../../../client/protocol/model/figures.js'
import { Failure } from '../../live/failure.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { useImport } from './use-import.js'

const previewed = 3
/** Larger files would exhaust the memory of the page. The command line streams them. */
const maxBytes = 50 * 2 ** 20

interface ImportProps {
  readonly name: string
  /** A dropped file. */
  readonly file?: File
  readonly onClose: () => void
}

export function ImportDialog({ name, file: dropped, onClose }: ImportProps) {
  const { rows, kept, done, take, start, isRunning, failure } = useImport(name, onClose)
  useEffect(() => {
    if (dropped) void take(() => readText(dropped))
  }, [dropped])
  return (
    <FormDialog
      title={`Import into ${name}`}
      action={
        isRunning ? `${formatCount(done)} of ${formatCount(rows.length)}` : `Create ${formatCount(rows.length - done)}`
      }
      isWide
      isBusy={isRunning || rows.length === done}
      failure={failure ? <Failure error={failure} /> : null}
      onClose={onClose}
      onSubmit={() => start()}
    >
      <Field
        label="File"
        hint={`JSON, NDJSON or CSV, up to 50 MB. For larger files, or to replace documents, use svc docs import ${name}.`}
      >
        <input
          type="file"
          accept=".json,.ndjson,.jsonl,.csv,.tsv,.txt"
          disabled={isRunning}
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
          disabled={isRunning}
          onChange={({ target }) => void take(async () => target.value)}
        />
      </Field>
      {done > 0 && !isRunning ? <p className="dim">Created {counted(done, 'document')} already.</p> : null}
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

async function readText(file: File): Promise<string> {
  if (file.size > maxBytes) throw new Error('The file is larger than 50 MB. Import it with svc docs import.')
  return file.text()
}
