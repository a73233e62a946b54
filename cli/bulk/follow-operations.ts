/** Runs the operations of a file with a progress bar, and reports how far it came where it is interrupted or fails. */
import type { ImportSource } from '../../seeds/records/input.js'
import { CliFailure, stoppedBy } from '../base/failure.js'
import { stopSignal } from '../base/stop-signal.js'
import { count, counted } from '../terminal/print.js'
import { startProgress } from '../terminal/progress.js'
import { type Reached, type RunOptions, type RunResult, reachedBefore, runOperations } from './run-operations.js'

export interface FollowOptions extends Pick<RunOptions, 'client' | 'collection' | 'state'> {
  /** All that the file holds. */
  readonly operations: number
  /** What each of them is to people: "operation", "document". */
  readonly noun: string
  /** Whether progress is shown. */
  readonly isWanted: boolean
  /** Receives how far it came where it is stopped or fails. */
  onStopped(reached: Reached): void
}

/** @throws {CliFailure} saying how far it came, where it is stopped or fails */
export async function followOperations(input: ImportSource, options: FollowOptions): Promise<RunResult> {
  const { state, operations, noun, isWanted, onStopped, ...run } = options
  const progress = await startProgress(operations, noun, { isWanted })
  const stop = stopSignal()
  let reached = reachedBefore(state)
  if (reached.done > 0) progress.resume()
  const onDone = (now: Reached) => {
    reached = now
    progress.at(now.done, now.done)
  }
  const wordsOf = ({ done, refused }: Reached) => {
    const some = refused > 0 ? `, ${count(refused)} of them refused` : ''
    return `${count(done)} of ${counted(operations, noun)} are dealt with${some}`
  }
  try {
    const result = await runOperations(input, { ...run, state, signal: stop.signal, onDone })
    if (result.isWhole) return result
    throw new CliFailure(
      'INTERRUPTED',
      stop.exit(),
      `Stopped; ${wordsOf(reached)}.`,
      'Give the same command again to go on.',
    )
  } catch (error) {
    progress.stop()
    onStopped(reached)
    if (error instanceof CliFailure) throw error
    throw stoppedBy(error, `${wordsOf(reached)}.`, 'Give the same command again to go on.')
  } finally {
    progress.stop()
    stop.release()
  }
}
