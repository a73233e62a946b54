/** Answers `/livez` and `/readyz` for load balancers and supervisors, for any host name and without a key. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** Reports whether a process is ready. */
export interface Readiness {
  /** Whether the process accepts requests, and its status in one word. */
  read(): Promise<{
    readonly isReady: boolean
    readonly status: string
    readonly parts: Readonly<Record<string, string>>
  }>
}

export function answerProbes(readiness: Readiness, next: RequestListener): RequestListener {
  return (req, res) => {
    const [path] = (req.url ?? '').split('?', 1)
    const isReading = req.method === 'GET' || req.method === 'HEAD'
    if (isReading && path === '/livez') return answer(req, res, 200, { status: 'ok' })
    if (!isReading || path !== '/readyz') return next(req, res)
    void readiness.read().then(({ isReady, status, parts }) => {
      answer(req, res, isReady ? 200 : 503, { status, ...parts })
    })
  }
}

function answer(req: IncomingMessage, res: ServerResponse, status: number, body: object): void {
  const text = `${JSON.stringify(body)}\n`
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(text),
  })
  res.end(req.method === 'HEAD' ? undefined : text)
}
