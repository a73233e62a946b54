/** The options of a field, or of the items of a list, in the unfolded row of the schema editor. */
import { type ReactNode, useState } from 'react'
import {
  type FieldRule,
  type FieldType,
  fieldFormats,
  fieldTypes,
  onDeleteActions,
  type Schema,
  usersWord,
  type ValueRule,
} from '../../../../client/protocol/model/collection.js'
import type { Json } from '../../../../client/protocol/model/json.js'
import { useCollections } from '../../../frame/counts.js'
import { RemoveButton } from '../../../parts/button.js'
import { Chip } from '../../../parts/chips.js'
import { Segments } from '../../../parts/segments.js'
import { Toggle } from '../../../parts/toggle.js'
import { formatChoice } from '../form/rules.js'
import { hasOption, newName, whyNotOnDelete, withName, withOption, withRule, withType } from './edits.js'

interface OptionsProps<Rule extends ValueRule> {
  /** Names the field in labels, such as `labels items`. */
  readonly label: string
  readonly rule: Rule
  readonly onChange: (rule: Rule) => void
}

export function FieldOptions<Rule extends ValueRule>(props: OptionsProps<Rule>) {
  const { label, rule, onChange } = props
  const has = (option: keyof FieldRule) => hasOption(rule.type, option)
  const set = (option: keyof FieldRule, value: unknown) => onChange(withOption(rule, option, value))
  const unit = rule.type === 'array' ? 'items' : 'length'
  return (
    <>
      {has('to') ? <LinkOptions {...props} /> : null}
      {has('enum') ? (
        <Option label="Choices">
          <Choices label={`${label} choices`} rule={rule} onChange={(values) => set('enum', values)} />
        </Option>
      ) : null}
      {has('min') ? (
        <>
          <NumberOption label="min" field={label} value={rule.min} onChange={(value) => set('min', value)} />
          <NumberOption label="max" field={label} value={rule.max} onChange={(value) => set('max', value)} />
        </>
      ) : null}
      {has('minLength') ? (
        <>
          <NumberOption
            label={`least ${unit}`}
            field={label}
            value={rule.minLength}
            onChange={(n) => set('minLength', n)}
          />
          <NumberOption
            label={`most ${unit}`}
            field={label}
            value={rule.maxLength}
            onChange={(n) => set('maxLength', n)}
          />
        </>
      ) : null}
      {has('format') ? (
        <Option label="format">
          <select
            aria-label={`${label} format`}
            value={rule.format ?? ''}
            onChange={({ target }) => set('format', target.value)}
          >
            <option value="">any text</option>
            {fieldFormats.map((format) => (
              <option key={format}>{format}</option>
            ))}
          </select>
        </Option>
      ) : null}
      {has('pattern') ? (
        <Option label="pattern">
          <input
            className="input mono"
            aria-label={`${label} pattern`}
            placeholder="^[a-z0-9-]+$"
            maxLength={200}
            spellCheck={false}
            value={rule.pattern ?? ''}
            onChange={({ target }) => set('pattern', target.value)}
          />
        </Option>
      ) : null}
      {has('items') ? <ItemOptions {...props} /> : null}
      {has('fields') ? <ObjectFields {...props} /> : null}
    </>
  )
}

export function Option({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className="option">
      <span className="option-name">{label}</span>
      {children}
    </span>
  )
}

interface NumberOptionProps {
  readonly label: string
  readonly field: string
  readonly value: number | undefined
  readonly onChange: (value: number | undefined) => void
}

function NumberOption({ label, field, value, onChange }: NumberOptionProps) {
  return (
    <Option label={label}>
      <input
        className="input mono number"
        type="number"
        step="any"
        aria-label={`${field} ${label}`}
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
      />
    </Option>
  )
}

const onDeleteWords = {
  keep: 'The link stays, and leads nowhere.',
  unset: 'The link is taken out.',
  delete: 'These documents are deleted in the same step, 10,000 at most.',
  refuse: 'The deletion is refused while documents link there.',
} as const

function LinkOptions<Rule extends ValueRule>({ label, rule, onChange }: OptionsProps<Rule>) {
  const { data: collections } = useCollections()
  const names = [usersWord, ...(collections ?? []).map(({ name }) => name).filter((name) => name !== usersWord)]
  const action = rule.onDelete ?? 'keep'
  const reasons = onDeleteActions.flatMap((each) => whyNotOnDelete(rule, each) ?? [])
  return (
    <>
      <Option label="Links to">
        <select
          aria-label={`${label} links to`}
          value={rule.to ?? ''}
          onChange={({ target }) => onChange(withOption(rule, 'to', target.value))}
        >
          {rule.to === undefined ? <option value="">choose…</option> : null}
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Option>
      <Option label="Many">
        <Toggle
          label={`${label} many`}
          isOn={rule.many === true}
          onChange={(many) => onChange(withOption(rule, 'many', many))}
        />
      </Option>
      <Option label="When it is deleted">
        <Segments
          label={`${label} when it is deleted`}
          value={action}
          options={onDeleteActions.map((each) => ({ value: each, label: each, reason: whyNotOnDelete(rule, each) }))}
          onChange={(next) => onChange(withOption(rule, 'onDelete', next === 'keep' ? undefined : next))}
        />
      </Option>
      <p className="option-note">
        {onDeleteWords[action]} {reasons.join(' ')}
      </p>
    </>
  )
}

