import { pino } from 'pino'

/** What is written down: method, route pattern, status, milliseconds and request id; never bodies, keys or query values. */
export interface Log {
  /** Whether anybody reads of requests that went well. */
  readonly isOpen: boolean
  request(line: RequestLine): void
  /** Something that no answer may tell: the whole error, under the request's id. */
  failure(requestId: string, error: unknown): void
}

export interface RequestLine {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  readonly requestId: string
}

/** A log of JSON lines on standard error. */
export function openLog(level: 'silent' | 'info'): Log {
  const logger = pino({ level, base: undefined }, pino.destination(2))
  return {
    isOpen: level === 'info',
    request: (line) => logger.info(line),
    failure: (requestId, error) => logger.error({ requestId, err: error }),
  }
}
