/** Durations such as `90s`, `1h30m` and `-2d`. */
import { misuse } from '../base/failure.js'

const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const
const form = /^(-?)((?:\d+(?:\.\d+)?(?:ms|[dhms]))+)$/

/** Returns milliseconds. @throws {CliFailure} if the duration is invalid */
export function readDuration(text: string): number {
  const milliseconds = parseDuration(text)
  if (milliseconds !== undefined) return milliseconds
  throw misuse(`Invalid duration "${text}".`, 'Use a number with a unit, for example 90s, 25h, 1h30m or 2d.')
}

/** Returns milliseconds, or undefined if the duration is invalid. */
export function parseDuration(text: string): number | undefined {
  const [, sign, parts = ''] = form.exec(text.replaceAll(' ', '')) ?? []
  if (sign === undefined) return undefined
  const sum = [...parts.matchAll(/([\d.]+)(ms|[dhms])/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * units[unit as keyof typeof units],
    0,
  )
  return Math.round(sign === '-' ? -sum : sum)
}

/** Formats a duration, rounded to seconds. */
export function writeDuration(milliseconds: number): string {
  let rest = Math.round(Math.abs(milliseconds) / 1_000) * 1_000
  let text = ''
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    const count = Math.floor(rest / units[unit])
    if (count > 0) text += `${count}${unit}`
    rest -= count * units[unit]
  }
  if (text === '') return '0s'
  return milliseconds < 0 ? `-${text}` : text
}
