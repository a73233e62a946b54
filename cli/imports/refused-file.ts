import { appendFileSync, rmSync } from 'node:fs'
import type { Refusal } from './send-chunk.js'

/** A refused row as it is reported. */
export interface ReportedRefusal extends Refusal {
  readonly file: string
}

const mostRemembered = 20

/** Keeps refused rows in a file, one JSON object on a line, and remembers the first few. */
export function openRefusedFile(path: string) {
  const first: ReportedRefusal[] = []
  return {
    write(file: string, refusals: readonly Refusal[]): void {
      if (refusals.length === 0) return
      const reported = refusals.map((refusal) => ({ file, ...refusal }))
      appendFileSync(path, reported.map((refusal) => `${JSON.stringify(refusal)}\n`).join(''))
      first.push(...reported.slice(0, mostRemembered - first.length))
    },
    /** Forgets what an earlier import left, once a new one begins. */
    clear: () => rmSync(path, { force: true }),
    path,
    /** The first few of those that were written. */
    first: (): readonly ReportedRefusal[] => first,
  }
}

export type RefusedFile = ReturnType<typeof openRefusedFile>
