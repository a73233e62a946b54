/** Converts recorded requests to an HTTP archive (HAR 1.2), which browsers can open. Secrets stay masked. */
import type { RequestRecord } from '../protocol/control/requests.js'

export interface Har {
  readonly log: {
    readonly version: '1.2'
    readonly creator: { readonly name: string; readonly version: string }
    readonly entries: readonly HarEntry[]
  }
}

type Body = RequestRecord['request']['body']
type HarEntry = ReturnType<typeof formatEntry>

/** @param url the address of the service @param version of the toolkit */
export function formatHar(records: readonly RequestRecord[], url: string, version: string): Har {
  // Oldest first.
  const entries = records
    .map((record) => formatEntry(record, url))
    .sort((one, other) => (one.startedDateTime < other.startedDateTime ? -1 : 1))
  return { log: { version: '1.2', creator: { name: 'svc', version }, entries } }
}

function formatEntry(record: RequestRecord, url: string) {
  const { id, at, method, path, status, milliseconds, request, answer, timing, bytesIn, bytesOut } = record
  // Requests to a proxy have an absolute URL, and some paths are not valid in a URL.
  const whole = new URL([url + path, path].find((each) => URL.canParse(each)) ?? url)
  const { receiving, queue, database, hashing, writing, own } = timing
  return {
    startedDateTime: at,
    time: milliseconds,
    request: {
      method,
      url: whole.href,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(request.headers),
      queryString: [...whole.searchParams].map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: bytesIn ?? -1,
      ...(request.body.text ? { postData: { mimeType: readMimeType(request.body), text: request.body.text } } : {}),
    },
    response: {
      // Browsers use 0 for requests without a response.
      status: status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(answer.headers),
      content: {
        size: bytesOut ?? -1,
        mimeType: readMimeType(answer.body),
        text: answer.body.text ?? '',
        ...describeOmission(answer.body),
      },
      redirectURL: answer.headers.location ?? '',
      headersSize: -1,
      bodySize: bytesOut ?? -1,
    },
    cache: {},
    timings: { blocked: -1, send: receiving, wait: queue + database + hashing + own, receive: writing },
    comment: id,
  }
}

function pairs(headers: Readonly<Record<string, string>>) {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}

function readMimeType({ type }: Body): string {
  return type ?? 'x-unknown'
}

function describeOmission({ isCut, leftOut }: Body): { comment?: string } {
  if (leftOut !== null && leftOut !== 'empty') return { comment: `left out: ${leftOut}` }
  return isCut ? { comment: 'cut at 64 KB' } : {}
}