interface ChoicesProps {
  readonly label: string
  readonly rule: ValueRule
  readonly onChange: (values: readonly Json[] | undefined) => void
}

/** Allowed values as chips. Enter or a comma adds what is typed. */
function Choices({ label, rule, onChange }: ChoicesProps) {
  const [typed, setTyped] = useState('')
  const values = rule.enum ?? []
  const add = () => {
    const words = typed.split(',').flatMap((word) => word.trim() || [])
    const next = words.map((word): Json => (rule.type === 'string' ? word : Number(word)))
    const fresh = next.filter((value, at) => !values.includes(value) && next.indexOf(value) === at)
    setTyped('')
    if (fresh.length > 0) onChange([...values, ...fresh])
  }
  return (
    <span className="in chips">
      {values.map((value) => (
        <Chip
          key={formatChoice(value)}
          label={`Remove ${formatChoice(value)}`}
          onRemove={() => {
            const left = values.filter((each) => each !== value)
            onChange(left.length === 0 ? undefined : left)
          }}
        >
          {formatChoice(value)}
        </Chip>
      ))}
      <input
        aria-label={label}
        placeholder={values.length === 0 ? 'any value; Enter adds' : 'add'}
        value={typed}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ',') return
          event.preventDefault()
          add()
        }}
        onChange={({ target }) => setTyped(target.value)}
      />
    </span>
  )
}

interface TypeProps {
  readonly label: string
  readonly type: FieldType
  readonly onChange: (type: FieldType) => void
}

export function TypeSelect({ label, type, onChange }: TypeProps) {
  return (
    <select aria-label={label} value={type} onChange={({ target }) => onChange(target.value as FieldType)}>
      {fieldTypes.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  )
}

function ItemOptions<Rule extends ValueRule>({ label, rule, onChange }: OptionsProps<Rule>) {
  const { items } = rule
  return (
    <span className="nested">
      <Option label="Items">
        <select
          aria-label={`${label} items`}
          value={items?.type ?? ''}
          onChange={({ target: { value } }) =>
            onChange(
              withOption(
                rule,
                'items',
                value === '' ? undefined : withType(items ?? { type: 'any' }, value as FieldType),
              ),
            )
          }
        >
          <option value="">any value</option>
          {fieldTypes.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </Option>
      {items ? (
        <FieldOptions
          label={`${label} items`}
          rule={items}
          onChange={(next) => onChange(withOption(rule, 'items', next))}
        />
      ) : null}
    </span>
  )
}

/** The fields of an object, each with its own options. */
function ObjectFields<Rule extends ValueRule>({ label, rule, onChange }: OptionsProps<Rule>) {
  const fields = rule.fields ?? {}
  const change = (next: Schema) => onChange(withOption(rule, 'fields', next))
  return (
    <span className="nested">
      {Object.entries(fields).map(([name, each], at) => (
        <span key={at} className="nested-field">
          <NameInput label={`${label} field ${at + 1}`} name={name} schema={fields} onChange={change} />
          <TypeSelect
            label={`${label} ${name} type`}
            type={each.type}
            onChange={(type) => change(withRule(fields, name, withType(each, type)))}
          />
          <label className="check">
            <input
              type="checkbox"
              checked={each.required === true}
              onChange={({ target }) => change(withRule(fields, name, withOption(each, 'required', target.checked)))}
            />
            required
          </label>
          <RemoveButton label={`Remove ${label} ${name}`} onClick={() => change(withRule(fields, name, undefined))} />
          <FieldOptions
            label={`${label} ${name}`}
            rule={each}
            onChange={(next) => change(withRule(fields, name, next))}
          />
        </span>
      ))}
      <button
        type="button"
        className="link"
        aria-label={`Add field to ${label}`}
        onClick={() => change(withRule(fields, newName(fields), { type: 'string' }))}
      >
        + Add field
      </button>
    </span>
  )
}

interface NameProps {
  readonly label: string
  readonly name: string
  readonly schema: Schema
  readonly onChange: (schema: Schema, name: string) => void
  readonly isNew?: boolean
}

/** Renames a field once the focus leaves it, unless the name is taken. */
export function NameInput({ label, name, schema, onChange, isNew = false }: NameProps) {
  const [typed, setTyped] = useState<string>()
  const isTaken = typed !== undefined && typed !== name && Object.hasOwn(schema, typed.trim())
  const commit = () => {
    const next = typed?.trim() ?? ''
    setTyped(undefined)
    if (next !== '' && next !== name && !isTaken) onChange(withName(schema, name, next), next)
  }
  return (
    <input
      className="input"
      aria-label={label}
      aria-invalid={isTaken}
      title={isTaken ? 'Another field has this name.' : undefined}
      // biome-ignore lint/a11y/noAutofocus: the field was just added by a key or button.
      autoFocus={isNew}
      autoComplete="off"
      spellCheck={false}
      value={typed ?? name}
      onFocus={({ target }) => isNew && target.select()}
      onBlur={commit}
      onKeyDown={({ key }) => key === 'Enter' && commit()}
      onChange={({ target }) => setTyped(target.value)}
    />
  )
}
