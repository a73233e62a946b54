/** A recorded request as a curl command, with variables in the place of what is secret. */
import type { RequestRecord } from '../protocol/control/requests.js'
import { hasWholeBody, isMasked, lackingOf } from './lacking.js'
import { shellWord } from './shell.js'

/** Headers that curl writes by itself, or that belong to a connection. */
const ofConnection = [
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'te',
]

type Recorded = Pick<RequestRecord, 'method' | 'path' | 'request'>

/** After lines that say what it lacks, if it lacks something. @param url the address of the service */
export function curlOf(record: Recorded, url: string): string {
  const { method, path, request } = record
  const body = bodyWords(request.body)
  const address = url + path
  const words = [
    'curl',
    ...methodWords(method, body.length > 0),
    // Else curl takes what is in them for several addresses.
    ...(/[[\]{}]/.test(address) ? ['--globoff'] : []),
    shellWord(address),
  ]
  const lines = [
    words.join(' '),
    ...Object.entries(request.headers).flatMap(([name, value]) => headerWords(name, value)),
    // An answer to HEAD has no body, and curl takes it with none.
    ...(method === 'HEAD' ? [] : body),
  ]
  return [
    ...lackingOf(record, 'write it to a file called body').map((sentence) => `# ${sentence}`),
    lines.join(' \\\n  '),
  ].join('\n')
}

/** With a body, curl would POST. With `-X HEAD` it would wait for a body of the answer. */
function methodWords(method: string, hasBody: boolean): string[] {
  if (method === 'HEAD') return ['--head']
  return method === 'GET' && !hasBody ? [] : [`-X ${method}`]
}

function bodyWords(body: Recorded['request']['body']): string[] {
  if (!hasWholeBody(body)) return ['--data-binary @body']
  return body.text ? [`--data-raw ${shellWord(body.text)}`] : []
}

function headerWords(name: string, value: string): string[] {
  if (ofConnection.includes(name)) return []
  if (name === 'x-api-key' && isMasked(value)) return ['-H "x-api-key: $SVC_API_KEY"']
  if (name === 'authorization' && isMasked(value)) return ['-H "authorization: Bearer $SVC_TOKEN"']
  return isMasked(value) ? [] : [`-H ${shellWord(`${name}: ${value}`)}`]
}
