/** Runs the operations of a file with a progress bar, and reports how far it came where it is interrupted or fails. */
import type { ImportSource } from '../../seeds/records/input.js'
import { CliFailure, exits, stoppedBy } from '../base/failure.js'
import { stopSignal } from '../base/stop-signal.js'
import { count, counted } from '../terminal/print.js'
import { startProgress } from '../terminal/progress.js'
import { type RunOptions, type RunResult, runOperations } from './run-operations.js'

export interface FollowOptions extends Pick<RunOptions, 'client' | 'collection' | 'state'> {
  /** All that the file holds. */
  readonly operations: number
  /** What each of them is to people: "operation", "document". */
  readonly noun: string
  /** Whether progress is shown. */
  readonly isWanted: boolean
}

/** @throws {CliFailure} saying how far it came, where it is stopped or fails */
export async function followOperations(input: ImportSource, options: FollowOptions): Promise<RunResult> {
  const { state, operations, noun, isWanted, ...run } = options
  const progress = await startProgress(operations, noun, { isWanted })
  const stop = stopSignal()
  let done = state.found?.done ?? 0
  if (done > 0) progress.resume()
  const onDone = (now: number) => {
    done = now
    progress.at(done, done)
  }
  const reached = () => `${count(done)} of ${counted(operations, noun)} are dealt with`
  try {
    const result = await runOperations(input, { ...run, state, signal: stop.signal, onDone })
    if (result.isWhole) return result
    const exit = stop.name() === 'SIGTERM' ? exits.terminated : exits.interrupted
    throw new CliFailure('INTERRUPTED', exit, `Stopped; ${reached()}.`, 'Give the same command again to go on.')
  } catch (error) {
    if (error instanceof CliFailure) throw error
    throw stoppedBy(error, `${reached()}.`, 'Give the same command again to go on.')
  } finally {
    progress.stop()
    stop.release()
  }
}
