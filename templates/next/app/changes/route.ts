import { openVisitor } from '../../svc'

/** Sends an event for each change of the tasks, until the page closes. */
export async function GET(request: Request): Promise<Response> {
  const svc = await openVisitor()
  if (!(await svc.auth.session())) return new Response(null, { status: 204 })
  const { readable, writable } = new TransformStream<string, string>()
  const writer = writable.getWriter()
  const send = () => void writer.write('data: changed\n\n').catch(() => undefined)
  const subscription = svc.collection('tasks').subscribe({
    live: true,
    signal: request.signal,
    onChange: send,
    // Changes may be missing after a gap.
    onResync: send,
    onStatus: (status) => status === 'open' && send(),
    onError: () => void writer.close().catch(() => undefined),
  })
  writer.closed.catch(() => subscription.close())
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
  return new Response(readable.pipeThrough(new TextEncoderStream()), { headers })
}
