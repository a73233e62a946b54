/** Controls for lists: chips for values to choose from, rows for all others. */
import { useRef } from 'react'
import type { Issue, Json } from '../../../../client/index.js'
import type { ValueRule } from '../../../../client/protocol/model/collection.js'
import { RemoveButton } from '../../../parts/button.js'
import { AddChip, Chip } from '../../../parts/chips.js'
import { Grip } from '../../../parts/grip.js'
import { type ControlProps, useControl } from './control.js'
import { formatChoice } from './rules.js'

export function ListControl(props: ControlProps) {
  const { rule, value } = props
  const items = Array.isArray(value) ? value : []
  return rule.items?.enum ? <ChipsControl {...props} items={items} /> : <RowsControl {...props} items={items} />
}

type ListProps = ControlProps & { readonly items: readonly Json[] }

function ChipsControl({ id, label, rule, items, value, onChange, placeholder }: ListProps) {
  const choices = rule.items?.enum ?? []
  const chosen = items.map(formatChoice)
  const left = choices.filter((choice) => !chosen.includes(formatChoice(choice)))
  const change = (next: readonly Json[]) => onChange(withItems(value, next))
  return (
    <span className="in chips">
      {items.map((item, at) => (
        <Chip
          key={`${at} ${formatChoice(item)}`}
          label={`Remove ${formatChoice(item)}`}
          onRemove={() => change(items.filter((_, other) => other !== at))}
        >
          {formatChoice(item)}
        </Chip>
      ))}
      <AddChip
        id={id}
        label={`Add to ${label}`}
        names={left.map(formatChoice)}
        onAdd={(name) => {
          const choice = left.find((each) => formatChoice(each) === name)
          if (choice !== undefined) change([...items, choice])
        }}
      />
      <small>{value === undefined && placeholder !== undefined ? placeholder : `of ${choices.length}`}</small>
    </span>
  )
}

/** Returns the next value of a list. A missing one without items stays missing. */
export function withItems(value: Json | undefined, items: readonly Json[]): Json | undefined {
  return items.length === 0 && value === undefined ? undefined : [...items]
}

/** Longer lists are edited as JSON, because each item is a control. */
export const maxRows = 100

function RowsControl({ id, label, rule, items, value, onChange, issues, placeholder }: ListProps) {
  const Control = useControl()
  const list = useRef<HTMLDivElement>(null)
  const item: ValueRule = rule.items ?? { type: 'any' }
  const change = (next: readonly Json[]) => onChange(withItems(value, next))
  const focusRow = (at: number) =>
    requestAnimationFrame(() =>
      list.current?.children[at]?.querySelector<HTMLElement>('input:not([type="checkbox"]), textarea, input')?.focus(),
    )
  const move = (at: number, to: number) => {
    if (to < 0 || to >= items.length) return
    const next = [...items]
    next.splice(to, 0, ...next.splice(at, 1))
    change(next)
    requestAnimationFrame(() => list.current?.children[to]?.querySelector<HTMLElement>('.grip')?.focus())
  }
  const add = () => {
    change([...items, initialValue(item)])
    focusRow(items.length)
  }
  return (
    <div className="items">
      <div ref={list}>
        {items.map((each, at) => (
          <div key={at} className="item">
            <Grip
              label={`item ${at + 1} of ${label}`}
              kind="text/svc-item"
              item={`${id} ${at}`}
              onMove={(by) => move(at, at + by)}
            />
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the grip does the same by keyboard. */}
            <div
              className="grow"
              onDragOver={(event) => event.dataTransfer.types.includes('text/svc-item') && event.preventDefault()}
              onDrop={(event) => {
                const [from, index] = event.dataTransfer.getData('text/svc-item').split(' ')
                if (from === id) move(Number(index), at)
              }}
            >
              <Control
                id={`${id}.${at}`}
                label={`${label} ${at + 1}`}
                rule={item}
                isRequired={false}
                isWrong={issues.some(({ path }) => path[0] === at)}
                value={each}
                onChange={(next) => change(items.map((other, index) => (index === at ? (next ?? null) : other)))}
                issues={below(issues, at)}
              />
            </div>
            <RemoveButton
              label={`Remove item ${at + 1} of ${label}`}
              onClick={() => change(items.filter((_, index) => index !== at))}
            />
          </div>
        ))}
      </div>
      <button type="button" id={id} className="link" onClick={add} aria-label={`Add item to ${label}`}>
        + Add item
      </button>
      {value === undefined && placeholder !== undefined ? <span className="was">{placeholder}</span> : null}
    </div>
  )
}

/** Keeps the issues below one part of a value, with paths from there. */
export function below(issues: readonly Issue[], part: string | number): readonly Issue[] {
  return issues.filter(({ path }) => path[0] === part).map((issue) => ({ ...issue, path: issue.path.slice(1) }))
}

const initialValues: Partial<Record<ValueRule['type'], Json>> = {
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  any: null,
}

function initialValue({ type, fields }: ValueRule): Json {
  if (type !== 'object') return initialValues[type] ?? ''
  const needed = Object.entries(fields ?? {}).filter(([, rule]) => rule.required && rule.type === 'string')
  return Object.fromEntries(needed.map(([name]) => [name, '']))
}
