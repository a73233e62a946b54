/** Shows filters as pills, as an editable query string, and as code. */
import { useState } from 'react'
import type { Sort } from '../../../client/protocol/model/page.js'
import { formatPath, parsePath } from '../../../client/protocol/model/path.js'
import {
  type Clause,
  type Operator,
  operators,
  type PlainTest,
  type Test,
  withoutNot,
} from '../../../client/protocol/model/where.js'
import { formatClientCode } from '../../../client/snippets/client-code.js'
import { formatCurl } from '../../../client/snippets/curl.js'
import { useCopy } from '../../frame/undo.js'
import { Button } from '../../parts/button.js'
import type { DataColumn } from '../../parts/columns.js'
import { Menu } from '../../parts/menu.js'
import { describeError } from '../../parts/states.js'
import { useSession } from '../../session/context.js'
import { ColumnsMenu } from './grid/columns-menu.js'
import type { GridLayout } from './grid/layout.js'
import { type QueryState, without } from './query-state.js'
import { SavedViews } from './saved-views.js'

interface FiltersProps {
  readonly name: string
  readonly query: QueryState
  readonly columns: readonly DataColumn[]
  readonly layout: GridLayout
}

export function Filters({ name, query, columns, layout }: FiltersProps) {
  const [isAdding, setAdding] = useState(false)
  const [isText, setText] = useState(false)
  return (
    <div className="strip">
      {isText ? (
        <QueryText query={query} onClose={() => setText(false)} />
      ) : (
        <>
          {query.where.all.map((clause) => (
            <Pill
              key={JSON.stringify(clause)}
              clause={clause}
              onRemove={() => query.change({ where: without(query.where, clause) })}
            />
          ))}
          {isAdding ? (
            <AddFilter
              columns={columns}
              onClose={() => setAdding(false)}
              onAdd={(clause) => {
                setAdding(false)
                query.change({ where: { all: [...query.where.all, clause] } })
              }}
            />
          ) : (
            <button type="button" className="link" data-key="filter" onClick={() => setAdding(true)}>
              + Filter
            </button>
          )}
        </>
      )}
      <span className="grow" />
      {query.error ? <span className="bad">{describeError(query.error)}</span> : null}
      {query.sort.length > 0 ? <span className="mono dim">sort {query.sort.map(formatSort).join(', ')}</span> : null}
      {query.populate.length > 0 ? <span className="mono dim">populate {query.populate.join(', ')}</span> : null}
      <ColumnsMenu layout={layout} />
      <SavedViews collection={name} query={query} />
      <CopyMenu name={name} query={query} onText={() => setText(!isText)} />
    </div>
  )
}

function formatSort({ path, direction }: Sort): string {
  return (direction === 'desc' ? '−' : '') + formatPath(path)
}

const operatorLabels: { readonly [Name in Operator]: string } = {
  eq: 'is',
  ne: 'is not',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  contains: 'contains',
  icontains: 'contains (any case)',
  startswith: 'starts with',
  endswith: 'ends with',
  in: 'is one of',
  notin: 'is none of',
  isnull: 'is missing or null',
  exists: 'exists',
}

/** Leaves out `contains`, which ignores case in the dialect of this page, like `icontains`. */
const offered = operators.filter((each) => each !== 'contains')

function Pill({ clause, onRemove }: { clause: Clause; onRemove: () => void }) {
  return (
    <span className="pill">
      {clause.any.map((test, at) => (
        <span key={JSON.stringify(test)} className="pill-test">
          {at > 0 ? <span className="op">or</span> : null}
          {test.operator === 'not' ? <span className="op">not</span> : null}
          <span>{formatPath(test.path)}</span>
          <span className="op">{operatorLabels[withoutNot(test).operator]}</span>
          <span className="value cut">{formatTestValue(withoutNot(test))}</span>
        </span>
      ))}
      <button type="button" onClick={onRemove} aria-label="Remove this filter">
        ×
      </button>
    </span>
  )
}

