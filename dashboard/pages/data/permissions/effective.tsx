/** Shows what each kind of caller really gets, as the emulator answers for the permissions on the page. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type RightsAction, rightsActions } from '../../../../client/protocol/model/access/rights-actions.js'
import type { Permissions } from '../../../../client/protocol/model/collection.js'
import { shellWord } from '../../../../client/snippets/shell.js'
import { Query } from '../../../live/query.js'
import { Button, Copy } from '../../../parts/button.js'
import { shortId } from '../../../parts/columns.js'
import { Icon } from '../../../parts/icons.js'
import { Time } from '../../../parts/time.js'
import { useSession } from '../../../session/context.js'

interface EffectiveProps {
  readonly collection: string
  /** Permissions that are not saved yet. Undefined for those of the collection. */
  readonly permissions: Permissions | undefined
  /** Changes when the collection is saved. */
  readonly savedAt: string
}

function useRights({ collection, permissions, savedAt }: EffectiveProps, users: readonly string[]) {
  const { control, project } = useSession()
  return useQuery({
    queryKey: ['rights', project.id, collection, savedAt, permissions, users],
    queryFn: async () => {
      const asked = { project: project.id, collection, users: [...users], ...(permissions ? { permissions } : {}) }
      return { ...(await control.rights.ask(asked as never)), at: new Date().toISOString() }
    },
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })
}

type Rights = NonNullable<ReturnType<typeof useRights>['data']>
type Row = Rights['rows'][number]

export function Effective(props: EffectiveProps) {
  const [users, setUsers] = useState<readonly string[]>([])
  const rights = useRights(props, users)
  return (
    <>
      <div className="asked">
        <span className="grow dim">
          {rights.data ? (
            <>
              asked <Time at={rights.data.at} isMachineTime /> · rules{' '}
              {rights.data.isSaved ? 'as saved' : 'not saved yet'}
              {rights.data.document === null ? (
                ' · no document yet'
              ) : (
                <span className="mono"> · {shortId(rights.data.document)}</span>
              )}
            </>
          ) : null}
        </span>
        <Button onClick={() => void rights.refetch()}>Ask again</Button>
      </div>
      <Query query={rights}>
        {({ rows }) => (
          <>
            <div className="asked-row head">
              <span>ask as</span>
              {rightsActions.map((action) => (
                <span key={action}>{action}</span>
              ))}
            </div>
            {mergeKeys(rows).map((row) => (
              <Asked key={`${row.kind} ${row.name}`} row={row} />
            ))}
          </>
        )}
      </Query>
      <form
        className="asked"
        onSubmit={(event) => {
          event.preventDefault()
          const user = String(new FormData(event.currentTarget).get('user')).trim()
          event.currentTarget.reset()
          if (user !== '') setUsers([...new Set([user, ...users])].slice(0, 20))
        }}
      >
        <input className="input grow" name="user" placeholder="Ask as another user: e-mail or id" aria-label="Ask as" />
        <Button type="submit">Ask</Button>
      </form>
      <div className="asked">
        <code className="mono grow cut">svc collections permissions {shellWord(props.collection)} --matrix</code>
        <Copy text={`svc collections permissions ${shellWord(props.collection)} --matrix`} />
      </div>
    </>
  )
}

function Asked({ row: { kind, name, cells } }: { row: Row }) {
  return (
    <div className="asked-who">
      <div className="asked-row">
        <span className="asked-name">
          <b>{name}</b> {name.includes(kind) ? null : <small className="dim">{kind}</small>}
        </span>
        {rightsActions.map((action) => (
          <Status key={action} action={action} cell={cells[action]} />
        ))}
      </div>
      {findReasons(cells).map(([reason, actions]) => (
        <p key={reason}>
          {actions.join(', ')}: {reason}
        </p>
      ))}
    </div>
  )
}

function Status({ action, cell: { status, reason } }: { action: RightsAction; cell: Row['cells'][RightsAction] }) {
  const isAllowed = status < 400
  return (
    <span className={`status ${isAllowed ? 'good' : 'warn'}`} title={`${action}: ${reason}`}>
      <Icon name={isAllowed ? 'check' : 'close'} />
      {status}
    </span>
  )
}

/** Shows keys that get the same in one row. */
function mergeKeys(rows: readonly Row[]): readonly Row[] {
  const merged = new Map<string, Row & { readonly count: number }>()
  for (const row of rows) {
    const isKey = row.kind === 'key' || row.kind === 'secret key'
    const statuses = rightsActions.map((action) => row.cells[action].status)
    const same = isKey ? `${row.kind} ${statuses}` : `${row.kind} ${row.name}`
    const before = merged.get(same)
    merged.set(same, { ...(before ?? row), count: (before?.count ?? 0) + 1 })
  }
  return [...merged.values()].map((row) => (row.count === 1 ? row : { ...row, name: `${row.count} ${row.kind}s` }))
}

/** Groups the refused actions by their reason. */
function findReasons(cells: Row['cells']): [reason: string, actions: RightsAction[]][] {
  const found = new Map<string, RightsAction[]>()
  for (const action of rightsActions) {
    const { status, reason } = cells[action]
    if (status >= 400) found.set(reason, [...(found.get(reason) ?? []), action])
  }
  return [...found]
}
