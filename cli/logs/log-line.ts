import type { ChalkInstance } from 'chalk'
import { printable } from '../terminal/text-width.js'
import type { LogEntry } from './log-files.js'

/** Formats a log entry. Escapes control characters, because paths contain text from apps. */
export function logLine(entry: LogEntry, colours: ChalkInstance): string {
  const time = colours.dim(formatTime(entry.time))
  return entry.type === 'request'
    ? `${time}  ${requestWords(entry, colours)}`
    : `${time}  ${colours.red('failed')}  ${failureWords(entry)}`
}

export function requestWords(request: Readonly<Record<string, unknown>>, colours: ChalkInstance): string {
  const { method, path, status, milliseconds, who } = request
  const colour = Number(status) >= 500 ? colours.red : Number(status) >= 400 ? colours.yellow : colours.green
  const head = `${printable(String(method)).padEnd(6)} ${printable(String(path))}`
  return `${head}  ${colour(String(status))}  ${colours.dim(`${Number(milliseconds)} ms  ${printable(String(who))}`)}`
}

function failureWords({ name, message, requestId }: LogEntry): string {
  return printable(`${name}: ${message} (${requestId})`)
}

export function formatTime(time: string): string {
  const at = new Date(time)
  return Number.isNaN(at.getTime()) ? '' : at.toTimeString().slice(0, 8)
}
