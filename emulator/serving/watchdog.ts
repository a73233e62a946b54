/**
 * Finds the workers that hang: each answers the primary from its event loop, and one that is silent for too long is reported. Silence is
 * counted in beats of the primary's own timer instead of on a clock. A machine that slept, or a primary that was stopped, misses the same
 * beats as its workers, so that waking up makes none of them late; and on a machine that is busy the beats come late, too.
 */
export interface Watched {
  /** How many times the usual time it has; left out, once. */
  readonly times?: number
  /** Asks whether it still answers. */
  ask(): void
  /** It has been silent for all of the time. Called once. */
  onSilent(): void
}

export interface Watchdog<Name> {
  /** In the place of what it was watched by before. */
  watch(name: Name, watched: Watched): void
  /** It has said something. */
  answered(name: Name): void
  remove(name: Name): void
  close(): void
}

/** Enough that a beat more or less does not count. */
const beatsOfSilence = 6

/** @param mostMilliseconds how long one may be silent; 0 watches none */
export function openWatchdog<Name>(mostMilliseconds: number): Watchdog<Name> {
  const beats = new Map<Name, { readonly watched: Watched; silent: number }>()
  const beat = () => {
    for (const [name, state] of beats) {
      if (state.silent >= beatsOfSilence * (state.watched.times ?? 1)) {
        beats.delete(name)
        state.watched.onSilent()
        continue
      }
      state.silent++
      state.watched.ask()
    }
  }
  // An interval that could not fire for a while fires once, however many were missed.
  const timer = mostMilliseconds === 0 ? undefined : setInterval(beat, mostMilliseconds / beatsOfSilence)
  return {
    watch: (name, watched) => void beats.set(name, { watched, silent: 0 }),
    answered(name) {
      const state = beats.get(name)
      if (state) state.silent = 0
    },
    remove: (name) => void beats.delete(name),
    close: () => clearInterval(timer),
  }
}
