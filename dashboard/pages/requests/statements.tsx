import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { RequestRecord } from '../../../client/protocol/control/requests.js'
import { counted } from '../../../client/protocol/model/figures.js'
import { Copy } from '../../parts/button.js'
import { describeError, Empty } from '../../parts/states.js'
import { useSession } from '../../session/context.js'

/** Lists the SQL statements of a request, with plans on demand. */
export function Statements({ request }: { request: RequestRecord }) {
  if (request.statements.length === 0) return <Empty title="No database queries" />
  return (
    <ol className="statements">
      {request.statements.map((statement, at) => (
        <li key={at}>
          <div className="statement-head">
            <span className="mono">{statement.milliseconds.toFixed(2)} ms</span>
            <span className="dim">{statement.rows === null ? 'failed' : counted(statement.rows, 'row')}</span>
            <span className="grow" />
            <Copy text={statement.text} />
          </div>
          <pre className="json mono">{statement.text}</pre>
          {statement.values && statement.values.length > 0 ? (
            <p className="mono dim values">
              {statement.values.map((value, index) => `$${index + 1} ${value ?? 'null'}`).join(' · ')}
            </p>
          ) : null}
          <Plan id={request.id} statement={at} />
        </li>
      ))}
    </ol>
  )
}

function Plan({ id, statement }: { id: string; statement: number }) {
  const { control } = useSession()
  const [isOpen, setOpen] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['plan', id, statement],
    queryFn: () => control.requests.plan({ id, statement }),
    enabled: isOpen,
  })
  if (!isOpen) {
    return (
      <button type="button" className="link" onClick={() => setOpen(true)}>
        plan
      </button>
    )
  }
  return <pre className="plan mono">{error ? describeError(error) : (data?.plan.join('\n') ?? '…')}</pre>
}
