/** Sends requests to providers. No request outlasts the login, and no response is larger than a provider would send. */

const maxBytes = 1024 * 1024

export type BoundedFetch = (
  url: string,
  options: { readonly method?: string; readonly signal?: AbortSignal | null | undefined; readonly body?: unknown },
) => Promise<Response>

/** All requests together time out after these milliseconds. */
export function openBoundedFetch(milliseconds: number): BoundedFetch {
  const deadline = AbortSignal.timeout(milliseconds)
  return async (url, options) => {
    const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline
    const response = await fetch(url, { ...(options as RequestInit), redirect: 'manual', signal })
    return whole(response)
  }
}

async function whole(response: Response): Promise<Response> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > maxBytes) throw new TypeError('The provider sent more than 1 MB.')
    pieces.push(piece)
  }
  const { status, headers } = response
  const isBodiless = status === 204 || status === 304 || status < 200
  return new Response(isBodiless ? null : Buffer.concat(pieces), { status, headers })
}
