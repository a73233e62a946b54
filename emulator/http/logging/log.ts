import { appendFileSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { failureText } from '../failure-text.js'
import { openLineWriter } from './line-writer.js'

/** What is written down: method, route pattern, status, milliseconds and request id; never bodies, keys or query values. */
export interface Log {
  /** Whether requests that went well are logged. */
  readonly isOpen: boolean
  /** Where failures are to be found, in words. */
  readonly place: string
  request(line: RequestLine): void
  /** Something that no answer may tell, under the request's id, or under the name of what went on in the background. Always written. */
  failure(requestId: string, error: unknown): void
  /** Something to know of, which has failed no request. */
  warn(message: string): void
}

/** The status, in log and metrics alone, of a request whose client disconnected before it was answered. */
export const clientClosedRequest = 499

/** A request that was answered, or whose client did not wait. What follows the `?` of its path is nowhere in it. */
export interface RequestLine {
  readonly method: string
  readonly path: string
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  readonly requestId: string
  /** By what right: of a key, of the control token, of a user with this id, or none. */
  readonly who: string
}

export interface LogOptions {
  /** Whether requests are written down too; then all lines are JSON. */
  readonly level: 'silent' | 'info' | 'warn'
  /** The state folder, where failures are kept. */
  readonly folder: string | undefined
  /** Receives the requests of the project's API, whatever the level. */
  readonly onRequest?: ((request: RequestLine) => void) | undefined
  /** Whether it is that of a hosted service: its lines name their process, and no paths, which hold ids of others. */
  readonly isOfService?: boolean
  /** How large the file of failures grows before it becomes the former one. */
  readonly mostBytes?: number
}

/** What is below is no part of the project's API: the control API, the pages, the built-in provider. */
export const ownPaths = '/_svc'

const fileName = 'errors.log'
const formerName = 'errors.1.log'

/** A log on standard error, and of failures in the state folder as well. */
export function openLog({ level, folder, onRequest, isOfService = false, mostBytes = 1_048_576 }: LogOptions): Log {
  const base = isOfService ? { pid: process.pid } : undefined
  const logger: Logger = pino(
    { level, base },
    openLineWriter(2, (lines) =>
      logger.warn(`Standard error could not be written: ${lines} lines of the log are lost.`),
    ),
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
      if (file !== undefined) append(file, { time: new Date().toISOString(), requestId, ...text }, mostBytes)
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

/** At once, since the process may be about to end. A disk that is full loses the line, not the request. */
function append(file: string, entry: object, mostBytes: number): void {
  const line = `${JSON.stringify(entry)}\n`
  try {
    const found = lstatSync(file, { throwIfNoEntry: false })
    // One that came with a cloned folder may lead anywhere: contract 12.4.
    if (found?.isSymbolicLink()) rmSync(file)
    if (found?.isFile() && found.size + line.length > mostBytes) renameSync(file, file.replace(fileName, formerName))
    appendFileSync(file, line, { mode: 0o600 })
  } catch {
    return
  }
}
