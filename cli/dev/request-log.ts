/** Logs the requests to the emulator in its state folder, counts them, and shows them on demand. */
import { appendFileSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestLine } from '../../emulator/http/logging/log.js'
import { logFiles } from '../logs/log-files.js'

/** Collects lines for this long, because a write for each request would cost more than the request. */
const flushMilliseconds = 250
const maxBytes = 1_048_576

export interface RequestLog {
  add(request: RequestLine): void
  /** Starts the log. Requests that svc dev sends to itself before are left out. */
  begin(): void
  readonly counts: () => { readonly all: number; readonly failed: number }
  /** Sets the receiver of later requests; undefined removes it. */
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
      // Does not count 499: the client disconnected, for example because the user left the page.
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

/** Ignores failures, so that a full disk loses log lines but no requests. */
function append(file: string, lines: string): void {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false })
    // A link that came with a cloned folder may lead anywhere: contract 12.4.
    if (found?.isSymbolicLink()) rmSync(file)
    if (found?.isFile() && found.size + lines.length > maxBytes) renameSync(file, file.replace(/\.log$/, '.1.log'))
    appendFileSync(file, lines, { mode: 0o600 })
  } catch {
    return
  }
}
