import { appendFileSync, existsSync, rmSync, statSync, truncateSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RefusedRow } from './send-chunk.js'

/** A refused row as it is reported. */
export interface ReportedRefusal extends RefusedRow {
  readonly file: string
}

/** How much of a file of refused rows was written at some time. */
export interface RefusedSize {
  readonly path: string
  readonly bytes: number
}

const mostRemembered = 20

/** Keeps refused rows in a file, one JSON object on a line, and remembers the first few. */
export function openRefusedFile(path: string) {
  const first: ReportedRefusal[] = []
  const whole = resolve(path)
  const bytes = () => (existsSync(whole) ? statSync(whole).size : 0)
  return {
    write(file: string, refusals: readonly RefusedRow[]): void {
      if (refusals.length === 0) return
      const reported = refusals.map((refusal) => ({ file, ...refusal }))
      appendFileSync(whole, reported.map((refusal) => `${JSON.stringify(refusal)}\n`).join(''))
      first.push(...reported.slice(0, mostRemembered - first.length))
    },
    /** Removes what an earlier import left, once a new one begins. */
    clear: () => rmSync(whole, { force: true }),
    /** Goes on behind what the states of a stopped import have saved: rows written after that are going to be refused once more. */
    resume(saved: readonly RefusedSize[]): void {
      const sizes = saved.filter((one) => one.path === whole).map((one) => one.bytes)
      if (sizes.length > 0 && bytes() > Math.max(...sizes)) truncateSync(whole, Math.max(...sizes))
    },
    size: (): RefusedSize => ({ path: whole, bytes: bytes() }),
    path,
    /** The first few of those that were written. */
    first: (): readonly ReportedRefusal[] => first,
  }
}

export type RefusedFile = ReturnType<typeof openRefusedFile>
