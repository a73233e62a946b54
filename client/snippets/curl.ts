/** A recorded request as a curl command, with variables in the place of what is secret. */
import type { RequestRecord } from '../protocol/control/requests.js'
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

/** @param url the address of the service */
export function curlOf(
  { method, path, request }: Pick<RequestRecord, 'method' | 'path' | 'request'>,
  url: string,
): string {
  const { headers, body } = request
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${shellWord(url + path)}`,
    ...Object.entries(headers).flatMap(([name, value]) => headerWords(name, value)),
    ...(body.text === null || body.text === '' ? [] : [`--data-raw ${shellWord(body.text)}`]),
  ]
  return lines.join(' \\\n  ')
}

function headerWords(name: string, value: string): string[] {
  if (ofConnection.includes(name)) return []
  if (name === 'x-api-key' && isMasked(value)) return ['-H "x-api-key: $SVC_API_KEY"']
  if (name === 'authorization' && isMasked(value)) return ['-H "authorization: Bearer $SVC_TOKEN"']
  return isMasked(value) ? [] : [`-H ${shellWord(`${name}: ${value}`)}`]
}

function isMasked(value: string): boolean {
  return value.includes('[masked]')
}
