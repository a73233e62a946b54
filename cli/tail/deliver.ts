/** Delivers events to a command on stdin, or to an address with POST. */
import { spawn } from 'node:child_process'
import type { EventLine } from './event-line.js'

const forwardTimeoutMilliseconds = 10_000

export interface ExecuteOptions {
  readonly isQuiet: boolean
  /** Aborts when time is up. */
  readonly deadline: AbortSignal
}

/** Runs a shell command with the event as JSON on stdin, and kills it at the deadline. Returns the failure, if any. */
export function execute(
  command: string,
  event: EventLine,
  { isQuiet, deadline }: ExecuteOptions,
): Promise<string | undefined> {
  const env = { ...process.env, SVC_EVENT: event.event, SVC_COLLECTION: event.collection, SVC_ID: event.id }
  return new Promise((resolve) => {
    // With --json, stdout is reserved for events.
    const child = spawn(command, { shell: true, env, stdio: ['pipe', isQuiet ? 'ignore' : 'inherit', 'inherit'] })
    const kill = () => {
      // Kills the shell only. Its children may continue.
      child.kill('SIGKILL')
      child.stdin?.destroy()
    }
    deadline.addEventListener('abort', kill, { once: true })
    child.on('error', (error) => resolve(`${command}: ${error.message}`))
    child.on('close', (code, signal) => {
      deadline.removeEventListener('abort', kill)
      resolve(code === 0 ? undefined : `${command} failed with ${signal ?? `exit code ${code}`}`)
    })
    // A command need not read stdin.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(`${JSON.stringify(event)}\n`)
  })
}

/** Posts the event as JSON, and gives up at the deadline. Returns the failure, if any. */
export async function forward(url: string, event: EventLine, deadline: AbortSignal): Promise<string | undefined> {
  const over = new AbortController()
  const abort = () => over.abort()
  const timer = setTimeout(abort, forwardTimeoutMilliseconds)
  deadline.addEventListener('abort', abort, { once: true })
  if (deadline.aborted) abort()
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'svc-event': event.event },
      body: JSON.stringify(event),
      signal: over.signal,
    })
    await response.body?.cancel()
    return response.ok ? undefined : `${url} answered ${response.status}`
  } catch {
    return `${url} did not respond`
  } finally {
    clearTimeout(timer)
    deadline.removeEventListener('abort', abort)
  }
}
