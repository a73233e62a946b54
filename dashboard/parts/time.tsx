/** Relative times. A tooltip shows the exact time. */
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

/** Shared by all times on the page, so they update together every few seconds. Follows the project's clock. */
let offset = 0
let now = Date.now()
const listeners = new Set<() => void>()
setInterval(tick, 5_000)

function tick() {
  now = Date.now()
  for (const listener of listeners) listener()
}

/** Sets the offset of the project's clock from the system clock. */
export function setClockOffset(milliseconds: number): void {
  if (offset === milliseconds) return
  offset = milliseconds
  tick()
}

/** Returns the current time of the project's clock. */
export function emulatorNow(): number {
  return Date.now() + offset
}

function useNow(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => now + offset,
  )
}

/** @param isMachineTime compares with the machine's clock instead of the emulator's, which can be moved */
export function Time({ at, isMachineTime = false }: { at: string; isMachineTime?: boolean }) {
  const current = useNow()
  const shown = isMachineTime ? Date.now() : Math.max(current, emulatorNow())
  return (
    <time className="mono dim" dateTime={at} title={new Date(at).toLocaleString()}>
      {relative(at, shown)}
    </time>
  )
}

/** Formats a time as 14:02:11.4. */
export function clockTime(at: string): string {
  const date = new Date(at)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${Math.floor(date.getMilliseconds() / 100)}`
}