function formatTestValue(test: PlainTest): string {
  if ('values' in test) return test.values.join(', ')
  if ('value' in test) return test.value
  return ('isNull' in test ? test.isNull : test.exists) ? 'yes' : 'no'
}

interface AddFilterProps {
  readonly columns: readonly DataColumn[]
  readonly onAdd: (clause: Clause) => void
  readonly onClose: () => void
}

function AddFilter({ columns, onAdd, onClose }: AddFilterProps) {
  const [operator, setOperator] = useState<Operator>('eq')
  return (
    <form
      className="add-filter"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const field = String(form.get('field')).trim()
        if (field !== '') onAdd({ any: [createTest(field, operator, String(form.get('value') ?? ''))] })
      }}
    >
      <input
        className="input mono"
        name="field"
        list="fields"
        placeholder="field"
        aria-label="Field"
        // biome-ignore lint/a11y/noAutofocus: the user just opened it with a button.
        autoFocus
        autoComplete="off"
        spellCheck={false}
      />
      <datalist id="fields">
        {['id', 'createdAt', 'updatedAt', ...columns.map(({ name }) => name)].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <select aria-label="Operator" value={operator} onChange={(event) => setOperator(event.target.value as Operator)}>
        {offered.map((each) => (
          <option key={each} value={each}>
            {operatorLabels[each]}
          </option>
        ))}
      </select>
      {operator === 'isnull' || operator === 'exists' ? (
        <select name="value" aria-label="Value">
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      ) : (
        <input className="input mono" name="value" placeholder="value" aria-label="Value" autoComplete="off" />
      )}
      <Button type="submit">Add</Button>
    </form>
  )
}

function createTest(field: string, operator: Operator, value: string): Test {
  const path = parsePath(field)
  if (operator === 'isnull') return { path, operator, isNull: value === 'true' }
  if (operator === 'exists') return { path, operator, exists: value === 'true' }
  if (operator === 'in' || operator === 'notin') {
    return { path, operator, values: value.split(',').map((each) => each.trim()) }
  }
  return { path, operator, value }
}

/** Edits the filters as the query string of the API. */
function QueryText({ query, onClose }: { query: QueryState; onClose: () => void }) {
  const [error, setError] = useState<unknown>()
  return (
    <form
      className="add-filter grow"
      onSubmit={(event) => {
        event.preventDefault()
        try {
          query.changeText(String(new FormData(event.currentTarget).get('text')).replace(/^\?/, ''))
          onClose()
        } catch (failure) {
          setError(failure)
        }
      }}
    >
      <input
        className="input mono grow"
        name="text"
        aria-label="Query string"
        defaultValue={query.text}
        placeholder="status=published&views__gte=100"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the user just opened it from the menu.
        autoFocus
      />
      <Button type="submit">Apply</Button>
      {error === undefined ? null : <span className="bad">{describeError(error)}</span>}
    </form>
  )
}

function CopyMenu({ name, query, onText }: { name: string; query: QueryState; onText: () => void }) {
  const { url, acting } = useSession()
  const copy = useCopy()
  const path = `/collections/${encodeURIComponent(name)}${query.text === '' ? '' : `?${query.text}`}`
  const headers: Record<string, string> = acting ? { authorization: 'Bearer [masked]' } : { 'x-api-key': '[masked]' }
  const body = { type: null, bytes: null, text: null, isCut: false, isMasked: false, leftOut: null }
  const request = { method: 'GET', path, route: 'documents.list', dialect: 'a', request: { headers, body } }
  return (
    <Menu
      trigger="Copy as"
      entries={[
        { label: 'Copy as client code', run: () => copy('client code', formatClientCode(request, url)) },
        { label: 'Copy as curl', run: () => copy('a curl command', formatCurl(request, url)) },
        { label: 'Copy the query string', run: () => copy('the query string', query.text) },
        { label: 'Edit the query string', run: onText },
      ]}
    />
  )
}
