import { appendFileSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { failureText } from '../failure-text.js'
import { openLineWriter } from './line-writer.js'

/** Logs method, route pattern, status, milliseconds and request id. Never bodies, keys or query values. */
export interface Log {
  /** Whether successful requests are logged. */
  readonly isOpen: boolean
  /** Describes where failures are logged. */
  readonly place: string
  request(line: RequestLine): void
  /**
   * Logs an error that no answer may reveal, under the id of the request or the name of the background task. Written at every
   * level.
   */
  failure(requestId: string, error: unknown): void
  /** Logs a problem that has failed no request. */
  warn(message: string): void
}

/** The status in log and metrics for a request whose client disconnected before the answer. */
export const clientClosedRequest = 499

/** A request that was answered or whose client disconnected. Holds nothing of its query string. */
export interface RequestLine {
  readonly method: string
  readonly path: string
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  readonly requestId: string
  /** The kind of caller: a key, the control token, a user with this id, or none. */
  readonly who: string
}

export interface LogOptions {
  /** Whether requests are logged too. If so, all lines are JSON. */
  readonly level: 'silent' | 'info' | 'warn'
  /** The state folder, for the file of failures. */
  readonly folder: string | undefined
  /** Receives the requests of the project's API, at every level. */
  readonly onRequest?: ((request: RequestLine) => void) | undefined
  /** Whether this is a hosted service. Its lines name the process and leave out paths, which hold ids of others. */
  readonly isOfService?: boolean
  /** The size at which the file of failures is rotated. */
  readonly maxBytes?: number
}

/** The control API, pages and the built-in provider live below this path. They are not part of the project's API. */
export const ownPaths = '/_svc'

const fileName = 'errors.log'
const formerName = 'errors.1.log'

/** Opens a log on standard error that also saves failures in the state folder. */
export function openLog({ level, folder, onRequest, isOfService = false, maxBytes = 1_048_576 }: LogOptions): Log {
  const base = isOfService ? { pid: process.pid } : undefined
  const logger: Logger = pino(
    { level, base },
    openLineWriter(2, (lines) => logger.warn(`Could not write to standard error: ${lines} log lines were lost.`)),
  )
  const file = folder === undefined ? undefined : join(folder, fileName)
  return {
    isOpen: level === 'info' || onRequest !== undefined,
    place: file === undefined ? 'standard error' : `standard error, and ${fileName} in the state folder`,
    request(line) {
      const { path: _, ...withoutPath } = line
      if (level === 'info') logger.info(isOfService ? withoutPath : line)
      if (!line.route.startsWith(ownPaths)) onRequest?.(line)
    },
    failure(requestId, error) {
      const text = failureText(error)
      if (level !== 'silent') logger.error({ requestId, error: text })
      else process.stderr.write(`${oneLine(requestId, text, file)}\n`)
      if (file !== undefined) append(file, { time: new Date().toISOString(), requestId, ...text }, maxBytes)
    },
    warn(message) {
      if (level !== 'silent') logger.warn(message)
      else process.emitWarning(message, 'svc')
    },
  }
}

function oneLine(requestId: string, { name, message, code }: ReturnType<typeof failureText>, file?: string): string {
  const more = file === undefined ? '' : ` More: ${file}`
  const line = `svc: failed (${requestId}): ${name}${code === undefined ? '' : ` ${code}`}: ${message}${more}`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may reach the terminal.
  return line.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}

/**
 * Writes synchronously, because the process may be about to exit. A full disk loses the line instead of failing the request.
 */
function append(file: string, entry: object, maxBytes: number): void {
  const line = `${JSON.stringify(entry)}\n`
  try {
    const found = lstatSync(file, { throwIfNoEntry: false })
    // A symbolic link in a cloned folder may lead anywhere: contract 12.4.
    if (found?.isSymbolicLink()) rmSync(file)
    if (found?.isFile() && found.size + line.length > maxBytes) renameSync(file, file.replace(fileName, formerName))
    appendFileSync(file, line, { mode: 0o600 })
  } catch {
    return
  }
}
