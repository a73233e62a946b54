import { fetchOverHttp } from '../../seeds/fetch-over-http.js'

type Init = Omit<RequestInit, 'headers' | 'body'> & {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData
}

/**
 * Saves Node's `fetch`. Environments such as happy-dom and jsdom replace the global one with a browser's, and the
 * control API refuses requests from other origins.
 */
export const ownFetch = (async (url: string, { body, headers, ...init }: Init) => {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    return fetchOverHttp(url, { ...init, headers, body: body ?? null })
  }
  const form = await encodeForm(body)
  return fetchOverHttp(url, { ...init, headers: { ...headers, 'content-type': form.type }, body: form.bytes })
}) as typeof fetch

/** Encodes the form here, because Node would use `Response`, which those environments replace too. */
async function encodeForm(form: FormData): Promise<{ type: string; bytes: Uint8Array<ArrayBuffer> }> {
  const boundary = `svc-${crypto.randomUUID()}`
  const parts: (string | Uint8Array<ArrayBuffer>)[] = []
  for (const [name, value] of form) {
    const isText = typeof value === 'string'
    const file = isText
      ? ''
      : `; filename="${quoted(value.name)}"\r\ncontent-type: ${value.type || 'application/octet-stream'}`
    parts.push(`--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${file}\r\n\r\n`)
    parts.push(isText ? value : new Uint8Array(await value.arrayBuffer()), '\r\n')
  }
  const type = `multipart/form-data; boundary=${boundary}`
  return { type, bytes: Uint8Array.from(Buffer.concat([...parts, `--${boundary}--\r\n`].map(asBuffer))) }
}

const asBuffer = (part: string | Uint8Array) => (typeof part === 'string' ? Buffer.from(part) : part)

/** Escapes names like browsers do. */
const quoted = (name: string) => name.replace(/["\r\n]/g, (one) => encodeURIComponent(one))
