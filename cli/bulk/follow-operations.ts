/** Runs a file of operations with a progress bar. Reports its progress if interrupted. */
import type { ImportSource } from '../../seeds/records/input.js'
import { CliFailure, stoppedBy } from '../base/failure.js'
import { stopSignal } from '../base/stop-signal.js'
import { count, counted } from '../terminal/print.js'
import { startProgress } from '../terminal/progress.js'
import { type Reached, type RunOptions, type RunResult, reachedBefore, runOperations } from './run-operations.js'

export interface FollowOptions extends Pick<RunOptions, 'client' | 'collection' | 'state'> {
  /** Number of operations in the file. */
  readonly operations: number
  /** Noun for one of them in messages: "operation" or "document". */
  readonly noun: string
  /** Shows a progress bar. */
  readonly isWanted: boolean
  /** Called with the progress if the run is interrupted or fails. */
  onStopped(reached: Reached): void
}

/** @throws {CliFailure} with the progress so far, if the run is interrupted or fails */
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
  const describeProgress = ({ done, refused }: Reached) => {
    const some = refused > 0 ? `, ${count(refused)} refused` : ''
    return `${count(done)} of ${counted(operations, noun)} processed${some}`
  }
  try {
    const result = await runOperations(input, { ...run, state, signal: stop.signal, onDone })
    if (result.isWhole) return result
    throw new CliFailure(
      'INTERRUPTED',
      stop.exit(),
      `Stopped; ${describeProgress(reached)}.`,
      'Run the same command again to continue.',
    )
  } catch (error) {
    progress.stop()
    onStopped(reached)
    if (error instanceof CliFailure) throw error
    throw stoppedBy(error, `${describeProgress(reached)}.`, 'Run the same command again to continue.')
  } finally {
    progress.stop()
    stop.release()
  }
}
