/** A document as a form made from the schema of its collection. Fields outside the schema come last, as JSON. */
import { type FocusEvent, useState } from 'react'
import { Link } from 'wouter'
import type { Fields, Issue, Json } from '../../../../client/index.js'
import type { FieldRule, Schema } from '../../../../client/protocol/model/collection.js'
import { equalJson, readField } from '../../../../client/protocol/model/json.js'
import { Button } from '../../../parts/button.js'
import { Control, hasParts } from './choose-control.js'
import { below } from './list-control.js'
import { withField } from './object-control.js'
import { describeType, formatChoice, guessRule, orderFields } from './rules.js'

export interface FormProps {
  readonly schema: Schema
  readonly data: Fields
  /** Stored fields. Undefined for a new document. */
  readonly base: Fields | undefined
  /** Broken rules, in words that say what is valid. */
  readonly issues: readonly Issue[]
  /** Problems that the service found. */
  readonly refused: readonly Issue[]
  /** Fields whose values differ among several documents. */
  readonly mixed?: ReadonlySet<string>
  /** Address of the page that adds fields to the schema. */
  readonly schemaPath?: string
  readonly onChange: (data: Fields) => void
}

/** Further fields can be edited as JSON. */
const maxFields = 200

function fieldId(name: string): string {
  return `field ${name}`
}

/** Moves the focus to a field of the form. */
export function focusField(name: string): void {
  const field = document.getElementById(fieldId(name))
  field?.scrollIntoView({ block: 'nearest' })
  const first = field?.matches('fieldset, [role="radiogroup"]')
    ? field.querySelector<HTMLElement>('input, button')
    : null
  ;(first ?? field)?.focus()
}

export function DocumentForm(props: FormProps) {
  const { schema, data, base, mixed, schemaPath, onChange } = props
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const known = orderFields(schema)
  const isFree = known.length === 0
  const names = [...new Set([...Object.keys(base ?? {}), ...Object.keys(data)])]
  const extra = names.filter((name) => !Object.hasOwn(schema, name))
  const row = (name: string, rule: FieldRule) => (
    <FieldRow
      key={name}
      name={name}
      rule={rule}
      form={props}
      isMixed={mixed?.has(name) ?? false}
      isLeft={left.has(name)}
      onLeave={() => setLeft((before) => (before.has(name) ? before : new Set(before).add(name)))}
      onChange={(value) => onChange(withField(data, name, value))}
    />
  )
  return (
    <div className="form">
      {known.map(([name, rule]) => row(name, rule))}
      <div className={isFree ? '' : 'extra'}>
        {isFree || extra.length === 0 ? null : (
          <h3>
            <span className="grow">Not in the schema</span>
            {schemaPath === undefined ? null : (
              <Link className="link" href={schemaPath}>
                Add to the schema
              </Link>
            )}
          </h3>
        )}
        {extra
          .slice(0, maxFields)
          .map((name) => row(name, isFree ? guessRule(readField(base ?? data, name)) : { type: 'any' }))}
        {extra.length > maxFields ? (
          <p className="padded dim">{extra.length - maxFields} more fields are in the JSON tab.</p>
        ) : null}
        <AddField
          onAdd={(name) => {
            if (!Object.hasOwn(data, name) && !Object.hasOwn(schema, name)) onChange(withField(data, name, ''))
          }}
        />
      </div>
    </div>
  )
}

interface RowProps {
  readonly name: string
  readonly rule: FieldRule
  readonly form: FormProps
  readonly isMixed: boolean
  /** Whether the focus was in the field and left it. */
  readonly isLeft: boolean
  readonly onLeave: () => void
  readonly onChange: (value: Json | undefined) => void
}

function FieldRow({ name, rule, form, isMixed, isLeft, onLeave, onChange }: RowProps) {
  const { schema, data, base } = form
  const value = readField(data, name)
  const before = readField(base ?? {}, name)
  const isChanged = !equalJson(value, before)
  const issues = findShown(form, name, isLeft || (base !== undefined && !isChanged))
  const isOutside = !Object.hasOwn(schema, name)
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) onLeave()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notices that the focus left its control.
    <div className={`f ${base && isChanged ? 'changed' : ''}`} onBlur={leave}>
      <label htmlFor={fieldId(name)} title={rule.description ?? name}>
        <span className="cut">
          {name === '' ? '(empty name)' : name}
          {rule.required ? '*' : ''}
        </span>
        <em>{describeType(isOutside ? guessRule(value) : rule)}</em>
      </label>
      <div className="f-value">
        <Control
          id={fieldId(name)}
          label={name}
          rule={rule}
          isRequired={rule.required === true}
          isWrong={issues.length > 0}
          value={value}
          onChange={onChange}
          issues={below(issues, name)}
          placeholder={isMixed && value === undefined ? 'mixed' : describeDefault(rule)}
        />
        {base && isChanged ? <Before value={before} isMixed={isMixed} onUndo={() => onChange(before)} /> : null}
        {isOutside && value !== undefined ? (
          <button
            type="button"
            className="icon-button small"
            onClick={() => onChange(undefined)}
            aria-label={`Remove ${name}`}
          >
            ×
          </button>
        ) : null}
      </div>
      {issues.map(({ path, message }) => (
        <small key={`${path.join('.')} ${message}`} className="f-message">
          {hasParts(rule) && path.length > 1 ? `${path.slice(1).map(countFromOne).join(' ')}: ` : ''}
          {message}
        </small>
      ))}
    </div>
  )
}

function Before({ value, isMixed, onUndo }: { value: Json | undefined; isMixed: boolean; onUndo: () => void }) {
  const words = isMixed ? 'mixed' : value === undefined ? 'missing' : formatChoice(value)
  return (
    <span className="was">
      <span className="cut">was {words.length > 16 ? `${words.slice(0, 15)}…` : words}</span>
      <button type="button" className="link" onClick={onUndo}>
        Undo
      </button>
    </span>
  )
}

/** Shows a refusal until the next change, and a broken rule once the focus left the field. */
function findShown({ issues, refused }: FormProps, name: string, isTold: boolean): readonly Issue[] {
  const keep = (all: readonly Issue[]) => all.filter(({ path }) => path[0] === name)
  const known = isTold ? keep(issues) : []
  return known.length > 0 ? known : keep(refused)
}

function describeDefault({ default: initial }: FieldRule): string | undefined {
  return initial === undefined ? undefined : formatChoice(initial)
}

function countFromOne(part: string | number): string | number {
  return typeof part === 'number' ? part + 1 : part
}

function AddField({ onAdd }: { onAdd: (name: string) => void }) {
  return (
    <form
      className="f add-field"
      onSubmit={(event) => {
        event.preventDefault()
        const name = String(new FormData(event.currentTarget).get('name')).trim()
        event.currentTarget.reset()
        if (name === '') return
        onAdd(name)
        requestAnimationFrame(() => focusField(name))
      }}
    >
      <input className="input mono" name="name" placeholder="new field" aria-label="Name of a new field" />
      <Button type="submit">Add</Button>
    </form>
  )
}
