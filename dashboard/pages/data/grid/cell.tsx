/** A cell of the list of documents. It is edited in place. */
import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Client, Document, Fields, Json } from '../../../../client/index.js'
import type { FieldRule, Schema } from '../../../../client/protocol/model/collection.js'
import { equalJson, readField } from '../../../../client/protocol/model/json.js'
import { checkFields } from '../../../../client/protocol/model/schema.js'
import { type Linked, linkedIn, Value } from '../../../parts/columns.js'
import { describeError } from '../../../parts/states.js'
import { useSession } from '../../../session/context.js'
import { checkForm } from '../form/checks.js'
import { Control, fitsCell } from '../form/choose-control.js'
import { Initials } from '../form/link-control.js'
import { withField } from '../form/object-control.js'
import { formatChoice, guessRule } from '../form/rules.js'
import type { GridColumn } from './layout.js'
import { toRaw, toRawFields } from './raw-values.js'

/** Returns the rule by which a cell is edited, or undefined if it is edited in the pane. */
export function findCellRule(column: GridColumn, document: Document): FieldRule | undefined {
  const { name, type, rule } = column
  if (type === undefined) return undefined
  const value = readField(document.data, name)
  const own = rule ?? (type === 'link' ? undefined : guessRule(toRaw(value ?? '')))
  return own && fitsCell(own) ? own : undefined
}

interface CellProps {
  readonly document: Document
  readonly column: GridColumn
  readonly schema: Schema
  readonly formatLinked: (linked: Linked) => string
  readonly onLink: (linked: Linked) => void
}

export function Cell({ document, column, schema, formatLinked, onLink }: CellProps) {
  const { name, rule } = column
  const value = readField(document.data, name)
  if (isWrong(document, schema, name)) {
    return (
      <span className="wrong" title="This value breaks the schema.">
        <Value value={value} />
      </span>
    )
  }
  if (rule?.enum && value !== undefined && value !== null) return <span className="tag">{formatChoice(value)}</span>
  if (Array.isArray(value) && rule?.items?.enum) return <Tags values={value} />
  const several = Array.isArray(value) ? value : [value]
  const linked = several.flatMap((each) => linkedIn(each) ?? [])
  const [first] = linked
  // A list with ids that lead nowhere is shown as it is stored.
  if (!first || linked.length < several.length) return <Value value={value === undefined ? value : toRaw(value)} />
  return (
    <span className="linked-cell">
      {first.email === undefined ? null : <Initials name={formatLinked(first)} />}
      <Value value={several[0]} {...{ formatLinked, onLink }} />
      <Others names={linked.map(formatLinked)} />
    </span>
  )
}

function Tags({ values }: { values: readonly Json[] }) {
  const [first] = values
  if (first === undefined) return <span className="dim">[]</span>
  return (
    <>
      <span className="tag">{formatChoice(first)}</span> <Others names={values.map(formatChoice)} />
    </>
  )
}

/** Counts the values after the first. */
function Others({ names }: { names: readonly string[] }) {
  if (names.length < 2) return null
  return (
    <span className="mono dim" title={names.join(', ')}>
      +{names.length - 1}
    </span>
  )
}

const wrongFields = new WeakMap<Document, { readonly schema: Schema; readonly names: ReadonlySet<string> }>()

/** Checks a document once, not once for each of its cells. */
function isWrong(document: Document, schema: Schema, name: string): boolean {
  const known = wrongFields.get(document)
  if (known?.schema === schema) return known.names.has(name)
  const names = new Set(checkFields(schema, toRawFields(document.data)).map(({ path }) => String(path[0])))
  wrongFields.set(document, { schema, names })
  return names.has(name)
}

interface EditorProps {
  readonly collection: string
  readonly document: Document
  readonly column: GridColumn
  readonly rule: FieldRule
  readonly schema: Schema
  /** Ends the editing, and continues in another cell of the row if the step is not 0. */
  readonly onDone: (step: number) => void
}

export function CellEditor({ collection, document, column, rule, schema, onDone }: EditorProps) {
  const { client } = useSession()
  const { name, title } = column
  const place = useRef<HTMLDivElement>(null)
  const before = toRawFields(document.data)
  const [value, setValue] = useState(before[name])
  const [error, setError] = useState('')
  const isBusy = useRef(false)
  useEffect(() => {
    const field = place.current?.querySelector<HTMLElement>('input, textarea, select, button')
    field?.focus()
    if (field instanceof HTMLInputElement) field.select()
  }, [])

  async function save(next: Json | undefined, step: number) {
    if (isBusy.current) return
    if (equalJson(next, before[name])) return onDone(step)
    const after = withField(before, name, next)
    const [issue] = checkForm(schema, after, before).issues.filter(({ path }) => path[0] === name)
    if (issue) return setError(issue.message)
    isBusy.current = true
    try {
      await writeField(client, { collection, document, after, name })
      onDone(step)
    } catch (failure) {
      setError(describeError(failure))
    } finally {
      isBusy.current = false
    }
  }

  const onKey = (event: KeyboardEvent) => {
    const isList = (event.target as Element).closest('.menu')
    if (isList) return
    if (event.key === 'Escape') onDone(0)
    else if (event.key === 'Enter' && !(event.target as Element).closest('button')) void save(value, 0)
    else if (event.key === 'Tab') void save(value, event.shiftKey ? -1 : 1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const onLeave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    const isInside = relatedTarget && (currentTarget.contains(relatedTarget) || relatedTarget.closest('.menu'))
    // Without a target, the window lost the focus, or a list of choices opens.
    if (relatedTarget && !isInside) void save(value, 0)
  }
  const isChosen = rule.enum !== undefined || rule.type === 'boolean' || rule.type === 'link'
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of its control.
    <div
      ref={place}
      className="cell-edit"
      onKeyDown={onKey}
      onBlur={onLeave}
      onClick={(event) => event.stopPropagation()}
    >
      <Control
        id={`cell ${name}`}
        label={title}
        rule={rule}
        isRequired={rule.required === true}
        isWrong={error !== ''}
        isNarrow
        value={value}
        onChange={(next) => {
          setValue(next)
          setError('')
          if (isChosen) void save(next, 0)
        }}
        issues={[]}
      />
      <p className={error === '' ? 'tip' : 'tip bad'}>
        {error === '' ? (
          <>
            Save <kbd>Enter</kbd> Cancel <kbd>Esc</kbd>
          </>
        ) : (
          error
        )}
      </p>
    </div>
  )
}

interface Written {
  readonly collection: string
  readonly document: Document
  readonly after: Fields
  readonly name: string
}

/** Only a whole document can be without a field. */
async function writeField(
  client: Client,
  { collection, document: { id, version }, after, name }: Written,
): Promise<void> {
  const options = version === undefined ? {} : { ifMatch: version }
  const documents = client.collection(collection)
  const value = after[name]
  if (value === undefined) await documents.replace(id, after, options)
  else await documents.update(id, { [name]: value }, options)
}
