/** Shows one request: the reason for its status, both messages, timing, and SQL. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { RequestRecord } from '../../../client/protocol/control/requests.js'
import { formatClientCode } from '../../../client/snippets/client-code.js'
import { formatCurl } from '../../../client/snippets/curl.js'
import { explainRefusal } from '../../../client/snippets/explain.js'
import { formatHar } from '../../../client/snippets/har.js'
import { useAction, useCopy, useSendUndoably } from '../../frame/undo.js'
import { untilAnswered } from '../../live/again.js'
import { Query } from '../../live/query.js'
import { Button, Copy } from '../../parts/button.js'
import { Differences } from '../../parts/differences.js'
import { JsonText, pretty } from '../../parts/json.js'
import { Headers, Pane } from '../../parts/layout.js'
import { Menu } from '../../parts/menu.js'
import { formatCaller, methodLook, statusLook } from '../../parts/request-looks.js'
import { isMissing } from '../../parts/states.js'
import { type Tab, Tabs } from '../../parts/tabs.js'
import { useSession } from '../../session/context.js'
import { ReplayDialog, type Replayed, replays } from './replay-dialog.js'
import { Statements } from './statements.js'
import { Timing } from './timing.js'

interface RequestPaneProps {
  readonly id: string
  readonly onClose: () => void
  readonly onOpen: (id: string) => void
}

export function RequestPane({ id, onClose, onOpen }: RequestPaneProps) {
  const { control } = useSession()
  const [tab, setTab] = useState('request')
  const [replayed, setReplayed] = useState<Replayed>()
  const query = useQuery({
    queryKey: ['request', id],
    queryFn: () => control.requests.get({ id }),
    refetchInterval: (asked) => (asked.state.data?.state === 'open' ? 2_000 : untilAnswered(asked)),
  })
  const { data: request, error } = query
  const onReplayed = (next: Replayed) => {
    setReplayed(next)
    setTab('replay')
  }
  return (
    <Pane
      title={
        request ? (
          <span className="mono">
            <span className={methodLook(request.method)}>{request.method}</span> {request.path}
          </span>
        ) : (
          '…'
        )
      }
      facts={
        request ? (
          <>
            <span className={statusLook(request.status)}>
              {request.status ?? request.state} {request.code ?? ''}
            </span>{' '}
            · {request.milliseconds.toFixed(1)} ms · {formatCaller(request.caller)} · request {id.slice(0, 8)}…{' '}
            <Copy text={id} />
          </>
        ) : (
          ''
        )
      }
      onClose={onClose}
      foot={request && !isMissing(error) ? <Foot request={request} onReplayed={onReplayed} /> : null}
    >
      <Query query={query} gone={{ what: 'request', back: 'All requests', onBack: onClose }}>
        {(found) => (
          <>
            <Why request={found} />
            <Tabs value={tab} onChange={setTab} tabs={buildTabs(found, replayed, onOpen)} />
          </>
        )}
      </Query>
    </Pane>
  )
}

function buildTabs(request: RequestRecord, replayed: Replayed | undefined, onOpen: (id: string) => void): Tab[] {
  const tabs: Tab[] = [
    { name: 'request', title: 'Request', content: () => <Message {...request.request} /> },
    { name: 'answer', title: 'Response', content: () => <Message {...request.answer} /> },
    { name: 'timing', title: 'Timing', content: () => <Timing request={request} /> },
    {
      name: 'sql',
      title: 'SQL',
      count: request.statementCount,
      content: () => <Statements request={request} />,
    },
  ]
  if (!replayed) return tabs
  const content = () => (
    <>
      <p className="padded">
        The answer was <span className={statusLook(replayed.before.status)}>{replayed.before.status}</span> and is now{' '}
        <span className={statusLook(replayed.after.status)}>{replayed.after.status}</span>.{' '}
        <button type="button" className="link" onClick={() => onOpen(replayed.after.id)}>
          Open the new one
        </button>
      </p>
      <Differences differences={replayed.differences} />
    </>
  )
  return [...tabs, { name: 'replay', title: 'Replay', content }]
}

/** Explains why the request was refused, and how to fix it. */
function Why({ request }: { request: RequestRecord }) {
  const explanation = explainRefusal(request)
  if (!explanation) return null
  return (
    <div className="why">
      <b>Why {request.status}?</b>
      <span className="lines">{explanation.missing}</span>
      <ul>
        {explanation.mends.map(({ words, command }) => (
          <li key={command}>
            {words}
            <span className="fix">
              <code className="mono cut">{command}</code> <Copy text={command} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

const leftOutWords = {
  empty: 'Empty body.',
  binary: 'Binary bodies are not stored.',
  stream: 'Event streams are not stored.',
  secret: 'Bodies with secrets are not stored.',
  unread: 'The request was refused before its body was read.',
  memory: 'Dropped to make room for newer requests.',
} as const

function Message({ headers, body }: RequestRecord['request']) {
  return (
    <>
      <Headers headers={Object.entries(headers)} />
      {body.text === null ? (
        <p className="padded dim">{body.leftOut === null ? '' : leftOutWords[body.leftOut]}</p>
      ) : (
        <JsonText text={pretty(body.text)} />
      )}
      {body.isCut ? <p className="padded dim">The first 64 KB of {body.bytes} bytes.</p> : null}
    </>
  )
}

function Foot({ request, onReplayed }: { request: RequestRecord; onReplayed: (replayed: Replayed) => void }) {
  const { control, url, info } = useSession()
  const copy = useCopy()
  const [isEditing, setEditing] = useState(false)
  const [isBusy, run] = useAction()
  const sendUndoably = useSendUndoably()
  const { id, method, path, project } = request
  const replay = () =>
    run(() =>
      sendUndoably({ by: replays, method, path, project }, async () =>
        onReplayed(await control.requests.replay({ id })),
      ),
    )
  const { is, why } = request.replayable
  return (
    <>
      <Menu
        trigger="Copy as"
        entries={[
          { label: 'curl', run: () => copy('a curl command', formatCurl(request, url)) },
          { label: 'client code', run: () => copy('client code', formatClientCode(request, url)) },
          { label: 'HAR', run: () => copy('an HTTP archive', JSON.stringify(formatHar([request], url, info.version))) },
        ]}
      />
      <span className="grow dim cut" title={why ?? ''}>
        {is ? '' : why}
      </span>
      <Button disabled={!is} onClick={() => setEditing(true)}>
        Edit
      </Button>
      <Button look="main" disabled={!is || isBusy} onClick={replay}>
        Replay
      </Button>
      {isEditing ? (
        <ReplayDialog
          request={request}
          onClose={() => setEditing(false)}
          onReplayed={(replayed) => {
            setEditing(false)
            onReplayed(replayed)
          }}
        />
      ) : null}
    </>
  )
}
