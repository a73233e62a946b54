/** Converts a recorded request to a curl command, with variables instead of secrets. */
import type { RequestRecord } from '../protocol/control/requests.js'
import { describeMissingParts, hasWholeBody, isMasked } from './lacking.js'
import { shellWord } from './shell.js'

/** Headers that curl sets automatically, or that apply to one connection only. */
const connectionHeaders = [
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'te',
]

type Recorded = Pick<RequestRecord, 'method' | 'path' | 'request'>

/** Writes a curl command. Comments above it name missing parts. @param url the address of the service */
export function formatCurl(record: Recorded, url: string): string {
  const { method, path, request } = record
  const body = bodyWords(request.body)
  const address = url + path
  const words = [
    'curl',
    ...methodWords(method, body.length > 0),
    // Without it, curl expands brackets and braces to several URLs.
    ...(/[[\]{}]/.test(address) ? ['--globoff'] : []),
    shellWord(address),
  ]
  const lines = [
    words.join(' '),
    ...Object.entries(request.headers).flatMap(([name, value]) => headerWords(name, value)),
    // curl accepts no body with `--head`.
    ...(method === 'HEAD' ? [] : body),
  ]
  return [
    ...describeMissingParts(record, 'save it to a file named body').map((sentence) => `# ${sentence}`),
    lines.join(' \\\n  '),
  ].join('\n')
}

/** Names the method, because a body makes curl POST. Uses `--head`, because `-X HEAD` waits for a response body. */
function methodWords(method: string, hasBody: boolean): string[] {
  if (method === 'HEAD') return ['--head']
  return method === 'GET' && !hasBody ? [] : [`-X ${method}`]
}

function bodyWords(body: Recorded['request']['body']): string[] {
  if (!hasWholeBody(body)) return ['--data-binary @body']
  return body.text ? [`--data-raw ${shellWord(body.text)}`] : []
}

function headerWords(name: string, value: string): string[] {
  if (connectionHeaders.includes(name)) return []
  if (name === 'x-api-key' && isMasked(value)) return ['-H "x-api-key: $SVC_API_KEY"']
  if (name === 'authorization' && isMasked(value)) return ['-H "authorization: Bearer $SVC_TOKEN"']
  return isMasked(value) ? [] : [`-H ${shellWord(`${name}: ${value}`)}`]
}
