import { useMemo } from 'react'
import type { Client, Json } from '../../../client/index.js'
import { isObject, type JsonObject } from '../../../client/protocol/model/json.js'
import { shellWord } from '../../../client/snippets/shell.js'
import { useCommand } from '../../frame/command-line.js'
import { useUndo } from '../../frame/undo.js'
import { Copy } from '../../parts/button.js'
import { JsonText } from '../../parts/json.js'
import { Empty, Failure } from '../../parts/states.js'
import { useSession } from '../../session/context.js'
import { CallFault, type ClientCall, readCall } from './call.js'
import { completeCall } from './completion.js'
import { useKeptText } from './kept-text.js'
import { useNames } from './use-names.js'
import { useRun } from './use-run.js'
import { oneLine, Workbench } from './workbench.js'

export function ClientTab() {
  const { client, folder, acting, url } = useSession()
  const { doUndoably } = useUndo()
  const names = useNames()
  const [example = 'posts'] = names.collections()
  const kept = useKeptText(folder, 'client', '')
  const { text } = kept
  const { answer, error, errorHere, isBusy, start } = useRun(kept, async (typed) => {
    const called = readCall(typed)
    let found = { text: 'Cancelled; nothing was done.', milliseconds: 0 }
    const work = async () => {
      const begun = performance.now()
      const result = await carryOut(client, called)
      found = { text: JSON.stringify(result, undefined, 2) ?? 'undefined', milliseconds: performance.now() - begun }
    }
    await (called.method === 'delete' ? doUndoably(`Ran ${oneLine(typed)}`, commandOf(called), work) : work())
    return found
  })
  const call = useMemo(() => attempt(text), [text])
  useCommand(commandOf(call))
  return (
    <Workbench
      label="Call of the client"
      language="call"
      kept={kept}
      complete={(context) => completeCall(context, names)}
      fault={errorHere instanceof CallFault ? errorHere : undefined}
      isBusy={isBusy}
      onRun={start}
      words={answer ? `${Math.round(answer.milliseconds)} ms${acting ? `, as ${acting.user.email}` : ''}` : ''}
      actions={call ? <Copy label="copy as code" text={codeOf(text, url)} /> : null}
    >
      {error ? <Failure error={error} /> : null}
      {answer ? <JsonText text={answer.text} /> : null}
      {!answer && !error ? (
        <Empty title="Call the client">
          <p>A call as your app makes it, with its arguments written out: texts, numbers, lists and objects.</p>
          <ul className="examples">
            {examplesFor(example).map((each) => (
              <li key={each}>
                <button type="button" className="link mono" onClick={() => kept.change(each)}>
                  {each}
                </button>
              </li>
            ))}
          </ul>
        </Empty>
      ) : null}
    </Workbench>
  )
}

function examplesFor(collection: string): string[] {
  const name = JSON.stringify(collection).replace(/^"(.*)"$/, "'$1'")
  return [
    `svc.collection(${name}).list({ limit: 5, sort: '-createdAt' })`,
    `svc.collection(${name}).create({ title: 'Hello' })`,
    'svc.users.list({ limit: 5 })',
  ]
}

/** Calls what stands in the list of methods, and nothing else. */
function carryOut(client: Client, { room, collection, method, args }: ClientCall): Promise<unknown> {
  const calls: object = room === 'collection' ? client.collection(collection ?? '') : client[room]
  const call = Object.entries(calls).find(([name]) => name === method)?.[1] as (
    ...given: readonly Json[]
  ) => Promise<unknown>
  return call(...args)
}

function attempt(text: string): ClientCall | undefined {
  try {
    return readCall(text)
  } catch {
    return undefined
  }
}

function codeOf(text: string, url: string): string {
  const call = text
    .trim()
    .replace(/^await\s+/, '')
    .replace(/;$/, '')
  return [
    "import { createClient } from 'svc-toolkit-client'",
    '',
    `const svc = createClient({ url: ${JSON.stringify(url)}, apiKey: process.env.SVC_API_KEY })`,
    `const answer = await ${call}`,
    '',
  ].join('\n')
}

function commandOf(call: ClientCall | undefined): string {
  if (!call) return 'svc docs list posts'
  const { room, collection = '', method, args } = call
  const [topic, ...place] = room === 'collection' ? ['docs', collection] : [room]
  if (method === 'createMany') return ['svc docs import', ...place.map(shellWord), '-'].join(' ')
  return ['svc', topic, method, ...[...place, ...args.flatMap(wordsOf)].map(shellWord)].join(' ')
}

/** An id as it is, options of a list as flags, and fields as assignments. */
function wordsOf(arg: Json): string[] {
  if (typeof arg === 'string') return [arg]
  if (!isObject(arg)) return []
  return Object.entries(arg).flatMap(([name, value]) => {
    if (name === 'where' && isObject(value)) return conditionsOf(value)
    if (name === 'sort' || name === 'limit' || name === 'path') return [`--${name}`, String(value)]
    return typeof value === 'string' ? [`${name}=${value}`] : [`${name}:=${JSON.stringify(value)}`]
  })
}

function conditionsOf(where: JsonObject): string[] {
  return Object.entries(where).flatMap(([field, test]) => {
    const tests = isObject(test) ? Object.entries(test) : [['', test] as const]
    return tests.flatMap(([operator, value]) => [
      '--where',
      `${field}${operator === '' ? '' : `__${operator}`}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ])
  })
}
