/** Sends a form and reports progress: by `XMLHttpRequest` in browsers, because `fetch` cannot, and by a stream elsewhere. */

interface Outgoing extends RequestInit {
  readonly method: string
  readonly signal: AbortSignal
}

export function sendCounted(
  fetch: typeof globalThis.fetch,
  url: string,
  sent: Outgoing,
  onProgress: (sentBytes: number) => void,
): Promise<Response> {
  if (!globalThis.XMLHttpRequest) {
    // `Request` sets the content type of the form, including its boundary.
    const { headers, body } = new Request(url, sent)
    let sentBytes = 0
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        sentBytes += chunk.length
        onProgress(sentBytes)
        out.enqueue(chunk)
      },
    })
    return fetch(url, { ...sent, headers, body: body?.pipeThrough(counter), duplex: 'half' } as RequestInit)
  }
  const { method, headers, signal } = sent
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    xhr.open(method, url)
    for (const [name, value] of new Headers(headers)) xhr.setRequestHeader(name, value)
    xhr.upload.onprogress = ({ loaded }) => onProgress(loaded)
    xhr.onload = () =>
      resolve({
        ok: xhr.status < 300,
        status: xhr.status,
        headers: { get: (name) => xhr.getResponseHeader(name) },
        text: async () => xhr.responseText,
      } as Response)
    xhr.onerror = xhr.onabort = reject
    signal.onabort = () => xhr.abort()
    xhr.send(sent.body as FormData)
  })
}
