import { useEffect, useRef } from 'react'
import type { Fields } from '../../../../client/index.js'
import type { Schema } from '../../../../client/protocol/model/collection.js'
import { Empty } from '../../../parts/states.js'
import { tabPath } from '../collection-tabs.js'
import type { Edited } from '../document/use-document.js'
import type { Checked } from './checks.js'
import { DocumentForm, focusField } from './document-form.js'
import { orderFields } from './rules.js'

interface FormTabProps {
  readonly collection: string
  readonly schema: Schema
  readonly edited: Edited
  /** Undefined unless the text is a JSON object. */
  readonly data: Fields | undefined
  readonly checked: Checked
}

/** Shows the form of a document. Shares its text with the JSON tab. */
export function FormTab({ collection, schema, edited, data, checked }: FormTabProps) {
  const { base, stored, issues, edit } = edited
  const first = useRef(stored ? undefined : orderFields(schema)[0]?.[0])
  // The user can type into a new document at once.
  useEffect(() => {
    if (first.current !== undefined) focusField(first.current)
  }, [])
  if (!data) return <Empty title="The JSON has an error">Fix it in the JSON tab first.</Empty>
  return (
    <DocumentForm
      schema={schema}
      data={data}
      schemaPath={tabPath(collection, 'schema')}
      base={stored && base}
      issues={checked.issues}
      refused={issues}
      onChange={(next) => edit(JSON.stringify(next, undefined, 2))}
    />
  )
}
