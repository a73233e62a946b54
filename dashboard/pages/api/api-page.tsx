/** API reference from the service's `/openapi.json`, with a form to try each operation. */
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { Link, useLocation, useParams, useSearch } from 'wouter'
import { SvcError } from '../../../client/index.js'
import { dialects } from '../../../client/protocol/wire/dialects.js'
import { asFailure } from '../../../client/send.js'
import { useCommand } from '../../frame/command-line.js'
import { useInfo } from '../../frame/counts.js'
import { Query } from '../../live/query.js'
import { Page } from '../../parts/layout.js'
import { methodLook } from '../../parts/request-looks.js'
import { Search } from '../../parts/search.js'
import { Empty } from '../../parts/states.js'
import { useSession } from '../../session/context.js'
import { formatGroup, groupOperations, type Operation, readDescription } from './description.js'
import { OperationPane } from './operation-pane.js'
import type { Caller } from './request.js'

export function ApiPage() {
  const { id } = useParams<{ id?: string }>()
  const search = useSearch()
  const [, go] = useLocation()
  const { data: info } = useInfo()
  const own = info?.dialect ?? 'a'
  const dialect = new URLSearchParams(search).get('dialect') ?? own
  const query = useDescription(dialect)
  const { data: description } = query
  const [caller, setCaller] = useState<Caller>()
  const [tab, setTab] = useState('reference')
  const [filter, setFilter] = useState('')
  const tail = search === '' ? '' : `?${search}`
  const close = useCallback(() => go(`/api-reference${tail}`), [go, tail])
  const operations = useMatching(description?.operations ?? [], useDeferredValue(filter))
  const operation = description?.operations.find((each) => each.id === id)
  useCommand('svc open api')
  return (
    <Page
      title="API"
      facts={description ? `${operations.length} operations · dialect ${dialect} · /openapi.json` : ''}
      actions={<Search label="Find an operation" value={filter} onChange={setFilter} />}
      pane={
        description && operation ? (
          <OperationPane
            key={operation.id}
            {...{ operation, description, dialect, tab, chosen: caller }}
            offeredDialects={[...new Set([own, ...Object.keys(dialects), dialect])]}
            onCaller={setCaller}
            onDialect={(next) =>
              go(`/api-reference/${id}${next === own ? '' : `?dialect=${encodeURIComponent(next)}`}`)
            }
            onTab={setTab}
            onClose={close}
          />
        ) : undefined
      }
    >
      <Query
        query={{
          ...query,
          // The dialect in the address may be invalid, so retry with the project's own.
          refetch: () => (dialect === own ? query.refetch() : go(`/api-reference/${id ?? ''}`)),
        }}
      >
        {() => (
          <>
            {id !== undefined && !operation ? (
              <p className="padded dim" role="status">
                Operation "{id}" does not exist in dialect {dialect}.
              </p>
            ) : null}
            {operations.length === 0 ? (
              <Empty title="No operation matches">
                <p>You can search paths, methods, names and summaries.</p>
              </Empty>
            ) : null}
            <Operations operations={operations} selected={id} tail={tail} />
          </>
        )}
      </Query>
    </Page>
  )
}

/** Reads the description in one dialect. Shows the previous one until it is loaded. */
function useDescription(dialect: string) {
  const { guard } = useSession()
  return useQuery({
    queryKey: ['openapi', dialect],
    queryFn: async () => {
      const headers = { 'svc-dialect': dialect }
      const answer = await guard.fetch('/openapi.json', { headers }).catch((cause) => {
        throw asFailure(cause, 'the emulator')
      })
      const { ok, status } = answer
      const body = await answer.json().catch(() => undefined)
      const message = body?.error?.message ?? body?.detail ?? `Reading /openapi.json failed with status ${status}.`
      if (!ok || body === undefined) throw new SvcError('INVALID_RESPONSE', message, [], { status })
      return readDescription(body)
    },
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  })
}

/** Finds the operations that contain every word. */
function useMatching(operations: readonly Operation[], filter: string): readonly Operation[] {
  return useMemo(() => {
    const wanted = filter.toLowerCase().split(/\s+/)
    return operations.filter(({ id, method, paths, summary, group }) => {
      const text = [id, method, summary, formatGroup(group), ...paths].join(' ').toLowerCase()
      return wanted.every((word) => text.includes(word))
    })
  }, [operations, filter])
}

interface OperationsProps {
  readonly operations: readonly Operation[]
  readonly selected: string | undefined
  readonly tail: string
}

function Operations({ operations, selected, tail }: OperationsProps) {
  const list = useRef<HTMLDivElement>(null)
  const isThere = operations.length > 0
  useEffect(() => {
    if (isThere && selected !== undefined) list.current?.querySelector('.sel')?.scrollIntoView({ block: 'nearest' })
  }, [isThere, selected])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links in it.
    <div className="operations" ref={list} onKeyDown={move}>
      {groupOperations(operations).map(([group, each]) => (
        <section key={group} aria-label={formatGroup(group)}>
          <h2 className="section">
            {formatGroup(group)}
            <span className="mono dim">{each.length}</span>
          </h2>
          <ul>
            {each.map(({ id, method, paths, summary }) => (
              <li key={id}>
                <Link
                  href={`/api-reference/${id}${tail}`}
                  className={`operation ${id === selected ? 'sel' : ''}`}
                  aria-current={id === selected ? 'true' : undefined}
                >
                  <span className={methodLook(method)}>{method}</span>
                  <span className="mono cut">{paths[0]}</span>
                  <span className="dim cut">{summary}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function move(event: KeyboardEvent<HTMLDivElement>) {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
  if (step === undefined) return
  const links = [...event.currentTarget.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement as HTMLAnchorElement)
  const next = links[at + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}
