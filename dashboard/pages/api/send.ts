/** Sends the request and streams the answer, because some answers never end. */
import type { Guard } from '../../session/guard.js'
import type { Request } from './request.js'

export interface Received {
  /** 0 for a redirect, because browsers hide its status. */
  readonly status: number
  readonly statusText: string
  readonly milliseconds: number
  readonly bytes: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Null for binary data. */
  readonly text: string | null
  readonly isWhole: boolean
}

/** Longer texts are cut. */
const maxCharacters = 4_000_000

/** @throws like `fetch` */
export async function send(
  guard: Guard,
  { method, path, headers, body }: Request,
  secrets: Readonly<Record<string, string>>,
  signal: AbortSignal,
  onPart: (received: Received) => void,
): Promise<void> {
  const began = performance.now()
  const response = await guard.fetch(path, {
    ...{ method, signal, headers: { ...headers, ...secrets }, cache: 'no-store', credentials: 'omit' },
    // Do not follow redirects: this page may not read other sites.
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  })
  const isText = /json|text|xml|javascript|urlencoded/.test(response.headers.get('content-type') ?? 'text')
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  const report = (isWhole: boolean) =>
    onPart({
      status: response.status,
      statusText: response.statusText,
      milliseconds: performance.now() - began,
      ...{ bytes, headers: [...response.headers], text: isText ? text : null, isWhole },
    })
  report(false)
  const reader = response.body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || !value) break
    bytes += value.byteLength
    if (isText && text.length < maxCharacters) text += decoder.decode(value, { stream: true })
    report(false)
  }
  text += decoder.decode()
  report(true)
}
