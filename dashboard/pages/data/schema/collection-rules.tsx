/** The rules of a collection beyond single fields: what is unique together, and the field that names a document. */
import type { Collection, Issue } from '../../../../client/index.js'
import type { Schema } from '../../../../client/protocol/model/collection.js'
import { AddChip, Chip } from '../../../parts/chips.js'
import { findTitleField } from '../form/titles.js'
import { whyNotUnique } from './edits.js'

export interface Rules {
  readonly schema: Schema
  readonly unique?: readonly (readonly string[])[]
  /** null removes a stored one. */
  readonly title?: string | null
}

export function readRules({ schema, unique, title }: Collection): Rules {
  return { schema, ...(unique ? { unique } : {}), ...(title === undefined ? {} : { title }) }
}

/** Replaces the fields. Groups and the title drop fields that are gone, and follow a renamed field. */
export function withFields(value: Rules, schema: Schema, before?: string, renamed?: string): Rules {
  const follow = (name: string) => (renamed !== undefined && name === before ? renamed : name)
  const groups = (value.unique ?? []).map((group) => group.map(follow).filter((name) => Object.hasOwn(schema, name)))
  const title = typeof value.title === 'string' ? follow(value.title) : value.title
  const { title: _, unique, ...rest } = value
  return {
    ...{ ...rest, schema },
    ...(unique ? { unique: groups.filter((group) => group.length > 0) } : {}),
    ...(title === undefined || (title !== null && !Object.hasOwn(schema, title)) ? {} : { title }),
  }
}

export function checkGroups({ unique = [] }: Rules): Issue[] {
  const isShort = unique.some((group) => group.length < 2)
  return isShort ? [{ path: ['unique'], message: 'A group needs two fields.', type: 'too_small' }] : []
}

interface RulesProps {
  readonly value: Rules
  readonly base: Rules
  readonly onChange: (value: Rules) => void
}

export function CollectionRules({ value, base, onChange }: RulesProps) {
  const { schema, unique = [], title } = value
  const texts = Object.keys(schema).filter((name) => schema[name]?.type === 'string')
  const usual = findTitleField({ schema })
  const choosable = Object.entries(schema).flatMap(([name, rule]) => (whyNotUnique(rule) === undefined ? [name] : []))
  const change = (at: number, group: readonly string[]) => {
    const next = [...unique]
    next.splice(at, 1, ...(group.length === 0 ? [] : [group]))
    onChange({ ...value, unique: next })
  }
  return (
    <>
      <h4>
        Unique together <small>no two documents share all values of a group</small>
      </h4>
      <div className="settings-line">
        {unique.map((group, at) => (
          <span key={at} className="in chips group">
            {group.map((field) => (
              <Chip
                key={field}
                label={`Remove ${field} from group ${at + 1}`}
                onRemove={() => {
                  const others = group.filter((each) => each !== field)
                  change(at, others)
                }}
              >
                {field}
              </Chip>
            ))}
            <AddChip
              label={`Add to group ${at + 1}`}
              names={choosable.filter((name) => !group.includes(name))}
              onAdd={(name) => change(at, [...group, name])}
            />
            {group.length < 2 ? <small className="warn">needs two fields</small> : null}
          </span>
        ))}
        <AddChip label="Add a group" names={choosable} onAdd={(name) => change(unique.length, [name])} />
      </div>
      <h4>
        Title <small>the field shown for a document</small>
      </h4>
      <div className="settings-line">
        <select
          aria-label="Title"
          value={title ?? ''}
          onChange={({ target }) => {
            const { title: _, ...rest } = value
            const unset = base.title === undefined ? rest : { ...rest, title: null }
            onChange(target.value === '' ? unset : { ...rest, title: target.value })
          }}
        >
          <option value="">{usual === undefined ? 'the id' : `${usual}, the first required text`}</option>
          {texts.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
    </>
  )
}
