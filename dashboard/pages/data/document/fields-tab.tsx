/** Edits each field with a control for its type. Shares its text with the JSON tab. */
import { useState } from 'react'
import type { Fields, Issue, Json } from '../../../../client/index.js'
import { parseExactJson } from '../../../../client/protocol/model/exact-json.js'
import { isObject, setOwn } from '../../../../client/protocol/model/json.js'
import { Button } from '../../../parts/button.js'
import { detectType } from '../../../parts/columns.js'
import { Empty } from '../../../parts/states.js'

interface FieldsTabProps {
  readonly text: string
  readonly edit: (text: string) => void
  readonly issues: readonly Issue[]
}

/** Further fields can be edited as JSON. */
const maxFields = 200

export function FieldsTab({ text, edit, issues }: FieldsTabProps) {
  const data = parsed(text)
  if (!isObject(data)) return <Empty title="The JSON has an error">Fix it in the JSON tab first.</Empty>
  const entries = Object.entries(data)
  const change = (name: string, value: Json | undefined) => {
    const next: Fields = {}
    for (const [field, before] of entries) {
      if (field !== name) setOwn(next, field, before)
      else if (value !== undefined) setOwn(next, field, value)
    }
    if (!Object.hasOwn(data, name) && value !== undefined) setOwn(next, name, value)
    edit(JSON.stringify(next, undefined, 2))
  }
  return (
    <div className="fields">
      {entries.slice(0, maxFields).map(([name, value]) => (
        <FieldRow
          key={name}
          {...{ name, value }}
          issue={issues.find(({ path }) => path[0] === name)?.message}
          onChange={(next) => change(name, next)}
        />
      ))}
      {entries.length > maxFields ? (
        <p className="padded dim">{entries.length - maxFields} more fields are in the JSON tab.</p>
      ) : null}
      <form
        className="field-row"
        onSubmit={(event) => {
          event.preventDefault()
          const name = String(new FormData(event.currentTarget).get('name'))
          if (name !== '' && !Object.hasOwn(data, name)) change(name, '')
          event.currentTarget.reset()
        }}
      >
        <input className="input mono" name="name" placeholder="new field" aria-label="Name of a new field" />
        <Button type="submit">Add</Button>
      </form>
    </div>
  )
}

interface FieldRowProps {
  readonly name: string
  readonly value: Json
  readonly issue: string | undefined
  readonly onChange: (value: Json | undefined) => void
}

function FieldRow({ name, value, issue, onChange }: FieldRowProps) {
  return (
    <div className="field-row">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is a child of the label. */}
      <label>
        <span className="mono cut" title={name}>
          {name === '' ? '(empty name)' : name} <em className="dim">{detectType(value)}</em>
        </span>
        <Control value={value} onChange={onChange} />
        {issue === undefined ? null : <small className="bad">{issue}</small>}
      </label>
      <button type="button" className="icon-button" onClick={() => onChange(undefined)} aria-label={`Remove ${name}`}>
        ×
      </button>
    </div>
  )
}

function Control({ value, onChange }: { value: Json; onChange: (value: Json) => void }) {
  if (typeof value === 'boolean') {
    return <input type="checkbox" checked={value} onChange={({ target }) => onChange(target.checked)} />
  }
  if (typeof value === 'string') {
    return (
      <textarea
        className="input words"
        rows={Math.min(6, 1 + Math.floor(value.length / 60))}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  }
  return <JsonControl value={value} onChange={onChange} />
}

/** Edits numbers, lists, objects and null as JSON. Applies the typed text whenever it is valid. */
function JsonControl({ value, onChange }: { value: Json; onChange: (value: Json) => void }) {
  const [typed, setTyped] = useState<string>()
  const text = typed ?? JSON.stringify(value)
  const isJson = typed === undefined || parsed(typed) !== undefined
  return (
    <input
      className="input mono"
      value={text}
      aria-invalid={!isJson}
      onBlur={() => isJson && setTyped(undefined)}
      onChange={({ target }) => {
        setTyped(target.value)
        const next = parsed(target.value)
        if (next !== undefined) onChange(next)
      }}
    />
  )
}

function parsed(text: string): Json | undefined {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}
