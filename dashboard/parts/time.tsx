/** Moments as people read them, with the exact one on hover. */
import { useSyncExternalStore } from 'react'

const steps: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400 * 365, 'y'],
  [86_400 * 30, 'mo'],
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]

function relative(iso: string, now: number): string {
  const seconds = Math.round((now - Date.parse(iso)) / 1000)
  if (Number.isNaN(seconds)) return iso
  const [size, unit] = steps.find(([each]) => Math.abs(seconds) >= each) ?? [1, 's']
  const count = Math.floor(Math.abs(seconds) / size)
  if (count === 0) return 'now'
  return seconds < 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`
}

/** One clock for all of them: a page of times asks the system once every few seconds. */
let now = Date.now()
const listeners = new Set<() => void>()
setInterval(() => {
  now = Date.now()
  for (const listener of listeners) listener()
}, 5_000)

function useNow(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => now,
  )
}

export function Time({ at }: { at: string }) {
  const current = useNow()
  return (
    <time className="mono dim" dateTime={at} title={new Date(at).toLocaleString()}>
      {relative(at, Math.max(current, Date.now()))}
    </time>
  )
}

/** 14:02:11.4 */
export function clockTime(at: string): string {
  const date = new Date(at)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${Math.floor(date.getMilliseconds() / 100)}`
}
