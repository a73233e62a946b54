import type { SingleBar } from 'cli-progress'
import { onStderr } from './colour.js'
import { count, counted } from './print.js'

export interface Progress {
  /** Reports progress: `part` of `whole` in any unit, and `items` for people. */
  at(part: number, items: number): void
  /** Excludes work up to the next `at` from rate and time left. Hides the bar until then, so that notes can be printed. */
  resume(): void
  stop(): void
}

const silent: Progress = { at: () => undefined, resume: () => undefined, stop: () => undefined }

interface ProgressOptions {
  readonly isWanted: boolean
  /** Formats parts for the rate, if they say more than items. */
  readonly writeParts?: (parts: number) => string
}

/** Shows a progress bar on stderr. Does nothing without a terminal, in CI, and with --quiet or --json. */
export async function startProgress(
  whole: number | undefined,
  noun: string,
  { isWanted, writeParts }: ProgressOptions,
): Promise<Progress> {
  if (!isWanted || !process.stderr.isTTY || process.env.CI) return silent
  const { default: progress } = await import('cli-progress')
  let begun = { at: performance.now(), part: 0, items: 0 }
  let isResumed = false
  const bar: SingleBar = new progress.SingleBar({
    stream: withoutSavedPlace(process.stderr),
    hideCursor: true,
    clearOnComplete: true,
    fps: 8,
    etaBuffer: 50,
    format: (options, { progress: done, value, total }, { items }) => {
      const seconds = (performance.now() - begun.at) / 1000
      const perSecond = (done: number) => done / Math.max(seconds, 0.001)
      const rate = writeParts
        ? writeParts(perSecond(value - begun.part))
        : count(Math.round(perSecond(items - begun.items)))
      const words = `${counted(items, noun)}  ${rate}/s`
      if (whole === undefined) return `  ${words}`
      const width = 24
      const full = Math.round(done * width)
      const line = onStderr.cyan('━'.repeat(full)) + onStderr.dim('━'.repeat(width - full))
      const here = value - begun.part
      const left = here > 0 && options ? `  ${duration((seconds * (total - value)) / here)} left` : ''
      return `  ${line} ${String(Math.floor(done * 100)).padStart(3)} %  ${words}${left}`
    },
  })
  let isStopped = false
  const hide = () => {
    if (bar.isActive) bar.stop()
  }
  return {
    at(part, items) {
      if (isStopped) return
      if (isResumed) begun = { at: performance.now(), part, items }
      isResumed = false
      if (bar.isActive) bar.update(part, { items })
      else bar.start(whole ?? 0, part, { items })
    },
    resume() {
      isResumed = true
      hide()
    },
    stop() {
      isStopped = true
      hide()
    },
  }
}

/**
 * Drops the escape codes that save and restore the cursor. The library clears the bar at the saved position, which is wrong once the
 * terminal has scrolled. Without it, the library clears the bar at its last position.
 */
function withoutSavedPlace(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const [save, restore] = ['\x1B7', '\x1B8']
  const write = (text: string) => text === save || text === restore || stream.write(text)
  return Object.create(stream, { write: { value: write } })
}

/** Formats seconds as 3.2 s, 48 s, 2 min 5 s or 1 h 4 min. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`
}
