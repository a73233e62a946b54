/** The requests that an emulator answered: kept in its state folder, counted, and shown on demand. */
import { appendFileSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestLine } from '../../emulator/http/logging/log.js'
import { logFiles } from '../logs/log-files.js'

/** What is kept is written at once for so long, since a write for each request would cost more than the request. */
const flushMilliseconds = 250
const mostBytes = 1_048_576

export interface RequestLog {
  add(request: RequestLine): void
  /** From now on; what svc dev sends to itself before it is ready is left out. */
  begin(): void
  readonly counts: () => { readonly all: number; readonly failed: number }
  /** Receives each request from now on, unless it is undefined. */
  show(receive: ((request: LoggedRequest) => void) | undefined): void
  close(): void
}

export interface LoggedRequest extends RequestLine {
  readonly time: string
}

export function openRequestLog(folder: string): RequestLog {
  const file = join(folder, logFiles.requests)
  let lines = ''
  let isBegun = false
  let all = 0
  let failed = 0
  let timer: NodeJS.Timeout | undefined
  let receive: ((request: LoggedRequest) => void) | undefined

  function flush() {
    clearTimeout(timer)
    timer = undefined
    if (lines !== '') append(file, lines)
    lines = ''
  }

  return {
    begin() {
      isBegun = true
    },
    add(request) {
      if (!isBegun) return
      all++
      // 499: its client disconnected, as a page does that is left.
      if (request.status >= 400 && request.status !== 499) failed++
      const logged = { time: new Date().toISOString(), ...request }
      lines += `${JSON.stringify(logged)}\n`
      timer ??= setTimeout(flush, flushMilliseconds).unref()
      receive?.(logged)
    },
    counts: () => ({ all, failed }),
    show(next) {
      receive = next
    },
    close: flush,
  }
}

/** A disk that is full loses the lines, not the requests. */
function append(file: string, lines: string): void {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false })
    // One that came with a cloned folder may lead anywhere: contract 12.4.
    if (found?.isSymbolicLink()) rmSync(file)
    if (found?.isFile() && found.size + lines.length > mostBytes) renameSync(file, file.replace(/\.log$/, '.1.log'))
    appendFileSync(file, lines, { mode: 0o600 })
  } catch {
    return
  }
}
