/** Shows the answer while it arrives. */
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { Failure } from '../../live/failure.js'
import { Copy } from '../../parts/button.js'
import { JsonText, pretty } from '../../parts/json.js'
import { Headers } from '../../parts/layout.js'
import { statusLook } from '../../parts/request-looks.js'
import type { Received } from './send.js'

interface AnswerProps {
  readonly received: Received | undefined
  readonly error: unknown
  readonly isBusy: boolean
  /** Whether the page Requests lists it. */
  readonly isRecorded: boolean
}

export function Answer({ received, error, isBusy, isRecorded }: AnswerProps) {
  const here = useRef<HTMLElement>(null)
  const isThere = received !== undefined || error !== undefined
  useEffect(() => {
    if (isThere) here.current?.scrollIntoView({ block: 'nearest' })
  }, [isThere])
  if (!isThere && !isBusy) return null
  return (
    <section className="received" aria-label="Answer" aria-live="polite" ref={here}>
      {error === undefined ? null : <Failure error={error} />}
      {received === undefined ? null : <Shown received={received} isRecorded={isRecorded} />}
      {isBusy && !received ? <p className="padded dim">Sent. Waiting for the answer.</p> : null}
    </section>
  )
}

function Shown({ received, isRecorded }: { received: Received; isRecorded: boolean }) {
  const { status, statusText, milliseconds, bytes, headers, text, isWhole } = received
  const request = isRecorded ? headers.find(([name]) => name === 'x-request-id')?.[1] : undefined
  return (
    <>
      <p className="received-head mono">
        <span className={statusLook(status)}>{status === 0 ? 'redirect' : `${status} ${statusText}`}</span>
        <span className="dim">
          {milliseconds.toFixed(1)} ms · {formatBytes(bytes)}
          {isWhole ? '' : ' · still receiving'}
        </span>
        <span className="grow" />
        {request === undefined ? null : (
          <Link className="link" href={`/requests/${encodeURIComponent(request)}`}>
            request
          </Link>
        )}
        {text ? <Copy text={text} /> : null}
      </p>
      <AnswerBody status={status} text={text} isWhole={isWhole} bytes={bytes} />
      <Headers headers={headers} />
    </>
  )
}

function AnswerBody({ status, text, isWhole, bytes }: Pick<Received, 'status' | 'text' | 'isWhole' | 'bytes'>) {
  if (status === 0) return <p className="padded dim">A redirect to another address. Browsers do not show the target.</p>
  if (text === null) return <p className="padded dim">{formatBytes(bytes)} of binary data.</p>
  if (text === '') return <p className="padded dim">{isWhole ? 'No body.' : ''}</p>
  return <JsonText text={isWhole ? pretty(text) : text} />
}
