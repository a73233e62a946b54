/** Reads requests and builds responses of the built-in provider. */
import type { IncomingMessage } from 'node:http'

interface Head {
  readonly method: string
  /** Relative to the provider's address. */
  readonly path: string
  readonly query: URLSearchParams
  readonly authorization: string | undefined
  /** Whether a page of another origin sent it. */
  readonly isForeign: boolean
  /** Whether it comes from this machine. */
  readonly isLocal: boolean
}

export interface ProviderRequest extends Head {
  readonly form: URLSearchParams
}

export interface ProviderAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends no response: the connection is closed after this time. */
export interface NoAnswer {
  readonly cutAfterMilliseconds: number
}

/** Refuses a request with an error code of RFC 6749. */
export class OAuthError extends Error {
  override readonly name = 'Refusal'
  constructor(
    readonly code: string,
    readonly description: string,
    readonly status = 400,
  ) {
    super(description)
  }
}

const maxFormBytes = 64 * 1024

/** Reads the request line and the headers. */
export function readRequestHead(req: IncomingMessage, isLocal: boolean): Head {
  const [path = '', query = ''] = (req.url ?? '').split('?', 2)
  return {
    query: new URLSearchParams(query),
    method: req.method === 'HEAD' ? 'GET' : (req.method ?? 'GET'),
    path: path === '/' ? '/' : path.replace(/\/$/, ''),
    authorization: req.headers.authorization,
    isForeign: isForeign(req),
    isLocal,
  }
}

/** @throws {OAuthError} for a form that is too long or contains U+0000 */
export async function readProviderRequest(req: IncomingMessage, head: Head): Promise<ProviderRequest> {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')
  const form = new URLSearchParams(isForm ? await readText(req) : '')
  // PostgreSQL cannot store U+0000, and no browser sends it in a form.
  const hasNul = [...head.query, ...form].some((pair) => pair.some((text) => text.includes('\0')))
  if (hasNul) throw new OAuthError('invalid_request', 'The character U+0000 is not allowed.')
  return { ...head, form }
}

function isForeign({ headers: { origin, host } }: IncomingMessage): boolean {
  return origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`
}

async function readText(req: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of req) {
    bytes += piece.length
    if (bytes > maxFormBytes) throw new OAuthError('invalid_request', 'The form is too long (max 64 KB).', 413)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): ProviderAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  }
}

export function redirect(location: string): ProviderAnswer {
  return { status: 303, headers: { location }, body: '' }
}

/** Answers with JSON, without a redirect. */
export function refused({ code, description, status }: OAuthError): ProviderAnswer {
  const headers: Record<string, string> = status === 401 ? { 'www-authenticate': `Bearer error="${code}"` } : {}
  return json({ error: code, error_description: description }, status, headers)
}
