/** What else happens with an event: a command gets it on stdin, an address gets it as a POST. */
import { spawn } from 'node:child_process'
import type { EventLine } from './event-line.js'

const mostForwardMilliseconds = 10_000

export interface ExecuteOptions {
  readonly isQuiet: boolean
  /** Aborts when there is no more time. */
  readonly deadline: AbortSignal
}

/** Runs a command of the shell with the event as JSON on stdin, and kills it at the deadline. Answers what went wrong. */
export function execute(
  command: string,
  event: EventLine,
  { isQuiet, deadline }: ExecuteOptions,
): Promise<string | undefined> {
  const env = { ...process.env, SVC_EVENT: event.event, SVC_COLLECTION: event.collection, SVC_ID: event.id }
  return new Promise((resolve) => {
    // Under --json, stdout is for events alone.
    const child = spawn(command, { shell: true, env, stdio: ['pipe', isQuiet ? 'ignore' : 'inherit', 'inherit'] })
    const kill = () => {
      // What the shell has started may go on, and is not waited for.
      child.kill('SIGKILL')
      child.stdin?.destroy()
    }
    deadline.addEventListener('abort', kill, { once: true })
    child.on('error', (error) => resolve(`${command}: ${error.message}`))
    child.on('close', (code, signal) => {
      deadline.removeEventListener('abort', kill)
      resolve(code === 0 ? undefined : `${command} ended with ${signal ?? `exit code ${code}`}`)
    })
    // A command that does not read is no failure.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(`${JSON.stringify(event)}\n`)
  })
}

/** Posts the event as JSON, and gives up at the deadline. Answers what went wrong. */
export async function forward(url: string, event: EventLine, deadline: AbortSignal): Promise<string | undefined> {
  const over = new AbortController()
  const abort = () => over.abort()
  const timer = setTimeout(abort, mostForwardMilliseconds)
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
    return `${url} did not take the event`
  } finally {
    clearTimeout(timer)
    deadline.removeEventListener('abort', abort)
  }
}
