/** One row per field of a schema. The selected row unfolds in place. */
import { Fragment } from 'react'
import type { FieldRule, Schema } from '../../../../client/protocol/model/collection.js'
import { RemoveButton } from '../../../parts/button.js'
import { Grip } from '../../../parts/grip.js'
import { Control } from '../form/choose-control.js'
import { formatChoice } from '../form/rules.js'
import { type Change, describeOptions } from './changes.js'
import { whyNotUnique, withMoved, withOption, withRule, withType } from './edits.js'
import { FieldOptions, NameInput, Option, TypeSelect } from './field-options.js'

interface TableProps {
  readonly schema: Schema
  readonly changes: readonly Change[]
  /** The first problem of each field. */
  readonly problems: ReadonlyMap<string, string>
  readonly selected: string | undefined
  /** The field that was just added. */
  readonly added: string | undefined
  readonly onSelect: (name: string | undefined) => void
  readonly onChange: (schema: Schema, selected?: string) => void
}

export function FieldTable(props: TableProps) {
  return (
    <table className="schema-table">
      <thead>
        <tr>
          <th aria-label="order" />
          <th>field</th>
          <th>type</th>
          <th className="mid">required</th>
          <th className="mid">unique</th>
          <th className="wide-only">default</th>
          <th className="wide-only">options</th>
          <th className="wide-only">description</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(props.schema).map(([name, rule], at) => (
          <Fragment key={at}>
            <FieldRow {...props} name={name} rule={rule} />
            {name === props.selected ? <Unfolded {...props} name={name} rule={rule} /> : null}
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}

type RowProps = TableProps & { readonly name: string; readonly rule: FieldRule }

/** The options with a cell of their own. */
const ownCells: readonly string[] = [
  'type',
  'required',
  'unique',
  'default',
  'description',
] satisfies (keyof FieldRule)[]

function FieldRow({ schema, changes, problems, name, rule, selected, onSelect, onChange }: RowProps) {
  const isOpen = name === selected
  const set = (option: keyof FieldRule, value: unknown) =>
    onChange(withRule(schema, name, withOption(rule, option, value)))
  const mark = (cell: keyof FieldRule | 'options') => {
    const isMarked = changes.some(
      ({ field, option }) => field === name && cell === (ownCells.includes(option) ? option : 'options'),
    )
    return isMarked ? 'changed' : ''
  }
  const move = (by: number, grip: HTMLElement) => {
    onChange(withMoved(schema, name, by))
    // Rows keep their place and take other fields, so the focus follows the field.
    const grips = [...document.querySelectorAll<HTMLElement>('.schema-table .grip')]
    grips[grips.indexOf(grip) + by]?.focus()
  }
  const reason = whyNotUnique(rule)
  return (
    <tr id={`schema ${name}`} className={isOpen ? 'sel' : ''}>
      <td>
        <Grip label={name} kind="text/svc-field" item={name} onMove={move} />
      </td>
      <td
        onDragOver={(event) => event.dataTransfer.types.includes('text/svc-field') && event.preventDefault()}
        onDrop={(event) => {
          const names = Object.keys(schema)
          const moved = event.dataTransfer.getData('text/svc-field')
          onChange(withMoved(schema, moved, names.indexOf(name) - names.indexOf(moved)))
        }}
      >
        <button
          type="button"
          className="row-name"
          aria-expanded={isOpen}
          onClick={() => onSelect(isOpen ? undefined : name)}
        >
          {name}
        </button>
        {problems.has(name) ? <small className="bad problem">{problems.get(name)}</small> : null}
      </td>
      <td className={`mono plum ${mark('type')}`}>{rule.type}</td>
      <td className={`mid ${mark('required')}`}>
        <input
          type="checkbox"
          aria-label={`${name} required`}
          checked={rule.required === true}
          onChange={({ target }) => set('required', target.checked)}
        />
      </td>
      <td className={`mid ${mark('unique')}`}>
        {reason === undefined ? (
          <input
            type="checkbox"
            aria-label={`${name} unique`}
            checked={rule.unique === true}
            onChange={({ target }) => set('unique', target.checked)}
          />
        ) : (
          <span className="dim" title={reason}>
            –
          </span>
        )}
      </td>
      <td className={`wide-only mono ${mark('default')}`}>
        {rule.default === undefined ? <Dash /> : formatChoice(rule.default)}
      </td>
      <td className={`wide-only ${mark('options')}`}>
        <OptionsCell rule={rule} />
      </td>
      <td className={`wide-only dim cut ${mark('description')}`}>{rule.description ?? <Dash />}</td>
    </tr>
  )
}

function Dash() {
  return <span className="dim">–</span>
}

const maxTags = 4

function OptionsCell({ rule }: { rule: FieldRule }) {
  const values = rule.enum ?? rule.items?.enum ?? []
  const words = describeOptions(rule)
  if (values.length === 0) return words === '' ? <Dash /> : <>{words}</>
  return (
    <>
      {values.slice(0, maxTags).map((value) => (
        <span key={formatChoice(value)} className="tag">
          {formatChoice(value)}
        </span>
      ))}
      {values.length > maxTags ? <span className="mono dim">+{values.length - maxTags}</span> : null} {words}
    </>
  )
}

/** Everything that can be set for one field. */
function Unfolded({ schema, name, rule, added, onChange, onSelect }: RowProps) {
  const change = (next: FieldRule) => onChange(withRule(schema, name, next))
  return (
    <tr className="unfolded">
      <td colSpan={8}>
        <div className="options">
          <Option label="Name">
            <NameInput label={`${name} name`} name={name} schema={schema} isNew={name === added} onChange={onChange} />
          </Option>
          <Option label="Type">
            <TypeSelect label={`${name} type`} type={rule.type} onChange={(type) => change(withType(rule, type))} />
          </Option>
          <FieldOptions label={name} rule={rule} onChange={change} />
          <Option label="Default">
            <Control
              id={`default ${name}`}
              label={`${name} default`}
              rule={rule}
              isRequired={false}
              isWrong={false}
              value={rule.default}
              onChange={(value) => change(withOption(rule, 'default', value))}
              issues={[]}
            />
            {rule.type === 'boolean' && rule.default !== undefined ? (
              <RemoveButton
                label={`Clear ${name} default`}
                onClick={() => change(withOption(rule, 'default', undefined))}
              />
            ) : null}
          </Option>
          <Option label="Description">
            <input
              className="input description"
              aria-label={`${name} description`}
              maxLength={1_000}
              value={rule.description ?? ''}
              onChange={({ target }) => change(withOption(rule, 'description', target.value))}
            />
          </Option>
          <button
            type="button"
            className="link bad"
            onClick={() => {
              onSelect(undefined)
              onChange(withRule(schema, name, undefined))
            }}
          >
            Remove {name}
          </button>
        </div>
      </td>
    </tr>
  )
}
