/** Edits several documents in one form. Only touched fields are sent. */

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Document, Fields } from '../../../../client/index.js'
import type { Schema } from '../../../../client/protocol/model/collection.js'
import { counted } from '../../../../client/protocol/model/figures.js'
import { equalJson, objectOfMany, readField, setOwn } from '../../../../client/protocol/model/json.js'
import { shellWord } from '../../../../client/snippets/shell.js'
import { useCommand } from '../../../frame/command-line.js'
import { useUndo } from '../../../frame/undo.js'
import { Button } from '../../../parts/button.js'
import { Pane } from '../../../parts/layout.js'
import { useKeys } from '../../../parts/use-keys.js'
import { useSession } from '../../../session/context.js'
import { Changes, FootFailure, ToFix } from '../document/document-foot.js'
import { checkForm, formatWords, pick } from '../form/checks.js'
import { DocumentForm, focusField } from '../form/document-form.js'
import { toRawFields } from './raw-values.js'

interface BulkProps {
  readonly collection: string
  readonly schema: Schema
  readonly documents: readonly Document[]
  readonly onClose: () => void
}

const batchSize = 500

export function BulkPane({ collection, schema, documents, onClose }: BulkProps) {
  const { client } = useSession()
  const { doUndoably } = useUndo()
  const { common, mixed } = findCommon(documents.map(({ data }) => toRawFields(data)))
  const [touched, setTouched] = useState<Fields>()
  const data = touched ?? common
  const checked = checkForm(schema, data, common)
  const changed = checked.changed.filter((name) => Object.hasOwn(data, name))
  const changes = pick(data, changed)
  const wrong = checked.wrong.filter((name) => changed.includes(name))
  const count = documents.length
  const save = useMutation({
    async mutationFn() {
      const command = `docs update ${collection}`
      await doUndoably(`Changed ${counted(count, 'document')} in ${collection}`, command, async () => {
        for (let at = 0; at < count; at += batchSize) {
          const ids = documents.slice(at, at + batchSize).map(({ id }) => id)
          await client.collection(collection).updateMany(objectOfMany(ids.map((id) => [id, changes])))
        }
      })
    },
    onSuccess: onClose,
  })
  const canSave = changed.length > 0 && wrong.length === 0 && !save.isPending
  useKeys({ 'mod-s': () => canSave && save.mutate() })
  const ids = documents.map(({ id }) => id).join(',')
  useCommand(`svc docs update ${shellWord(collection)} --where id__in=${ids} ${formatWords(changes).join(' ')}`.trim())
  return (
    <Pane
      title={`${counted(count, 'document')} in ${collection}`}
      facts="only what you change is sent"
      onClose={onClose}
      foot={
        <>
          <FootFailure error={save.error} />
          <Changes names={changed} />
          <ToFix names={wrong} onFix={focusField} />
          <span className="grow" />
          {changed.length > 0 ? <Button onClick={() => setTouched(undefined)}>Discard</Button> : null}
          <Button look="main" disabled={!canSave} onClick={() => save.mutate()}>
            Save {count}
          </Button>
        </>
      }
    >
      <DocumentForm
        schema={schema}
        data={data}
        base={common}
        issues={checked.issues.filter(({ path }) => changed.includes(String(path[0])))}
        refused={[]}
        mixed={mixed}
        onChange={setTouched}
      />
    </Pane>
  )
}

/** Separates the values that all have from the fields whose values differ. */
function findCommon(all: readonly Fields[]): { readonly common: Fields; readonly mixed: ReadonlySet<string> } {
  const common: Fields = {}
  const mixed = new Set<string>()
  const [first = {}, ...others] = all
  for (const name of new Set(all.flatMap((fields) => Object.keys(fields)))) {
    const value = readField(first, name)
    if (value === undefined || !others.every((fields) => equalJson(readField(fields, name), value))) mixed.add(name)
    else setOwn(common, name, value)
  }
  return { common, mixed }
}
