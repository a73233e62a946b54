/** Shows one operation with its reference and a form to try it. */
import { useState } from 'react'
import { useCommand } from '../../frame/command-line.js'
import { useCopy } from '../../frame/undo.js'
import { Button } from '../../parts/button.js'
import { Pane } from '../../parts/layout.js'
import { methodLook } from '../../parts/request-looks.js'
import { Tabs } from '../../parts/tabs.js'
import { useSession } from '../../session/context.js'
import type { Description, Operation } from './description.js'
import { Reference } from './reference.js'
import { buildRequest, type Caller, findMissing, formatCommand, formatRequestCurl } from './request.js'
import { isForm, type RequestForm, readForm, storeForm } from './request-form.js'
import { TryIt } from './try-it.js'
import { useCallers, useSending } from './use-sending.js'

interface OperationPaneProps {
  readonly operation: Operation
  readonly description: Description
  readonly chosen: Caller | undefined
  readonly onCaller: (caller: Caller) => void
  readonly dialect: string
  readonly offeredDialects: readonly string[]
  readonly onDialect: (dialect: string) => void
  readonly tab: string
  readonly onTab: (tab: string) => void
  readonly onClose: () => void
}

export function OperationPane(props: OperationPaneProps) {
  const { operation, description, chosen, dialect, tab, onTab, onClose } = props
  const { project, publicKey, url } = useSession()
  const copy = useCopy()
  const offered = useCallers(operation.security)
  const caller = chosen && offered.includes(chosen) ? chosen : (offered[0] ?? 'nobody')
  const [typed, setTyped] = useState(() => readForm(operation, description, project.id))
  const sending = useSending()
  const request = buildRequest(operation, typed, dialect)
  // `svc api` cannot send a control token or forms.
  const hasCommand = caller !== 'control' && !isForm(typed.type)
  useCommand(hasCommand ? formatCommand(request) : `svc open api ${operation.id}`)

  const onType = (next: RequestForm) => {
    setTyped(next)
    storeForm(operation.id, next)
  }
  const onSend = () => {
    const [missing] = findMissing(operation, typed)
    onTab('try')
    if (missing === undefined) void sending.start(request, caller)
    else sending.setError(new Error(`"${missing}" is part of the path. Enter a value.`))
  }
  const content = () => <TryIt {...{ ...props, typed, onType, caller, offered, sending, onSend }} />
  return (
    <Pane
      title={
        <span className="mono">
          <span className={methodLook(operation.method)}>{operation.method}</span> {typed.path}
        </span>
      }
      facts={operation.id}
      onClose={onClose}
      foot={
        <>
          <Button onClick={() => copy('a curl command', formatRequestCurl(request, caller, publicKey, url))}>
            Copy as curl
          </Button>
          <span className="grow" />
          {sending.isBusy ? <Button onClick={sending.stop}>Stop</Button> : null}
          <Button look="main" disabled={sending.isBusy} onClick={tab === 'try' ? onSend : () => onTab('try')}>
            {tab === 'try' ? 'Send' : 'Try it'}
          </Button>
        </>
      }
    >
      <Tabs
        value={tab}
        onChange={onTab}
        tabs={[
          {
            name: 'reference',
            title: 'Reference',
            content: () => <Reference operation={operation} description={description} />,
          },
          { name: 'try', title: 'Try it', content },
        ]}
      />
    </Pane>
  )
}
