/** What else happens with an event: a command gets it on stdin, an address gets it as a POST. */
import { spawn } from 'node:child_process'
import type { EventLine } from './event-line.js'

const mostForwardMilliseconds = 10_000
/** So long may a command still take once the tail ends, by its timeout or a signal. */
const graceSeconds = 3

export interface ExecuteOptions {
  readonly isQuiet: boolean
  /** Says that the tail ends. */
  readonly signal: AbortSignal
}

export interface Executed {
  /** What went wrong. */
  readonly fault: string | undefined
  /** Whether it did not end with the tail, and was killed. */
  readonly isKilled: boolean
}

/** Runs a command of the shell with the event as JSON on stdin. One that does not end with the tail is killed. */
export function execute(
  command: string,
  event: EventLine,
  { isQuiet, signal: ending }: ExecuteOptions,
): Promise<Executed> {
  const env = { ...process.env, SVC_EVENT: event.event, SVC_COLLECTION: event.collection, SVC_ID: event.id }
  return new Promise((resolve) => {
    // Under --json, stdout is for events alone.
    const child = spawn(command, { shell: true, env, stdio: ['pipe', isQuiet ? 'ignore' : 'inherit', 'inherit'] })
    let timer: NodeJS.Timeout | undefined
    let isKilled = false
    const end = () => {
      timer = setTimeout(() => {
        // What the shell has started may go on, and is not waited for.
        isKilled = child.kill('SIGKILL')
        child.stdin?.destroy()
      }, graceSeconds * 1000)
    }
    if (ending.aborted) end()
    else ending.addEventListener('abort', end, { once: true })
    child.on('error', (error) => resolve({ fault: `${command}: ${error.message}`, isKilled }))
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      ending.removeEventListener('abort', end)
      const fault = code === 0 ? undefined : `${command} ended with ${signal ?? `exit code ${code}`}`
      resolve({ fault, isKilled })
    })
    // A command that does not read is no failure.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(`${JSON.stringify(event)}\n`)
  })
}

/** Posts the event as JSON. Answers what went wrong. */
export async function forward(url: string, event: EventLine): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'svc-event': event.event },
      body: JSON.stringify(event),
      signal: AbortSignal.timeout(mostForwardMilliseconds),
    })
    await response.body?.cancel()
    return response.ok ? undefined : `${url} answered ${response.status}`
  } catch {
    return `${url} did not take the event`
  }
}
