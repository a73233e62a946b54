/** Exports all matching documents to a file. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Document } from '../../../client/index.js'
import { exported } from '../../../client/protocol/model/documents/exported.js'
import { counted, formatCount } from '../../../client/protocol/model/figures.js'
import { Failure } from '../../live/failure.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { formatCsv } from '../../parts/rows/csv.js'
import { download } from '../../parts/rows/download.js'
import { useStop } from '../../parts/use-stop.js'
import { useSession } from '../../session/context.js'
import type { QueryState } from './query-state.js'

interface ExportProps {
  readonly name: string
  readonly query: QueryState
  readonly total: number
  readonly onClose: () => void
}

type Form = 'json' | 'ndjson' | 'csv'

export function ExportDialog({ name, query, total, onClose }: ExportProps) {
  const { client } = useSession()
  const [done, setDone] = useState(0)
  const stop = useStop()
  const save = useMutation({
    async mutationFn(form: Form) {
      const documents: Document[] = []
      const { where, sort, populate } = query
      const options = { where, populate, sort, signal: stop() }
      for await (const document of client.collection(name).iterate(options)) {
        documents.push(document as Document)
        if (documents.length % 500 === 0) setDone(documents.length)
      }
      download(`${name}.${form}`, await writers[form](documents))
    },
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title={`Export ${counted(total, 'document')} from ${name}`}
      action={save.isPending ? `${formatCount(done)} of ${formatCount(total)}` : 'Save file'}
      isBusy={save.isPending}
      failure={save.error ? <Failure error={save.error} /> : null}
      onClose={onClose}
      onSubmit={(form) => save.mutate(String(form.get('form')) as Form)}
    >
      <Field label="Format" hint={`For large collections, use svc docs export ${name}.`}>
        <select name="form">
          <option value="ndjson">NDJSON: one document per line</option>
          <option value="json">JSON: one list</option>
          <option value="csv">CSV: for spreadsheets</option>
        </select>
      </Field>
    </FormDialog>
  )
}

const plain = (document: Document) =>
  exported(document, [...Object.keys(document.data), 'createdAt', 'updatedAt'], true)

const writers: { readonly [Name in Form]: (documents: readonly Document[]) => string | Promise<string> } = {
  json: (documents) => `${JSON.stringify(documents.map(plain), undefined, 2)}\n`,
  ndjson: (documents) => documents.map((document) => `${JSON.stringify(plain(document))}\n`).join(''),
  csv: (documents) => formatCsv(documents.map(plain)),
}
