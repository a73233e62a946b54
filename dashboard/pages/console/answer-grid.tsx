/** Shows the rows of a result, and the selected one in full. */
import { useMemo, useState } from 'react'
import type { Control } from '../../../client/control.js'
import type { Json } from '../../../client/index.js'
import { type Column, Grid } from '../../parts/grid.js'
import { JsonText } from '../../parts/json.js'
import { Empty } from '../../parts/states.js'

export type Answer = Awaited<ReturnType<Control['sql']['run']>>

interface Row {
  readonly at: number
  readonly values: readonly Json[]
}

const maxShown = 200

/** Turns rows into objects. Appends the position to repeated column names. */
export function toRecords({ columns, rows }: Answer): { [name: string]: Json }[] {
  const names = numberNames(columns)
  return rows.map((values) => Object.fromEntries(names.map((name, at) => [name, values[at] ?? null])))
}

function numberNames(columns: readonly string[]): string[] {
  return columns.map((name, at) => (columns.indexOf(name) === at ? name : `${name} (${at + 1})`))
}

export function AnswerGrid({ answer }: { answer: Answer }) {
  const { rows } = answer
  const [open, setOpen] = useState<number>()
  const columns = useMemo(() => buildColumns(answer), [answer])
  const selected = open === undefined ? undefined : toRecords({ ...answer, rows: rows.slice(open, open + 1) })[0]
  if (rows.length === 0) return <Empty title="No rows" />
  return (
    <div className="answer">
      <Grid
        label="Rows"
        columns={columns}
        count={rows.length}
        rowAt={(at) => (rows[at] ? { at, values: rows[at] } : undefined)}
        getId={({ at }) => String(at)}
        selected={open === undefined ? undefined : String(open)}
        onOpen={({ at }) => setOpen(at === open ? undefined : at)}
      />
      {selected === undefined ? null : (
        <section className="answer-row" aria-label="Row">
          <JsonText text={JSON.stringify(selected, undefined, 2)} />
        </section>
      )}
    </div>
  )
}

function buildColumns({ columns, rows }: Answer): Column<Row>[] {
  return numberNames(columns).map((name, at) => {
    const seen = rows.slice(0, 50).map((row) => row[at] ?? null)
    const longest = Math.max(name.length, ...seen.map((value) => formatValue(value).length))
    const isNumber = seen.some((value) => typeof value === 'number') && seen.every(isNumberOrNull)
    return {
      name,
      isNumber,
      head: <bdi>{name}</bdi>,
      width: `minmax(${Math.min(Math.max(longest * 7 + 24, 64), 260)}px, 1fr)`,
      cell: ({ values }) => <Value value={values[at] ?? null} />,
    }
  })
}

const isNumberOrNull = (value: Json) => value === null || typeof value === 'number'

function Value({ value }: { value: Json }) {
  if (value === null) return <i className="dim">null</i>
  const words = formatValue(value)
  return typeof value === 'string' ? <bdi title={words}>{words}</bdi> : <bdi className="mono">{words}</bdi>
}

function formatValue(value: Json): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, maxShown)
}
